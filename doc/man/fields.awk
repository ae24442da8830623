# SPDX-License-Identifier: MIT
# fields.awk wsfj.h PAGE.scd - the page, with the fields of a structure where it has the comment "; the fields of NAME": each
# with what the header says of it. `size` is left to the page.
FNR == NR {
    if (/^struct [a-z_]+ \{$/)
        inside = $2
    else if (/^}/)
        inside = ""
    else if (inside && match($0, /[a-z_]+(\[[0-9]+\])?;/)) {
        name = substr($0, RSTART, RLENGTH)
        sub(/(\[.*)?;/, "", name)
        if (!sub(/.*\/\*\*< /, "") || !sub(/ \*\/$/, "")) {
            undescribed[inside] = undescribed[inside] " " name
            next
        }
        $0 = marked($0)
        if (name != "size")
            fields[inside] = fields[inside] "*" name "*\n\t" $0 "\n\n"
    }
    next
}
# ws_run() is a page, `steals` a field.
function marked(text,    done) {
    while (match(text, /ws_[a-z_]+\(\)|`[a-z_]+`/)) {
        word = substr(text, RSTART, RLENGTH)
        done = done substr(text, 1, RSTART - 1)
        done = done (word ~ /^`/ ? "_" substr(word, 2, length(word) - 2) "_" : "*" substr(word, 1, length(word) - 2) "*(3)")
        text = substr(text, RSTART + RLENGTH)
    }
    return done text
}
/^; the fields of / {
    if (undescribed[$5] != "" || fields[$5] == "") {
        print "fields.awk: wsfj.h does not say what these fields of " $5 " are:" undescribed[$5] >"/dev/stderr"
        exit 1
    }
    sub(/\n\n$/, "", fields[$5])
    print fields[$5]
    next
}
{ print }
