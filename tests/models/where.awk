# SPDX-License-Identifier: MIT
# where.awk - where labels stand in C files and models: "LABEL FILE FUNCTION" for each label in the body of a function or a
# macro, or in the comment before it. The comment at the head of a file is skipped. For tests/build/labels.sh.
FNR == 1 { inside = 0; n = 0; head = 1 }
head == 1 && /SPDX/ { next }
head == 1 { head = /^\/\*+$/ ? 2 : 0 }
head == 2 { if (/ \*\/$/) head = 0; next }

function begins(line) {
    gsub(/__attribute__\(\([^)]*\)\) */, "", line)
    sub(/WSFJ_POLICY_FUNCTION\(/, "", line)
    sub(/[()].*/, "", line)
    sub(/.*[ *]/, "", line)
    name = line
    while (n > 0)
        print waiting[n--], FILENAME, name
}
!inside && /^#define / {
    begins($2)
}
!inside && /^[A-Za-z_].*\(/ && !/[;\\]$/ && !/^__attribute__[^a-z]*$/ {
    begins($0)
    inside = 1
}
{
    rest = $0
    while (match(rest, /(THE|JOIN|MAIL|QUEUE|GROUP|BLOCK|PIN|PARK|PREEMPT|SCOPE|LOOP|POOL)-[0-9]+/)) {
        label = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (inside)
            print label, FILENAME, name
        else
            waiting[++n] = label
    }
}
/^}/ { inside = 0 }
