# SPDX-License-Identifier: MIT
# What Doxygen reads of a header: without macros that are not part of the interface, and with the names of parameters as
# the manual has them. (In the headers they begin with wsfj_, so that no macro of the user can replace them.)
FNR == 1 && !/@file/ { print "/** @file */"; next } # Doxygen shows macros of documented files only
dropped {
    dropped = /\\$/
    print ""
    next
}
/^ *# *define (WSFJ_|wsfj_|__)/ && !/WSFJ_VERSION/ {
    dropped = /\\$/
    print ""
    next
}
# The namespace that keeps serial and parallel programs apart.
/^inline namespace WSFJ_CXX_MODE/ { getline; print "\n"; next }
/^} \/\/ namespace WSFJ_CXX_MODE/ { print ""; next }
/^namespace WSFJ_NAMESPACE$/ { print "/** The interface for C++17. */ namespace ws"; next }
{ gsub(/WSFJ_CXX_INLINE /, "") }
/@param wsfj_/ { sub(/wsfj_/, "") }
/^[a-z].* [*]*ws_[a-z_]+\(/ { gsub(/wsfj_/, "") }
{ print }
