# SPDX-License-Identifier: MIT
# literal.awk chart.css - the same rules without variables, for a picture: what shows SVG outside of browsers mostly knows
# no var(), and would draw all in black. All rules follow once more in the dark colours: those without a colour, too, since
# of equal rules the last one counts.
/^@media/ { is_dark = 1; next }
/^ *:root/ { in_root = 1 }
in_root {
    rest = $0
    while (match(rest, /--[a-z]+: [^;]*;/)) {
        definition = substr(rest, RSTART, RLENGTH - 1)
        rest = substr(rest, RSTART + RLENGTH)
        colon = index(definition, ": ")
        if (is_dark)
            dark[substr(definition, 1, colon - 1)] = substr(definition, colon + 2)
        else
            light[substr(definition, 1, colon - 1)] = substr(definition, colon + 2)
    }
    if (/}/)
        in_root = 0
    next
}
/^}/ { next }
{ rule[++rules] = $0 }
function literal(text, colours,    name) {
    while (match(text, /var\(--[a-z]+\)/)) {
        name = substr(text, RSTART + 4, RLENGTH - 5)
        if (!(name in colours)) {
            print "literal.awk: " name " has no colour" >"/dev/stderr"
            exit 1
        }
        text = substr(text, 1, RSTART - 1) colours[name] substr(text, RSTART + RLENGTH)
    }
    return text
}
END {
    for (i = 1; i <= rules; i++)
        print literal(rule[i], light)
    print "@media (prefers-color-scheme: dark) {"
    for (i = 1; i <= rules; i++)
        print "  " literal(rule[i], dark)
    print "}"
}
