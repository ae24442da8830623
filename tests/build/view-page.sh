#!/bin/sh
# SPDX-License-Identifier: MIT
# view-page.sh - the page of wsfj-view in a browser: nothing goes wrong in its script, the lanes have the right colours,
# keys, wheel and pointer do what they should. Runs in the build directory. Environment: as `traces` says; CHROMIUM.
#
# Catches: a script that does not run or stops; data that the script reads otherwise than the program writes it; slices on
# the wrong lane or at the wrong time; a page that cannot be zoomed.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/build/traces"
for name in ${CHROMIUM-chromium-headless-shell chromium}; do
    ! command -v "$name" >/dev/null || browser=$name
done
known_trace >"$tmp/known.json"
$view "$tmp/known.json" >"$tmp/known.html"

# browse OPTION... FILE[#...]: what the browser says, its document, a picture. It has no network, and a minute.
browse() {
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,1000 --enable-logging=stderr \
        --user-data-dir="$tmp/profile" --host-resolver-rules='MAP * ~NOTFOUND' --virtual-time-budget=5000 "$@" 2>"$tmp/log"
}
if [ -z "${browser-}" ] || ! echo '<p>works' >"$tmp/try.html" || ! browse --dump-dom "file://$tmp/try.html" | grep -q works; then
    echo 'skipped: no browser works here (Debian: chromium-headless-shell, or chromium)'
    exit 77
fi

