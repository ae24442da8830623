# SPDX-License-Identifier: MIT
# compare.awk - reads what where.awk prints, and prints what code and models do not have in common. A model's function with a
# label stands for the function of the code that has its name (finish: wsfj_group_finish), and for those that its comments
# name with (). Each of them has one of its labels, and each function of the code with a label has such a step. For
# tests/build/labels.sh. Variable: exceptions, the labels that no model has.
$2 !~ /^tests\// {
    in_code[$3, $1]
    file[$1 " " $3] = $2
    with[$1] = with[$1] " " $3
    next
}
{
    step = $2 ", " $3 "()"
    if (!(step " " $1 in stands))
        labels[step] = labels[step] " " $1
    for (i = 4; i <= NF; i++)
        named[step " " $i]
    stands[step " " $1] = $3
}
END {
    for (pair in named) { # FILE, FUNCTION() NAME
        split(pair, part, " ")
        n = split(labels[part[1] " " part[2]], label, " ")
        found = 0
        for (i = 1; i <= n; i++)
            if ((part[3], label[i]) in in_code) {
                found = 1
                has_step[label[i] " " part[3]]
                has_site[part[1] " " part[2] " " label[i]]
            }
        if (!found)
            print part[1] " " part[2] " names " part[3] "(), which has none of its labels:" labels[part[1] " " part[2]]
    }
    for (pair in stands) { # FILE, FUNCTION() LABEL
        split(pair, part, " ")
        n = split(with[part[3]], function_of_code, " ")
        for (i = 1; i <= n; i++) {
            name = function_of_code[i]
            if (name == stands[pair] || substr(name, length(name) - length(stands[pair])) == "_" stands[pair]) {
                has_step[part[3] " " name]
                has_site[pair]
            }
        }
        if (!(pair in has_site))
            print part[1] " " part[2] " names no function of the code that has " part[3]
    }
    for (site in file) {
        split(site, part, " ")
        if (!(site in has_step) && index(" " exceptions " ", " " part[1] " ") == 0)
            print file[site] ", " part[2] "() has " part[1] ", and no step of a model with that label names it"
    }
}
