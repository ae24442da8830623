# SPDX-License-Identifier: MIT
# plot.awk TABLES - the efficiencies of compare's tables over the number of ranks, as SVG. Lifelines: solid; random victims: dashed.
function x(ranks) { return 60 + 420 * log(ranks / least) / (log(most / least) + (most == least)) }
function y(efficiency) { return 270 - 240 * (efficiency - low) / (1 - low) }
function text(at, down, anchor, what) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", at, down, anchor, what
}
/^#/ { name[++curves] = substr($0, 3); next }
$1 == "ranks" { next }
{
    ranks[curves, ++rows[curves]] = $1
    value[curves, rows[curves]] = $3
    if (!least || $1 < least) least = $1
    if ($1 > most) most = $1
    if (!low || $3 < low) low = $3
}
END {
    low = int(low * 10) / 10
    split("#1f6fb4 #1f6fb4 #c8501e #c8501e #2d8a3e #2d8a3e #8a3fa0 #8a3fa0", colour, " ")
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"330\" font-family=\"sans-serif\" font-size=\"12\">"
    print "<rect width=\"720\" height=\"330\" fill=\"#ffffff\"/>"
    for (e = low; e < 1.001; e += 0.05) {
        printf "<path d=\"M60 %.1fH480\" stroke=\"#d9dee3\"/>\n", y(e)
        text(52, y(e) + 4, "end", sprintf("%.2f", e))
    }
    for (r = 1; r <= rows[1]; r++)
        text(x(ranks[1, r]), 290, "middle", ranks[1, r])
    text(270, 312, "middle", "ranks")
    text(60, 18, "start", "efficiency")
    for (c = 1; c <= curves; c++) {
        dash = c % 2 ? "" : " stroke-dasharray=\"5 4\""
        path = ""
        for (r = 1; r <= rows[c]; r++)
            path = path sprintf("%s%.1f %.1f", r == 1 ? "M" : "L", x(ranks[c, r]), y(value[c, r]))
        printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", path, colour[c], dash
        printf "<path d=\"M500 %dh28\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", 36 + 24 * c, colour[c], dash
        text(536, 40 + 24 * c, "start", name[c])
    }
    print "</svg>"
}
