# SPDX-License-Identifier: MIT
# near.awk EXPECTED GOT - the same words, and numbers that are near: of factor 2, or no more apart than 10, with decimals
# 0.01. Widths of columns do not count, nor do the sizes of intervals (+-). Prints what is not near; status 1 then. For
# pages.sh. Variables: `absolute`: numbers are near if they are no more apart than `apart`.
function parts(line, list,    n, number) {
    gsub(/\+- *[0-9.]+( %)?/, "", line)
    gsub(/[ \t]+/, " ", line)
    n = 0
    while (match(line, /[0-9]+(\.[0-9]+)?/)) {
        list[++n] = substr(line, 1, RSTART - 1)
        list[++n] = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
    }
    list[++n] = line
    return n
}
function near(a, b,    by, least, most) {
    by = !absolute && a ~ /\./ && b ~ /\./ ? apart / 1000 : apart + 0
    least = a + 0 < b + 0 ? a + 0 : b + 0
    most = a + b - least
    return most - least <= by || (!absolute && most <= 2 * least)
}
function apart_at(line) {
    print "line " line ": " expected[line]
    print "now: " $0
    bad = 1
}
BEGIN { if (apart == "") apart = 10 }
FNR == NR { expected[FNR] = $0; lines = FNR; next }
{
    got++
    n = parts(expected[got], a)
    m = parts($0, b)
    same = n == m
    for (i = 1; same && i <= n; i++)
        same = i % 2 ? a[i] == b[i] : near(a[i], b[i])
    if (!same)
        apart_at(got)
}
END {
    if (got != lines) {
        print lines + 0 " lines, now " got + 0
        bad = 1
    }
    exit bad
}
