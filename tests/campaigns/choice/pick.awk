# SPDX-License-Identifier: MIT
# pick.awk - costs places: picks mistakes by their hash among those whose line a test reaches: the least of each file, then
# those of all files together, then others to verify. Prints NUMBER, WHICH (mistake or other), FILE, FUNCTION, RULE,
# ORDINAL, and writes the tests that reach the line, with their cost, cheapest first, to reaching/NUMBER.
# Variables: mistakes, others, least.
FILENAME == "costs" {
    split($0, word, " ")
    file = "lines/" word[2]
    while ((getline line <file) > 0) reach[line] = reach[line] word[1] " " word[3] "\n"
    close(file)
    next
}
($1 ":" $2) in reach { hash[NR] = $6; place[NR] = $0 }
END {
    sort = "LC_ALL=C sort >by_hash"
    for (i in place) print hash[i] "\t" place[i] | sort
    close(sort)
    while ((getline line <"by_hash") > 0) {
        split(line, p, "\t")
        all[++n] = line
        if (of[p[2]]++ < least && number < mistakes) take("mistake", n)
    }
    for (i = 1; i <= n && number < mistakes; i++) if (!taken[i]) take("mistake", i)
    for (i = 1; i <= n && number < mistakes + others; i++) if (!taken[i]) take("other", i)
}
function take(which, i,    p) {
    split(all[i], p, "\t")
    taken[i] = 1
    printf "%s", reach[p[2] ":" p[3]] >("reaching/" ++number)
    close("reaching/" number)
    print number, which, p[2], p[4], p[5], p[6]
}
