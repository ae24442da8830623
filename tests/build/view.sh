#!/bin/sh
# SPDX-License-Identifier: MIT
# view.sh - wsfj-view shows what is in a trace. Runs in the build directory. Environment: as `traces` says.
#
# Catches: a number that is not what the runtime has counted, or not what follows from the trace; a name that leaves its
# place in the page; a page that needs something else; a picture that is no XML; nonsense that is taken.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/build/traces"

known_trace >"$tmp/known.json"

# What follows from the known trace.
known() {
    check "known trace: $1" shows "$2" $view --format text "$tmp/known.json"
}
known 'the title' '^known\.json, by libwsfj 0\.1\.0$'
known 'shares of all' '^- 2 workers, 1\.00 ms: they ran tasks 40 % of their time, searched for work 5\.0 %, slept 30 %, and did$'
known 'the average' 'On average 0\.80 of 2 ran a task\.$'
known 'worker 0' '^ +0 +60 % +0 % +40 % +0 % +0 % +- +2 +3 +0 +0 +1 +0 +1$'
known 'worker 1' '^ +1 +20 % +10 % +0 % +20 % +0 % +- +1 +1 +1 +1 +0 +0 +1$'
known 'all workers' '^ +all +40 % +5\.0 % +20 % +10 % +0 % +- +3 +4 +1 +1 +1 +0 +2$'
known 'no worker running' '^ +0 +40 % +400 us$'
known 'one worker running' '^ +1 +40 % +400 us$'
known 'two workers running' '^ +2 +20 % +200 us$'
known 'a task of one piece' '^ +1 +1 +400 us +400 us +200 us  root, known\.c:3$'
known 'a task of several' '^ +2 +3 +400 us +200 us +200 us  leaf, known\.c:9$'
known 'lengths' '^ +below 300 us +3$'
known 'the median of stolen pieces' '^Pieces by length; median 200 us, of stolen ones 200 us$'
known 'steals by distance' '^ +cache +1$'
known 'the steal rate' '^ +1 +1 +- +- +1000\.0$'
known 'the matrix of steals' '^ +1 +1 +0$'
known 'regions' '^regions 1$'
known 'exposures' '^exposures_answered 1$'
known 'resumptions' '^resumptions 1$'
known 'why: outside' '^- For 40 % of the time \(400 us\) there was no task and no ws_run\(\) under way: the threads that submit$'
known 'why: one worker' '^- For 40 % of the time \(400 us\) only one worker ran a task'
known 'why: surplus' '^- Workers were surplus for 10 % of their time'
known 'why: unequal' '^- Worker 0 ran tasks for 600 us, worker 1 for 200 us only\.$'

# The counters of a trace: tries that failed, and steals that were dropped.
sed '1s/"to"/"steals":[0,5,0],"steals_failed":[2,15,0],"to"/' "$tmp/known.json" >"$tmp/counted.json"
rates() {
    check "steal rate: $1" sh -c 'pattern=$1; shift; "$@" | sed -n "/^Steal rate/,/^\$/p" | grep -Eqx -e "$pattern"' sh "$2" \
        $view --format text "$tmp/$3.json"
}
rates 'of attempts' ' +1 +5 +20 +25 % +5000\.0' counted
rates 'no success' ' +0 +0 +2 +0 % +0\.0' counted
rates 'of all' ' +all +5 +22 +23 % +5000\.0' counted
sed '1s/"to":2000/"to":1000/; 1s/\[2,15,0\]/[0,15,0]/' "$tmp/counted.json" >"$tmp/moment.json"
rates 'no attempts' ' +0 +0 +0 +- +-' moment
rates 'no time' ' +1 +5 +20 +25 % +-' moment

# A leaf that is alone for more than half of the time in which one worker runs.
sed '12s/"dur":100/"dur":500/; 14d' "$tmp/known.json" >"$tmp/stretch.json"
check 'why: one stretch' shows 'It was leaf \(known\.c:9\) in 75 % of that time, most of it at one stretch\.$' \
    $view --format text "$tmp/stretch.json"
check 'why: not one stretch' sh -c '! "$@" | grep -q stretch' sh $view --format text "$tmp/known.json"

