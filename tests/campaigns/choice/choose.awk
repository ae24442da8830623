# SPDX-License-Identifier: MIT
# choose.awk - costs noticed: a set of tests that notices each mistake that all of them together notice, taken one after the
# other by how many more mistakes a test notices for each second. Prints a line for each chosen test, the tests that are left,
# and how many of the other mistakes only those notice.
FILENAME == "costs" { cost[$3] = $1 > 0.01 ? $1 : 0.01; sum += $1; next }
$3 == "dropped" { dropped++; next }
$3 == "tried" { tried[$1]++; next }
$1 == "mistake" { by[$3] = by[$3] " " $2; if (!open[$2]++) left++ }
$1 == "other" { verify[$2] = verify[$2] " " $3 }
END {
    printf "%d mistakes tried, %d noticed; %d do not compile\n", tried["mistake"], left, dropped
    while (left > 0) {
        best = ""
        for (test in by) {
            more = 0
            k = split(by[test], m, " ")
            for (i = 1; i <= k; i++) more += m[i] in open
            if (more && (best == "" || more / cost[test] > value || (more / cost[test] == value && test < best)))
                { best = test; value = more / cost[test]; gain = more }
        }
        k = split(by[best], m, " ")
        for (i = 1; i <= k; i++) if (m[i] in open) { delete open[m[i]]; left-- }
        chosen[best] = 1
        used += cost[best]
        printf "chosen %s: %d more, %.2f s\n", best, gain, cost[best]
    }
    for (test in cost) if (!(test in chosen)) print "left " test ": " cost[test] " s" | "sort"
    close("sort")
    for (other in verify) {
        k = split(verify[other], t, " ")
        seen = 0
        for (i = 1; i <= k; i++) seen += t[i] in chosen
        missed += seen == 0
    }
    printf "%.2f of %.2f s; of %d other mistakes %d are noticed by tests that are left only\n",
        used, sum, tried["other"], missed
}
