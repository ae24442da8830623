# SPDX-License-Identifier: MIT
# colours.awk - a figure as gnuplot wrote it: colours as #rrggbb, wsfj-view's fonts, and its dark colours for readers
# with a dark page (tools/view/chart.css).
function hex(text,   part) {
    split(text, part, /[(), ]+/)
    return sprintf("#%02x%02x%02x", part[2], part[3], part[4])
}
function darker(light, dark) {
    return "[fill=\"" light "\"]{fill:" dark "}[stroke=\"" light "\"]{stroke:" dark "}" \
        "[color=\"" light "\"]{color:" dark "}"
}
{
    while (match($0, /rgb\( *[0-9]+, *[0-9]+, *[0-9]+\)/))
        $0 = substr($0, 1, RSTART - 1) hex(substr($0, RSTART, RLENGTH)) substr($0, RSTART + RLENGTH)
    gsub(/font-family="sans-serif:Bold"/, "font-family=\"system-ui, sans-serif\" font-weight=\"600\"")
    gsub(/font-family="sans-serif"/, "font-family=\"system-ui, sans-serif\"")
}
/<title>Gnuplot<\/title>|<desc>Produced/ { next }
{ print }
/^>$/ && !styled {
    styled = 1
    print "<style>@media (prefers-color-scheme: dark) {"
    print darker("#ffffff", "#15191d") darker("#1c2126", "#e3e7eb") darker("#5d6873", "#97a3ae")
    print darker("#d9dee3", "#343c44") darker("#2b6cb0", "#63a4e8") darker("#2f7d5b", "#4fae85")
    print darker("#e0962a", "#d9942f") darker("#c2255c", "#f06595") darker("#b48ead", "#8f6f8a")
    print "}</style>"
}