# The region that ends with the trace; thieves who force; steals of little.
sed '10s/1400\.000/2000.000/' "$tmp/known.json" >"$tmp/region.json"
check 'why: blocked' shows '^- For 40 % of the time \(400 us\) a ws_run\(\) was under way but no worker ran a task' \
    $view --format text "$tmp/region.json"
check 'why: not outside' sh -c '! "$@" | grep -q "no ws_run"' sh $view --format text "$tmp/region.json"
awk 'NR == 18 { request = force = steal = $0; sub(/"steal"/, "\"expose request\"", request)
        sub(/"steal"/, "\"expose force\"", force)
        for (i = 0; i < 12; i++) print request "\n" force
        for (i = 0; i < 100; i++) print steal }
    { if (NR == 21) sub(/"dur":200/, "\"dur\":2"); print }' "$tmp/known.json" >"$tmp/small.json"
check 'why: small pieces' shows '^- 101 steals of pieces of 2\.00 us \(median\): too small' $view --format text "$tmp/small.json"
check 'why: forced' shows '^- Owners did not answer 12 of 12 thieves' $view --format text "$tmp/small.json"

# The same in the page, and its data.
$view "$tmp/known.json" >"$tmp/known.html"
in_page() {
    check "page: $1" grep -Eq -e "$2" "$tmp/known.html"
}
in_page 'the summary' '^<li>For 40 % of the time \(400 us\) only one worker ran a task'
in_page 'tasks' '^<tr><td>leaf</td><td>known\.c:9</td><td>2</td><td>3</td><td>400 us</td><td>200 us</td><td>200 us</td></tr>$'
in_page 'workers' '^<tr><td>1</td><td>20 %</td><td>10 %</td><td>0 %</td><td>20 %</td><td>0 %</td><td>-</td><td>1</td>'
in_page 'the length' '^\{"length":1000000,"workers":2,$'
in_page 'worker 0' '^"lanes":\[\[0,400000,4,1,0,1,0,100000,5,1,0,4,0,100000,5,1,1,1,0,400000,1\],$'
in_page 'worker 1' '^\[0,100000,0,0,200000,5,2,0,1,500000,200000,2\],$'
in_page 'steals' '^"arrows":\[0,0,90000,1,100000\],$'
in_page 'regions' '^"regions":\[0,400000\]\}$'
in_page 'the histogram of steals' '<title>worker 1: 1</title><rect class=.steals.'
in_page 'the matrix' '<title>thief 1, victim 0: 1 steal</title>'
in_page 'utilisation' '<title>worker 1: running 20 % searching 10 % parked 0 % surplus 20 % woken 0 %</title>'
in_page 'parallelism' '<title>workers running 2: 20 %</title>'

in_page 'a legend of what there is' '^<span class="key surplus"></span>surplus$'
check 'page: ... and of nothing else' sh -c '! grep -q "key woken\|key resume" "$1"' sh "$tmp/known.html"
check 'page: the same without a script' sh -c 'grep -q ">surplus</text>" "$1" && ! grep -q ">woken</text>" "$1"' sh "$tmp/known.html"

# Names stay where they are.
check 'page: a mark ends no script' [ "$(grep -c '</script' "$tmp/known.html")" -eq 2 ]
check 'page: a mark opens no element' sh -c '! grep -q "<b>" "$1"' sh "$tmp/known.html"
check 'page: the mark is there' grep -Fq '"\u003c/script\u003e\u003cb\u003e\u0026\u0022\u0027"' "$tmp/known.html"
sed 's/"leaf"/"<i>\&\\u0001\\u009b\\"'"'"'"/' "$tmp/known.json" >"$tmp/hostile.json"
for format in html svg text; do
    check "$format: hostile names" $view --format $format "$tmp/hostile.json" -o "$tmp/hostile.$format"
    [ $format = text ] || check "$format: no element of theirs" sh -c '! grep -q "<i>" "$1"' sh "$tmp/hostile.$format"
done
check 'text: the name' grep -Fq '<i>&???"' "$tmp/hostile.text"
check 'text: no control characters' sh -c '! tr -d "\n" <"$1" | LC_ALL=C grep -q "[[:cntrl:]]"' sh "$tmp/hostile.text"

