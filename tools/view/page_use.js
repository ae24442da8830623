/* Zoom, movement, and the text under the pointer: keys, wheel and pointer change what page.js draws. */
function show(begin, end) {
    const length = Math.min(Math.max(end - begin, least), Math.max(data.length, 1));

    from = Math.min(Math.max(begin, 0), Math.max(data.length, 1) - length);
    to = from + length;
    tip.hidden = true;
    redraw();
}

function zoom(factor, at) {
    show(at - (at - from) * factor, at + (to - at) * factor);
}

/* Lines about the task's slice, the events and marks at a point. */
function textAt(x, y, width) {
    const at = nsOf(x, width), index = laneAt(y);
    const near = 4 * (to - from) / (width - LEFT), lines = [];

    if (x < LEFT || y < CURVE)
        return "";
    eachEvent((lane, when, event, i) => {
        const here = lane === index || (lane >= data.workers && !ranks.length && y < lanesTop);

        if (here && Math.abs(when - at) <= near && lines.length < 8)
            lines.push(eventText(i) + " at " + timeText(when));
    });
    if (index < 0 || index >= data.workers)
        return lines.join("\n");

    const lane = lanes[index], i = firstAfter(lane, at);

    if (i < lane.begin.length && lane.begin[i] <= at)
        lines.unshift(sliceText(lane, i));
    else
        lines.unshift("nothing");
    return (ranks.length ? "rank " + ranks[rankOf(index)].number + ", " : "") + "worker " + numberOf(index) + ", " + timeText(at) + "\n" + lines.join("\n");
}

function sliceText(lane, i) {
    const [name, where] = data.names[lane.name[i]], length = timeText(lane.end[i] - lane.begin[i]);

    if (lane.name[i] < IDLE_NAMES)
        return name + " for " + length;
    return name + (where ? " (" + where + ")" : "") + " for " + length + "\nstack " + lane.stack[i] + ", piece " +
        (lane.part[i] + 1) + ", then: " + data.ends[lane.why[i]];
}

/* The text of the event's row, with its words. */
function eventText(i) {
    const [text, ...keys] = data.rows[data.events[i + 2]], number = key => data.events[i + 3 + keys.indexOf(key)];
    const words = { name: () => data.names[data.events[i + 6]][0], task: () => "the task on stack " + number("stack"),
        tasks: () => number("tasks") + (number("tasks") === 1 ? " task" : " tasks") };

    return text.replace(/\{(\w+)\}/g, (all, key) => words[key] ? words[key]() : number(key));
}

function place(event) {
    const frame = canvas.getBoundingClientRect();

    return [event.clientX - frame.left, event.clientY - frame.top, frame.width];
}

let dragged = null;

canvas.addEventListener("pointerdown", event => {
    dragged = { x: event.clientX, from, to };
    canvas.setPointerCapture(event.pointerId);
    canvas.style.cursor = "grabbing";
});
canvas.addEventListener("pointerup", () => {
    dragged = null;
    canvas.style.cursor = "";
});
canvas.addEventListener("pointercancel", () => { dragged = null; });
canvas.addEventListener("pointermove", event => {
    const [x, y, width] = place(event);

    if (dragged) {
        const by = (dragged.x - event.clientX) / (width - LEFT) * (dragged.to - dragged.from);

        show(dragged.from + by, dragged.to + by);
        return;
    }
    tip.textContent = textAt(x, y, width);
    tip.hidden = !tip.textContent;
    tip.style.left = Math.max(Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8), 0) + "px";
    tip.style.top = Math.max(Math.min(event.clientY + 16, window.innerHeight - tip.offsetHeight - 8), 0) + "px";
});
canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
canvas.addEventListener("wheel", event => {
    const [x, , width] = place(event);

    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        const by = event.deltaX / (width - LEFT) * (to - from);

        show(from + by, to + by);
    } else {
        zoom(Math.exp(Math.max(Math.min(event.deltaY, 200), -200) / 300), nsOf(Math.max(x, LEFT), width));
    }
}, { passive: false });
canvas.addEventListener("dblclick", event => {
    const [x, y, width] = place(event), lane = lanes[laneAt(y)], at = nsOf(x, width);
    const i = lane ? firstAfter(lane, at) : 0;

    if (lane && i < lane.begin.length && lane.begin[i] <= at) {
        const margin = (lane.end[i] - lane.begin[i]) / 10;

        show(lane.begin[i] - margin, lane.end[i] + margin);
    }
});
canvas.addEventListener("keydown", event => {
    const middle = (from + to) / 2, by = (to - from) / 5;
    const moves = { "+": () => zoom(0.7, middle), "=": () => zoom(0.7, middle), "w": () => zoom(0.7, middle),
        "-": () => zoom(1 / 0.7, middle), "s": () => zoom(1 / 0.7, middle), "0": () => show(0, data.length),
        "Home": () => show(0, data.length), "ArrowLeft": () => show(from - by, to - by),
        "a": () => show(from - by, to - by),
        "ArrowRight": () => show(from + by, to + by), "d": () => show(from + by, to + by) };

    if (moves[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        moves[event.key]();
    }
});
window.addEventListener("resize", redraw);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readColours();
    redraw();
});

/* The address may name a part to show first: page.html#1000-2000, in microseconds. */
function showWhatIsAsked() {
    const asked = /^#([0-9.]+)-([0-9.]+)$/.exec(location.hash);

    if (asked)
        show(asked[1] * 1000, asked[2] * 1000);
}

window.addEventListener("hashchange", showWhatIsAsked);
readColours();
box.hidden = false;
showWhatIsAsked();
draw();
