# SPDX-License-Identifier: MIT
# figures.awk FIGURE.svg... - checks the laboratory's figures, as gnuplot writes them. Catches: an axis with numbers and
# no unit; text outside of the picture, over other text or a bar; a number as 1e+06; a subscript; a colour of another
# scheme.
function say(text) { print file ": " text; bad = 1 }
function attribute(name,   value) {
    if (!match($0, name "=\"[^\"]*\"")) return ""
    value = substr($0, RSTART, RLENGTH)
    gsub(/^[^"]*"|"$/, "", value)
    return value
}
# The box of a text: x and y from and to. A letter is a bit more than half as wide as it is high.
function add(text, x, y, size, anchor, turned,   width, from) {
    width = 0.56 * size * length(text)
    from = anchor == "middle" ? width / 2 : anchor == "end" ? width : 0
    n++
    what[n] = text
    upright[n] = !turned
    at_x[n] = x; at_y[n] = y; how[n] = anchor
    if (turned) {
        left[n] = x - 0.8 * size; right[n] = x + 0.2 * size
        top[n] = y - width + from; bottom[n] = y + from
    } else {
        left[n] = x - from; right[n] = x - from + width
        top[n] = y - 0.8 * size; bottom[n] = y + 0.2 * size
    }
}
function numeric(text) { return text ~ /^-?[0-9.]+$/ }
function has_unit(text) { return text ~ /\([a-z0-9%][^()]*\)$/ }
# The x axis of a panel between two abscissas: the row of tick labels that is lowest. Numbers need a title with a unit.
function check_x_axis(from, to,   i, row, numbers, names, titled) {
    row = -1
    for (i = 1; i <= n; i++)
        if (upright[i] && how[i] == "middle" && numeric(what[i]) && at_x[i] >= from && at_x[i] < to && at_y[i] > row)
            row = at_y[i]
    for (i = 1; i <= n; i++) {
        if (!upright[i] || how[i] != "middle" || at_x[i] < from || at_x[i] >= to) continue
        if (row >= 0 && at_y[i] - row < 1 && row - at_y[i] < 1) numbers += numeric(what[i])
        if (at_y[i] > row && has_unit(what[i])) titled = 1
        if (row < 0 && !numeric(what[i])) names++
    }
    if (numbers > 1 && !titled) say("no unit below the numbers of an x axis")
    if (!numbers && names < 2) say("an x axis with nothing below it")
}
function finish_figure(   i, k, titles) {
    if (!n) say("no text")
    for (i = 1; i <= n; i++) {
        if (left[i] < 0 || top[i] < 0 || right[i] > width || bottom[i] > height) say("outside: " what[i])
        if (what[i] ~ /[0-9]e[-+]?[0-9]/) say("as a power: " what[i])
        for (k = 1; k < i; k++)
            if (left[i] < right[k] && left[k] < right[i] && top[i] < bottom[k] && top[k] < bottom[i])
                say("one over the other: " what[k] ", " what[i])
        if (!upright[i] && !has_unit(what[i])) say("no unit: " what[i])
    }
    for (i = 1; i <= n; i++)
        for (k = 1; k <= bars; k++)
            if (left[i] < bar_right[k] && bar_left[k] < right[i] && top[i] < bar_bottom[k] && bar_top[k] < bottom[i])
                say("over a bar: " what[i])
    for (i = 1; i <= n; i++)
        if (!upright[i]) title_at[titles++] = at_x[i]
    for (i = 0; i < titles; i++)
        check_x_axis(title_at[i], i + 1 < titles ? title_at[i + 1] : width)
    if (!titles && file !~ /13-mistakes/) say("no title on a y axis")
    if (!titles) check_x_axis(0, width)
    if (subscripts) say("a subscript")
}
FNR == 1 { if (NR > 1) finish_figure(); file = FILENAME; n = bars = subscripts = 0; split("", title_at) }
/viewBox=/ { split(attribute("viewBox"), box, " "); width = box[3]; height = box[4] }
/<tspan|baseline-shift/ { subscripts = 1 }
/<g transform="translate/ {
    split(attribute("transform"), place, /[(,) ]+/)
    turned = $0 ~ /rotate\((-90|270)/
    size = attribute("font-size")
    anchor = attribute("text-anchor")
}
/font-family=/ && !/font-family="system-ui, sans-serif"/ { say("a font of its own") }
/<text>/ {
    text = $0
    gsub(/^.*<text>|<\/text>.*$/, "", text)
    gsub(/<[^>]*>/, "", text)
    gsub(/&lt;/, "<", text)
    if (text ~ /[^ ]/) add(text, place[2], place[3], size, anchor, turned)
}
/<polygon/ {
    line = $0
    gsub(/^.*points *= *['"]|['"].*$/, "", line)
    points = split(line, point, " ")
    bars++
    for (i = 1; i <= points; i++) {
        split(point[i], place, ",")
        if (i == 1 || place[1] + 0 < bar_left[bars]) bar_left[bars] = place[1] + 0
        if (i == 1 || place[1] + 0 > bar_right[bars]) bar_right[bars] = place[1] + 0
        if (i == 1 || place[2] + 0 < bar_top[bars]) bar_top[bars] = place[2] + 0
        if (i == 1 || place[2] + 0 > bar_bottom[bars]) bar_bottom[bars] = place[2] + 0
    }
}
/^<style>/ { styled = 1 }
/<\/style>/ { styled = 0 }
/(stroke|fill|color) *= *['"]rgb/ { foreign[FILENAME " rgb()"] = 1 }
!styled && /(stroke|fill|color) *= *['"]#/ {
    line = tolower($0)
    while (match(line, /(stroke|fill|color) *= *['"]#[0-9a-f]+/)) {
        colour = substr(line, RSTART, RLENGTH)
        sub(/^.*#/, "#", colour)
        line = substr(line, RSTART + RLENGTH)
        if (colour !~ /^#(ffffff|1c2126|5d6873|d9dee3|2b6cb0|2f7d5b|e0962a|c2255c|b48ead)$/)
            foreign[FILENAME " " colour] = 1
    }
}
END {
    finish_figure()
    for (colour in foreign) { print colour ": not of the scheme"; bad = 1 }
    exit bad
}