# A page needs nothing else.
alone() {
    ! grep -Ein "(src|href|action) *= *[\"']?[^\"'d]|url\\(|@import|wss?:|fetch\\(|XMLHttp|import\\(" "$1" &&
        [ "$(grep -Eo 'https?:[^ ]*' "$1" | sort -u)" = "$2" ]
}
check 'page: nothing from elsewhere' alone "$tmp/known.html" ''
check 'picture: nothing from elsewhere' alone "$tmp/hostile.svg" "http://www.w3.org/2000/svg'"

well_formed() {
    if command -v xmllint >/dev/null; then
        xmllint --noout "$1"
    else # at least as many elements end as begin
        [ "$(grep -Eo '<(svg|g|text|title|style)( |>)' "$1" | wc -l)" -eq "$(grep -Eo '</(svg|g|text|title|style)>' "$1" | wc -l)" ]
    fi
}
check 'picture: XML' well_formed "$tmp/hostile.svg"
check 'picture: lanes' grep -q '>worker 1</text>' "$tmp/hostile.svg"
check 'picture: the matrix' grep -q '<title>thief 1, victim 0: 1 steal</title>' "$tmp/hostile.svg"
check 'picture: utilisation' grep -q '<title>worker 1: running 20 % searching 10 %' "$tmp/hostile.svg"

# Where it goes.
$view --format svg "$tmp/known.json" >"$tmp/stdout.svg"
check '-o' $view --format svg -o "$tmp/output.svg" "$tmp/known.json"
check '-o writes the same' cmp "$tmp/stdout.svg" "$tmp/output.svg"
check 'stdin' sh -c '"$@" - <"$0" | grep -q "^stdin, by libwsfj"' "$tmp/known.json" $view --format text
check 'no such folder' refuses 1 '^wsfj-view: /nonexistent/x: No such file' $view -o /nonexistent/x "$tmp/known.json"
[ ! -w /dev/full ] || check 'a full disk' refuses 1 '^wsfj-view: /dev/full: No space' $view -o /dev/full "$tmp/known.json"

[ ! -w /dev/full ] || check 'no room for the help' sh -c '"$@" --help >/dev/full 2>"$0" && exit 1; grep -q "^wsfj-view: stdout: No space" "$0"' \
    "$tmp/full" $view
check 'help' shows '^Usage: wsfj-view' $view --help
check 'version' shows '^wsfj-view [0-9]+\.[0-9]+\.[0-9]+$' $view --version
check 'no file' refuses 2 '^wsfj-view: no file given$' $view
check 'two files' refuses 1 '^wsfj-view: .* are the same trace$' $view "$tmp/known.json" "$tmp/known.json"
check 'no such format' refuses 2 '^wsfj-view: --format is html, svg, text or log, not png$' $view --format png "$tmp/known.json"
check 'no such option' refuses 2 'elephants' $view --elephants "$tmp/known.json"

# Nothing in it, and many workers.
sed '2,$d; s/$/\n]}/' "$tmp/known.json" >"$tmp/empty.json"
check 'an empty trace' shows '^- There is no task in it' $view --format text "$tmp/empty.json"
check 'an empty trace as a page' shows '^<li>There is no task in it' $view "$tmp/empty.json"
awk 'NR == 1 { for (i = 0; i < 4096; i++) zeros = zeros "0,"; sub(/\[0,0,0\]/, "[" zeros "0]"); sub(/"workers":2/, "\"workers\":4096") }
    { print }' "$tmp/known.json" >"$tmp/wide.json"
for format in html svg text; do
    check "$format: 4096 workers" $view --format $format "$tmp/wide.json" -o "$tmp/wide.$format"
done
check 'picture: XML of 4096 workers' well_formed "$tmp/wide.svg"
check 'text: 4096 workers' grep -q '64 workers in each$' "$tmp/wide.text"

