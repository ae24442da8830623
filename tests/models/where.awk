# SPDX-License-Identifier: MIT
# where.awk - where labels stand in C files and models: "LABEL FILE FUNCTION NAME..." for each label in the body of a function
# or a macro, or in the comment before it. NAMEs are the functions `name()` that the same comments mention. The comment at
# the head of a file is skipped, and so are the macros of a model. For tests/build/labels.sh.
FNR == 1 { inside = 0; forget(); head = 1 }
head == 1 && /SPDX/ { next }
head == 1 { head = /^\/\*+$/ ? 2 : 0 }
head == 2 { if (/ \*\/$/) head = 0; next }

function forget() {
    labels = names = ""
    in_comment = 0
}
function finish(    list, i, n) {
    n = split(labels, list, " ")
    for (i = 1; i <= n; i++)
        print list[i], FILENAME, name names
    forget()
}
function begins(line) {
    gsub(/__attribute__\(\([^)]*\)\) */, "", line)
    sub(/WSFJ_POLICY_FUNCTION\(/, "", line)
    sub(/[()].*/, "", line)
    sub(/.*[ *]/, "", line)
    name = line
}
# What matches in the text, each after a blank.
function all(text, pattern,    found) {
    while (match(text, pattern)) {
        found = found " " substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
    }
    return found
}
# The comments of a line.
function comments(line,    found, at) {
    while (line != "") {
        if (!in_comment) {
            if (!(at = index(line, "/*")))
                break
            line = substr(line, at + 2)
            in_comment = 1
        }
        at = index(line, "*/")
        found = found " " (at ? substr(line, 1, at - 1) : line)
        in_comment = !at
        line = at ? substr(line, at + 2) : ""
    }
    return found
}
!inside && /^#define / {
    begins($2)
    is_macro = 1
}
!inside && /^[A-Za-z_].*\(/ && !/(;|\\)( *\/\*.*)?$/ && !/^__attribute__[^a-z]*$/ {
    begins($0)
    inside = 1
}
{
    was_comment = in_comment || /^ *\/\*/
    text = comments($0)
    labels = labels all(text, "(THE|JOIN|MAIL|QUEUE|GROUP|BLOCK|PIN|PARK|PREEMPT|SCOPE|LOOP|POOL|WAIT|MPI|BAG)-[0-9]+")
    called = all(text, "[A-Za-z_0-9]+\\(\\)")
    gsub(/\(\)/, "", called)
    names = names called
}
inside && /^}/ {
    finish()
    inside = 0
}
is_macro && !/\\$/ {
    is_macro = 0
    if (FILENAME ~ /\.pml$/)
        forget()
    else
        finish()
}
# A comment before something else.
!inside && !is_macro && !was_comment && (/^$/ || /;$/) { forget() }
