# SPDX-License-Identifier: MIT
# Tidies what scdoc writes, so that `mandoc -T lint` finds nothing: no paragraph macro that does nothing, no line of
# text over 80 bytes, the title in capitals.
function fold(text, i, last) {
    while (length(text) > 80) {
        last = 0
        for (i = 2; i <= 80; i++)
            if (substr(text, i, 1) == " " && substr(text, i - 1, 1) != "\\" && substr(text, i + 1, 1) !~ /[.' ]/)
                last = i
        if (!last) break
        print substr(text, 1, last - 1)
        text = substr(text, last + 1)
    }
    print text
}
# A pending .P is written only between two texts.
/^\.P$/ { paragraph = started; next }
/^\.(SH|SS|TH)/ { paragraph = 0 }
/^\.TH/ { sub(/"[^"]*"/, toupper($2)); $0 = $0 "\n.nh" } # man hyphenates again from .TH on
{
    if (paragraph && !/^\.RE/) print ".P"
    # After .RE the next text needs its .P.
    paragraph = /^\.RE/ ? paragraph : 0
    started = !/^\.(SH|SS|TH)/
    if (/^\.nf/) literal = 1
    if (/^\.fi/) literal = 0
    if (literal || /^[.']/) print
    else fold($0)
}