# A profile: 1000 units of work, a span of 10 or, with burdens, 20; and a column that is new.
cat >"$tmp/profile.csv" <<'END'
kind,file,line,task,count,work,span,burdened_span,strands,new,unit
total,"",0,"",7,1000,10,20,50,x,units
site,"/a/b<c>.c",12,"so ""called"", </title>",3,800,8,16,40,,units
END
check 'profile: bounds' shows '^ +4 +3\.52 +4\.00$' $view --format text "$tmp/profile.csv"
check 'profile: more workers than parallelism' shows '^ +1024 +28\.5[0-9] +100\.00$' $view --format text "$tmp/profile.csv"
check 'profile: in words' shows '^- Work 1000, span 10: parallelism 100\.0\.' $view --format text "$tmp/profile.csv"
check 'profile: checked' shows '^a profile of 1 site, nothing wrong$' $view --check "$tmp/profile.csv"
check 'profile: a site' shows '^ +3 +800 +8 +100\.00 +50\.00 +20  so "called", </title>, b<c>\.c:12$' \
    $view --format text "$tmp/profile.csv"
check 'profile: a page' shows '^<tr><td>so &quot;called&quot;, &lt;/title&gt;</td><td>b&lt;c&gt;\.c:12</td><td>3</td><td>800</td>' \
    $view "$tmp/profile.csv"
$view "$tmp/profile.csv" >"$tmp/profile.html"
check 'profile: nothing from elsewhere' alone "$tmp/profile.html" ''
$view --format svg "$tmp/profile.csv" >"$tmp/profile.svg"
check 'profile: XML' well_formed "$tmp/profile.svg"
check 'profile: curves' [ "$(grep -Eo "class='(most|least)' d=" "$tmp/profile.svg" | wc -l)" -eq 2 ]
# One worker is slower than the serial program: its curve begins below 1.
below_one() {
    awk 'function y(class) { sub(".*class=\047" class "\047 d=\047M[0-9.]* ", ""); return $0 + 0 }
        /Speed-up/ { line = $0; least = y("least"); $0 = line; most = y("most") }
        END { exit !(most > 0 && least > most + 1) }' "$tmp/profile.svg"
}
check 'profile: the axis' grep -q '>1/2</text>' "$tmp/profile.svg"
check 'profile: below 1' below_one
# 100 of blocked time besides: 4 workers share out the work alone.
sed '1s/new/blocked/; 2s/x/100/; 3s/,,units/,80,units/' "$tmp/profile.csv" >"$tmp/blocked.csv"
check 'profile: blocked time' shows '^ +4 +3\.87 +4\.40$' $view --format text "$tmp/blocked.csv"
check 'profile: and the parallelism' shows '^ +1024 +31\.4[0-9] +110\.00$' $view --format text "$tmp/blocked.csv"
check 'profile: blocked, in words' shows '^- Work 1000, blocked 100, span 10: parallelism 110\.0\.' \
    $view --format text "$tmp/blocked.csv"
check 'profile: blocked at a site' shows '^ +3 +800 +8 +110\.00 +55\.00 ' $view --format text "$tmp/blocked.csv"
check 'profile: it ends in a verdict' sh -c '[ "$("$@" | tail -n 2 | head -n 1)" = "$0" ]' \
    '- The parallelism is 100.0, with the burden 50.0: enough for 29 workers, and more than 100 gain nothing.' \
    $view --format text "$tmp/profile.csv"
check 'profile: the longest task is not known' shows '^- Most work is spawned as so "called", </title> at b<c>\.c:12\.$' \
    $view --format text "$tmp/profile.csv"
sed '1s/,new,/,new,longest,program,/; 2s/,x,/,x,,"a<b>",/; 3s/,,units/,,9,,units/' "$tmp/profile.csv" >"$tmp/named.csv"
check 'profile: the longest task' shows '^- One task, so "called", </title> at b<c>\.c:12, is 90 % as long as the span: shorten what it and the tasks inside it' \
    $view --format text "$tmp/named.csv"
check 'profile: the program' shows '^a<b>, named\.csv$' $view --format text "$tmp/named.csv"
check 'profile: the program on the page' shows '^a&lt;b&gt;, named\.csv</h1>$' $view "$tmp/named.csv"
check 'profile: a verdict on the page' shows '^<li>One task, so &quot;called&quot;, &lt;/title&gt; at b&lt;c&gt;\.c:12, is 90 % as' \
    $view "$tmp/named.csv"
check 'profile: the program in the picture' shows "class='title' x='20' y='28'>a&lt;b&gt;, named\.csv</text>" \
    $view --format svg "$tmp/named.csv"