# What a user would do, and what there is to see: one line of the page for each.
cat >"$tmp/user.js" <<'END'
window.requestAnimationFrame = draw => setTimeout(draw, 0); // frames do not come with virtual time
(async () => {
    const canvas = document.getElementById("lanes"), tip = document.getElementById("tip"), width = canvas.clientWidth;
    const style = getComputedStyle(document.documentElement), report = document.createElement("pre"), left = 84;
    const names = ["ground", "running", "searching", "parked", "surplus", "woken"];
    const bytes = text => [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16));
    const colour = name => {
        const text = style.getPropertyValue("--" + name).trim();
        return bytes(text.length === 4 ? text.replace(/[0-9a-f]/g, "$&$&") : text);
    };
    const yOf = lane => 104 + 24 * lane + 8, xOf = share => left + share * (width - left);
    const nearest = (lane, share) => {
        const scale = canvas.width / width, pixel = canvas.getContext("2d").getImageData(xOf(share) * scale, yOf(lane) * scale, 1, 1).data;
        const far = name => colour(name).reduce((sum, c, i) => sum + Math.abs(c - pixel[i]), 0);
        return names.sort((a, b) => far(a) - far(b))[0];
    };
    const say = (what, value) => { report.textContent += "\nsaw " + what + ": " + value; };
    const rest = () => new Promise(done => setTimeout(done, 50)); // drawn by then
    const range = () => canvas.dataset.from + " " + canvas.dataset.to;
    const at = (x, y) => {
        const frame = canvas.getBoundingClientRect();
        return { clientX: frame.left + x, clientY: frame.top + y, bubbles: true, pointerId: 1, cancelable: true };
    };

    for (const [lane, share] of [[0, 0.2], [0, 0.45], [0, 0.8], [1, 0.05], [1, 0.2], [1, 0.5], [1, 0.9]])
        say("lane " + lane + " at " + share, nearest(lane, share));
    say("range", range());
    say("arrows", canvas.dataset.arrows);
    canvas.dispatchEvent(new PointerEvent("pointermove", at(xOf(0.2), yOf(1))));
    say("task", tip.hidden ? "" : tip.textContent.replace(/\n/g, "|"));
    canvas.dispatchEvent(new PointerEvent("pointermove", at(xOf(0.5), 92)));
    say("mark", tip.hidden ? "" : tip.textContent);
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "+" }));
    await rest();
    say("closer", range());
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    await rest();
    say("right", range());
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "0" }));
    await rest();
    say("all", range());
    canvas.dispatchEvent(new WheelEvent("wheel", { ...at(xOf(0), yOf(0)), deltaY: -120 }));
    await rest();
    say("wheel", range());
    canvas.dispatchEvent(new MouseEvent("dblclick", at(xOf(0.2), yOf(1))));
    await rest();
    say("double click", range());
    location.hash = "#100-200";
    await new Promise(done => window.addEventListener("hashchange", done));
    await rest();
    say("address", range());
    say("there", nearest(1, 0.5));
    report.textContent += "\n";
    document.body.append(report);
})();
END
sed '$d' "$tmp/known.html" | sed '$d' >"$tmp/used.html"
{ echo '<script>'; cat "$tmp/user.js"; echo '</script></body></html>'; } >>"$tmp/used.html"
complains() {
    grep CONSOLE "$tmp/log" | grep -v willReadFrequently # which is about this script's own looks
}
check 'it opens' browse --dump-dom "file://$tmp/known.html"
check 'no complaint' sh -c '! grep CONSOLE "$1"' sh "$tmp/log"
browse --dump-dom "file://$tmp/used.html" >"$tmp/dom"
check 'used: no complaint' [ -z "$(complains)" ]
seen() {
    check "$1" sh -c 'grep -Fqx "saw $2" "$1" || { grep "^saw" "$1"; exit 1; }' sh "$tmp/dom" "$2"
}
seen 'worker 0 runs' 'lane 0 at 0.2: running'
seen 'worker 0 still runs' 'lane 0 at 0.45: running'
seen 'worker 0 sleeps' 'lane 0 at 0.8: parked'
seen 'worker 1 searches' 'lane 1 at 0.05: searching'
seen 'worker 1 runs' 'lane 1 at 0.2: running'
seen 'worker 1 does nothing' 'lane 1 at 0.5: ground'
seen 'worker 1 is surplus' 'lane 1 at 0.9: surplus'
seen 'all of it is shown' 'range: 0 1000000'
seen 'the steal has an arrow' 'arrows: 1'
seen 'a task under the pointer' 'task: worker 1, 200.0 us|leaf (known.c:9) for 200.0 us|stack 2, piece 1, then: done'
check 'a mark under the pointer' grep -q '^saw mark: set the mark "&lt;/script&gt;&lt;b&gt;&amp;"'"'"'" at 500.0 us' "$tmp/dom"
seen '+ zooms' 'closer: 150000 850000'
seen 'an arrow moves' 'right: 290000 990000'
seen '0 shows all' 'all: 0 1000000'
seen 'the wheel zooms where it is' 'wheel: 0 670320'
seen 'a double click shows one piece' 'double click: 80000 320000'
seen 'the address says which part' 'address: 100000 200000'
seen 'that part is there' 'there: running'
check 'the summary' grep -q '^<li>For 40 % of the time (400 us) only one worker ran a task' "$tmp/dom"

# As a picture, in both colours: not one grey field.
for scheme in 0 1; do # dark, light
    check "a picture, $scheme" browse --blink-settings=preferredColorScheme=$scheme --screenshot="$tmp/page$scheme.png" "file://$tmp/known.html"
    check "it shows something, $scheme" [ "$(wc -c <"$tmp/page$scheme.png")" -gt 20000 ]
done
check 'dark is not light' sh -c '! cmp -s "$1" "$2"' sh "$tmp/page0.png" "$tmp/page1.png"

# A real one is drawn, too.
check 'a program' make_program
check 'it runs' record "$tmp/real.json"
$view "$tmp/real.json" >"$tmp/real.html"
browse --dump-dom "file://$tmp/real.html" >"$tmp/dom"
check 'a real one: no complaint' sh -c '! grep CONSOLE "$1"' sh "$tmp/log"
check 'a real one: drawn' grep -Eq '<canvas id="lanes" .*data-to="[1-9][0-9]{6,}"' "$tmp/dom"
finish
