;; SPDX-License-Identifier: MIT
;; guix build -f packaging/guix/libwsfj.scm: builds the tree that this file is in, a clone or an unpacked tarball.
(use-modules (gnu packages autotools)
             (gnu packages check)
             (gnu packages mpi)
             (gnu packages pkg-config)
             (gnu packages web)
             (guix build-system gnu)
             (guix gexp)
             ((guix licenses) #:prefix license:)
             (guix packages))

(package
  (name "libwsfj")
  (version "0.1.0")
  (source (local-file "../.." "libwsfj-source" #:recursive? #t))
  (build-system gnu-build-system)
  (arguments
   '(#:test-target "check-quick"
     #:phases
     (modify-phases %standard-phases
       ;; The script bootstrap is for Debian: it may call apt.
       (replace 'bootstrap
         (lambda _ (invoke "autoreconf" "-fi"))))))
  (native-inputs (list autoconf automake libtool pkg-config check))
  (inputs (list jansson))
  (propagated-inputs (list `(,hwloc "lib"))) ; libwsfj.pc names it, for the archive
  (home-page #f)
  (synopsis "Work-stealing fork/join runtime for C")
  (description
   "libwsfj is fork/join parallelism for plain C: calls that may run in
parallel are marked in ordinary recursive functions.  A spawn costs about a
nanosecond, idle workers steal work from busy ones, and no special compiler is
needed.")
  (supported-systems '("x86_64-linux" "aarch64-linux" "riscv64-linux" "powerpc64le-linux"))
  (license license:expat))