# Spans in doubt: from 8 to 12.
sed '1s/,new,/,span_least,span_most,/; 2s/,x,/,8,12,/; 3s/,,units/,,,units/' "$tmp/profile.csv" >"$tmp/doubt.csv"
check 'profile: a span in doubt' shows '^- Work 1000, span 8 to 12: parallelism 83 to 120\. No number of workers makes it more than 120 times as fast; with what steals cost, 56\.$' \
    $view --format text "$tmp/doubt.csv"
check 'profile: its verdict' shows '^- The parallelism is 83 to 120, with the burden 45 to 56: enough for 26 workers, and more than 125 gain' \
    $view --format text "$tmp/doubt.csv"
check 'profile: the worse bound' shows '^ +4 +3\.5 +4\.00$' $view --format text "$tmp/doubt.csv"
check 'profile: the better bound' shows '^ +1024 +26 +120$' $view --format text "$tmp/doubt.csv"
sed '2s/,8,12,/,1,30,/' "$tmp/doubt.csv" >"$tmp/wide.csv"
check 'profile: too much doubt' shows '^- The parallelism is 33 to 1000, .* too wide a range for a verdict' $view --format text "$tmp/wide.csv"
check 'profile: too much doubt on the page' shows '^<li>The parallelism is .* too wide a range for a verdict' $view "$tmp/wide.csv"
sed '2s/,8,12,/,11,12,/' "$tmp/doubt.csv" >"$tmp/beside.csv"
check 'profile: a span beside its range' refuses 1 'beside\.csv:2:1: span is not from span_least to span_most$' $view "$tmp/beside.csv"
sed '3s/,9,,units/,long,,units/' "$tmp/named.csv" >"$tmp/long.csv"
check 'profile: a longest task that is no number' refuses 1 'long\.csv:3:1: longest is long, which is no number' $view "$tmp/long.csv"
# By the clock, with an error, a region that had not ended, and a site whose span is longer than the program's.
sed '1s/,new,/,regions,unfinished,steal,join,measured,sampled,error,/; 2s/,x,units/,3,1,1000,2000000,1,0.5,0.25,ns/
    3s/,800,8,/,800,11,/; 3s/,,units/,,,,,,,,ns/' "$tmp/profile.csv" >"$tmp/clock.csv"
check 'profile: what there was' shows '^- 3 regions, of which 1 had not ended at exit, 7 spawns, 50 strands of 20 ns on average; burdened span 20 ns\.$' \
    $view --format text "$tmp/clock.csv"
check 'profile: how it was measured' shows '^- A steal counts 1\.00 us, a suspended join 2\.00 ms \(measured\)\. 50\.0 % of the work is sampled, with a standard error of 25\.00 % of it\. rough: .*WSFJ_PROFILE_UNIT=1 ' \
    $view --format text "$tmp/clock.csv"
check 'profile: a long site' shows "^- A site's span is the sum of its children's spans, .* longer than the program's\.\$" \
    $view --format text "$tmp/clock.csv"
check 'profile: the same on the page' sh -c '"$@" | grep -c "^<li>3 regions, \|^<li>A steal counts .* rough: \|^<p>A site.s span" | grep -qx 3' sh \
    $view "$tmp/clock.csv"
sed '2s/,1,0.5,0.25,/,0,0.5,0.2,/; 2s/,3,1,/,1,0,/; 3s/,800,11,/,800,10,/' "$tmp/clock.csv" >"$tmp/fine.csv"
check 'profile: not measured' shows '^- A steal counts .* \(not measured there\)\. .* error of 20\.00 % of it\.$' $view --format text "$tmp/fine.csv"
check 'profile: one region' shows '^- 1 region, 7 spawns, ' $view --format text "$tmp/fine.csv"
check 'profile: no long site' sh -c '! "$@" | grep -q "span is the sum"' sh $view --format text "$tmp/fine.csv"
sed '1s/,new,/,regions,unfinished,steal,join,measured,sampled,error,/; 2s/,x,/,2,0,1,1,0,0,0,/; 3s/,,units/,,,,,,,,units/' \
    "$tmp/profile.csv" >"$tmp/units.csv"
