# SPDX-License-Identifier: MIT
# strings.awk FILE... - each file as an array of lines, with a NULL behind the last: chart.css becomes view_chart_css.
BEGIN { print "/* Made by tools/view/strings.awk. */\n#include \"page.h\"\n#include <stddef.h>" }
FNR == 1 {
    if (NR > 1)
        print "    NULL};"
    name = FILENAME
    sub(/.*\//, "", name)
    gsub(/[^a-z]/, "_", name)
    printf "\nconst char *const view_%s[] = {\n", name
}
{
    gsub(/\\/, "&&")
    gsub(/"/, "\\\"")
    printf "    \"%s\\n\",\n", $0
}
END { print "    NULL};" }
