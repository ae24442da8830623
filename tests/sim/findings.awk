# SPDX-License-Identifier: MIT
# findings.awk FINDINGS - each condition with the figures that the commands of a page have printed, as awk says it; below, as the
# page has it. For pages.sh. Variable: from, a folder with what each command has printed: 01.got.
#
# 2.time_ns[workers=4,policy=join=block] is the figure of the second command's table in that column and row; 2.3.time_ns[...]
# of its third table. A table begins with the names of its columns. `a ~ b`: a differs by at most a tenth from b.
function fail(text) {
    print "findings.awk: " finding ": " text >"/dev/stderr"
    exit 1
}
# The figure. A row has what each of the wanted columns wants.
function figure(command, table, column, wanted,    file, line, names, fields, n, at, now, found, value, want, w, i, k) {
    file = sprintf("%s/%02d.got", from, command)
    n = split(wanted, want, ",")
    while ((getline line < file) > 0) {
        gsub(/\+- *[0-9.]+( %)?/, "", line)
        if (line !~ / /)
            gsub(/,/, " ", line)
        split(line, fields, " ")
        if (now == 0 || fields[1] == names[1]) {
            now++
            split("", at)
            for (i = split(line, names, " "); i > 0; i--)
                at[names[i]] = i
            continue
        }
        if (!(column in at) || (table && table != now))
            continue
        for (w = 1; w <= n; w++) {
            k = index(want[w], "=")
            if (!(substr(want[w], 1, k - 1) in at) || fields[at[substr(want[w], 1, k - 1)]] != substr(want[w], k + 1))
                break
        }
        if (w > n) {
            value = fields[at[column]]
            found++
        }
    }
    close(file)
    if (found != 1)
        fail(found + 0 " figures for " column "[" wanted "] of command " command)
    return value
}
{
    finding = $0
    rest = $0
    text = ""
    while (match(rest, /[0-9]+\.([0-9]+\.)?[a-z][a-z_0-9]*(\[[^]]*\])?/)) {
        reference = substr(rest, RSTART, RLENGTH)
        text = text substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        wanted = ""
        if (match(reference, /\[.*\]/)) {
            wanted = substr(reference, RSTART + 1, RLENGTH - 2)
            reference = substr(reference, 1, RSTART - 1)
        }
        n = split(reference, part, ".")
        text = text figure(part[1], n == 3 ? part[2] : 0, part[n], wanted)
    }
    text = text rest
    if (n = index(text, " ~ "))
        text = "about(" substr(text, 1, n - 1) ", " substr(text, n + 3) ")"
    print text
    print finding
}