check 'profile: in units' shows '^- In units: each task costs 1, each steal 1, each suspended join 1\.$' $view --format text "$tmp/units.csv"
check 'profile: an older one' shows '^- 7 spawns, 50 strands of 20 on average; burdened span 20\.$' $view --format text "$tmp/profile.csv"
check 'profile: a burdened span in doubt' shows '; burdened span 18 to 22\.$' $view --format text "$tmp/doubt.csv"
sed '2s/,0.25,/,much,/' "$tmp/clock.csv" >"$tmp/much.csv"
check 'profile: an error that is no number' refuses 1 'much\.csv:2:1: error is much, which is no number' $view "$tmp/much.csv"
# changed PLACE PATTERN SED-SCRIPT
changed() {
    sed "$3" "$tmp/profile.csv" >"$tmp/broken.csv"
    check "profile: $2" refuses 1 "broken.csv:$1: $2" $view "$tmp/broken.csv"
}
changed 1:1 'not a profile of libwsfj: there is no column span' '1s/,span/,space/'
changed 2:1 'work is many, which is no number' '2s/1000/many/'
changed 2:1 'work is inf, which is no number' '2s/1000/inf/'
changed 2:1 'work is -5, which is no number' '2s/1000/-5/'
changed 3:1 'unit is miles' '3s/units/miles/'
changed 3:1 '10 columns instead of 11' '3s/,units//'
changed 3:1 'a second total' '3s/site/total/'
changed 3:1 'kind is neither' '3s/site/sum/'
changed 2:1 'there is no row of kind total' '2,3d'
changed 3:62 'a quote without an end' '3s/units/"units/'
printf 'kind,file,line,task,count,work' >"$tmp/cut.csv"
check 'profile: cut short' refuses 1 'cut.csv:1:31: the file ends here, cut short' $view "$tmp/cut.csv"

# A real one: what the runtime itself has counted.
same_counters() {
    $view --format text "$tmp/real.json" >"$tmp/real.text" || return
    sed 's/^ *//; s/  */ /g' "$tmp/real.text" >"$tmp/shown"
    [ "$(wc -l <"$tmp/counters")" -eq 20 ] || return
    while read -r line; do
        grep -Fqx -e "$line" "$tmp/shown" && continue
        echo "not there: $line"
        cat "$tmp/real.text"
        return 1
    done <"$tmp/counters"
}
# Pieces of tasks in the page's data: slices with six numbers.
pieces() {
    sed -n '/^"lanes":/,/^"events":/p' "$tmp/real.html" | sed '$d; s/"lanes"://; s/[][]//g' |
        awk -F, '{ for (i = 1; i + 2 <= NF && $(i + 2) != ""; i += $(i + 2) > 3 ? 6 : 3) n += $(i + 2) > 3 } END { print n + 0 }'
}
check 'a program' make_program
check 'it runs' record "$tmp/real.json"
check 'the counters of the runtime' same_counters
check 'it has done something' grep -Eq '^tasks 20[0-9][0-9]$' "$tmp/counters"
check 'its steals' \
    [ "$(awk '/^Steal rate/ { here = 1 } here && $1 == "all" { print "steals", $2; exit }' "$tmp/real.text")" = "$(grep '^steals' "$tmp/counters")" ]
check 'its marks' grep -qx 'marks 6' "$tmp/real.text"
check 'its page' $view "$tmp/real.json" -o "$tmp/real.html"
check 'page: as many pieces' [ "$(pieces)" = "$(awk '$1 == "all" { print $15 }' "$tmp/real.text")" ]
WSFJ_TRACE_EVENTS=1024 WSFJ_STATS=1
export WSFJ_TRACE_EVENTS WSFJ_STATS
check 'it runs, dropping events' record "$tmp/dropped.json"
unset WSFJ_TRACE_EVENTS WSFJ_STATS
rates 'the counters, also of dropped events' " +all +$(awk '/^libwsfj: steals of each/ { here = 1 }
    here && $1 == "all" { print $2 " +" $3 }' "$tmp/said") .*" dropped
check 'its picture' $view --format svg "$tmp/real.json" -o "$tmp/real.svg"
check 'picture: XML of a real trace' well_formed "$tmp/real.svg"
finish
