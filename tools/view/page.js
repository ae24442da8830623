"use strict";
/* The time line: how many workers run, then a lane for each, with a heading for each rank of an MPI job. Slices narrower than a pixel are summed up by pixel. */
const data = JSON.parse(document.getElementById("data").textContent);
const box = document.getElementById("timeline"), canvas = document.getElementById("lanes");
const tip = document.getElementById("tip"), pen = canvas.getContext("2d");
const IDLE_NAMES = 4; /* searching, parked, surplus, woken; the others are tasks */
const LEFT = 84, CURVE = 64, RULER = 24, BAND = 8, ARROWS_MOST = 600, EVENTS_MOST = 300;
const lanes = data.lanes.slice(0, data.workers).map(unpack);
const row = data.workers <= 32 ? 24 : data.workers <= 128 ? 12 : data.workers <= 512 ? 6 : 3;
const lanesTop = CURVE + RULER + BAND + 8, least = 20; /* nanoseconds across */
const arrows = data.arrows.concat(data.messages);
let from = 0, to = Math.max(data.length, 1), colours = {}, wanted = false;

/* Turns the flat list of a lane into columns. */
function unpack(flat) {
    const begin = [], end = [], name = [], stack = [], part = [], why = [];
    let at = 0;

    for (let i = 0; i < flat.length;) {
        const isTask = flat[i + 2] >= IDLE_NAMES;

        begin.push(at += flat[i]);
        end.push(at += flat[i + 1]);
        name.push(flat[i + 2]);
        stack.push(isTask ? flat[i + 3] : 0);
        part.push(isTask ? flat[i + 4] : 0);
        why.push(isTask ? flat[i + 5] : 0);
        i += isTask ? 6 : 3;
    }
    return { begin: Float64Array.from(begin), end: Float64Array.from(end), name: Uint32Array.from(name),
        stack: Uint32Array.from(stack), part: Uint32Array.from(part), why: Uint8Array.from(why) };
}

/* The first slice that ends after the moment. */
function firstAfter(lane, at) {
    let low = 0, high = lane.end.length;

    while (low < high) {
        const middle = (low + high) >> 1;

        if (lane.end[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

function timeText(ns, step) {
    const units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
    const [unit, name] = units.find(u => Math.abs(ns) >= u[0]) || units[3];
    const digits = step ? Math.max(0, Math.ceil(Math.log10(unit / step) - 1e-9)) : ns / unit < 10 && unit > 1 ? 2 : 1;

    return (ns / unit).toFixed(unit === 1 && !step ? 0 : Math.min(digits, 9)) + " " + name;
}

function readColours() {
    const style = getComputedStyle(document.documentElement);

    for (const key of ["paper", "ink", "quiet", "line", "ground", "running", "searching", "parked", "surplus", "woken",
        "mark", "steals"])
        colours[key] = style.getPropertyValue("--" + key).trim();
}

function colourOf(name) {
    return [colours.searching, colours.parked, colours.surplus, colours.woken][name] || colours.running;
}

/* An edge separates neighbours of the same colour; tasks of other names differ in lightness. */
function shadeOf(name) {
    return name < IDLE_NAMES ? 1 : [1, 0.84, 0.92, 0.76][name % 4];
}

const xOf = (ns, width) => LEFT + (ns - from) / (to - from) * (width - LEFT);
const nsOf = (x, width) => from + (x - LEFT) / (width - LEFT) * (to - from);

function size() {
    const width = box.clientWidth, height = lanesTop + row * data.workers + HEAD * ranks.length + 6;
    const scale = height > 8000 ? 1 : window.devicePixelRatio || 1;

    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(height * scale);
        canvas.style.height = height + "px";
    }
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    return [width, height];
}

/* Draws wide slices one by one; of the rest, only how much of each pixel they fill. */
function drawLane(index, width, running) {
    const lane = lanes[index], y = tops[index], height = Math.max(row - 2, 2), columns = Math.ceil(width - LEFT);
    const filled = [0, 1, 2, 3, 4].map(() => new Float32Array(columns + 1)), perPixel = (to - from) / (width - LEFT);

    pen.fillStyle = colours.ground;
    pen.fillRect(LEFT, y, width - LEFT, height);
    for (let i = firstAfter(lane, from); i < lane.begin.length && lane.begin[i] < to; i++) {
        const begin = Math.max(lane.begin[i], from), end = Math.min(lane.end[i], to), name = lane.name[i];
        const x = (begin - from) / perPixel, edge = (end - from) / perPixel, what = name < IDLE_NAMES ? name + 1 : 0;

        for (let p = Math.floor(x); what === 0 && p < edge && p < columns; p++)
            running[p] += Math.min(edge, p + 1) - Math.max(x, p);
        if (edge - x < 2) {
            for (let p = Math.floor(x); p < edge && p < columns; p++)
                filled[what][p] += Math.min(edge, p + 1) - Math.max(x, p);
            continue;
        }
        pen.globalAlpha = shadeOf(name);
        pen.fillStyle = colourOf(name);
        pen.fillRect(LEFT + x, y, edge - x - (edge - x > 4 ? 1 : 0), height);
        pen.globalAlpha = 1;
        if (what === 0 && edge - x > 50 && row >= 20)
            label(data.names[name][0], LEFT + x + 4, y + height / 2 + 4, edge - x - 8);
    }
    for (let what = 0; what <= IDLE_NAMES; what++) {
        pen.fillStyle = colourOf(what ? what - 1 : IDLE_NAMES);
        for (let p = 0; p < columns; p++) {
            if (filled[what][p] > 0.002) {
                const part = height * Math.min(filled[what][p], 1);
                const below = height * Math.min(filled.slice(0, what).reduce((sum, f) => sum + f[p], 0), 1);

                pen.fillRect(LEFT + p, y + height - below - part, 1, part);
            }
        }
    }
    if (row >= 12 || index % Math.ceil(12 / row) === 0) {
        pen.fillStyle = colours.quiet;
        pen.textAlign = "right";
        pen.fillText("worker " + numberOf(index), LEFT - 8, y + height / 2 + 4);
    }
}

function label(text, x, y, room) {
    pen.save();
    pen.beginPath();
    pen.rect(x, y - 14, room, 20);
    pen.clip();
    pen.fillStyle = colours.paper;
    pen.textAlign = "left";
    pen.fillText(text, x, y);
    pen.restore();
}

function drawCurve(running, width) {
    const height = CURVE - 12;

    pen.fillStyle = colours.running;
    for (let p = 0; p < width - LEFT; p++) {
        const part = height * Math.min(running[p] / data.workers, 1);

        pen.fillRect(LEFT + p, CURVE - part, 1, part);
    }
    pen.strokeStyle = colours.line;
    pen.beginPath();
    pen.moveTo(LEFT, CURVE - height + 0.5);
    pen.lineTo(width, CURVE - height + 0.5);
    pen.moveTo(LEFT, CURVE + 0.5);
    pen.lineTo(width, CURVE + 0.5);
    pen.stroke();
    pen.fillStyle = colours.quiet;
    pen.textAlign = "right";
    pen.fillText("running", LEFT - 8, CURVE - height / 2 + 4);
    pen.fillText(String(data.workers), LEFT - 8, CURVE - height + 5);
    pen.fillText("0", LEFT - 8, CURVE + 2);
}

function drawRuler(width, height) {
    const rough = (to - from) / Math.max((width - LEFT) / 110, 1), power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max([1, 2, 5, 10].find(f => f * power >= rough) * power, 1);

    pen.textAlign = "center";
    pen.strokeStyle = colours.line;
    for (let ns = Math.ceil(from / step) * step; ns <= to; ns += step) {
        const x = xOf(ns, width);

        pen.beginPath();
        pen.moveTo(x, CURVE);
        pen.lineTo(x, CURVE + 6);
        pen.stroke();
        pen.fillStyle = colours.quiet;
        pen.fillText(ns === 0 ? "0" : timeText(ns, step), Math.min(Math.max(x, LEFT + 10), width - 32), CURVE + 18);
    }
    pen.fillStyle = colours.quiet;
    pen.textAlign = "right";
    pen.fillText("ws_run()", LEFT - 8, CURVE + RULER + BAND);
    pen.fillStyle = colours.steals;
    for (let i = 0; i < data.regions.length; i += 2) {
        if (data.regions[i] < to && data.regions[i + 1] > from) {
            const x = Math.max(xOf(data.regions[i], width), LEFT), edge = Math.min(xOf(data.regions[i + 1], width), width);

            pen.fillRect(x, CURVE + RULER + 2, Math.max(edge - x, 1), BAND - 2);
        }
    }
}

/* Nothing if there are too many to be useful. */
function drawArrows(width) {
    const seen = [];

    for (let i = 0; i < arrows.length && seen.length <= ARROWS_MOST; i += 5) {
        if (Math.max(arrows[i + 2], arrows[i + 4]) >= from && Math.min(arrows[i + 2], arrows[i + 4]) <= to)
            seen.push(i);
    }
    if (seen.length > ARROWS_MOST)
        return 0;
    for (const i of seen) {
        const [kind, lane, at, goal, then] = arrows.slice(i, i + 5);
        const x = xOf(at, width), y = middleOf(lane), edge = xOf(then, width), end = middleOf(goal);

        pen.strokeStyle = pen.fillStyle = [colours.steals, colours.ink, colours.mark][kind];
        pen.beginPath();
        pen.moveTo(x, y);
        pen.bezierCurveTo(x + 12, (y + end) / 2, edge - 12, (y + end) / 2, edge, end);
        pen.stroke();
        pen.beginPath();
        pen.arc(edge, end, 2.5, 0, 7);
        pen.fill();
    }
    return seen.length;
}

function eachEvent(visit) {
    for (let i = 0; i < data.events.length; i += 7) {
        if (data.events[i + 1] >= from && data.events[i + 1] <= to)
            visit(data.events[i], data.events[i + 1], data.events[i + 2], i);
    }
}

/* Draws the program's marks always, other events as ticks if there are few. */
function drawEvents(width) {
    let count = 0;

    eachEvent(() => count++);
    eachEvent((lane, at, event, i) => {
        const x = xOf(at, width), y = eventsTop(lane), isInBand = lane >= data.workers && !ranks.length;

        if (event === data.mark && !isMessage(i)) {
            pen.fillStyle = colours.mark;
            pen.fillRect(x - 0.75, isInBand ? CURVE + RULER : y, 1.5, isInBand ? BAND + 6 : Math.max(row - 2, 4));
            pen.beginPath();
            pen.moveTo(x - 4, y - 3);
            pen.lineTo(x + 4, y - 3);
            pen.lineTo(x, y + 4);
            pen.fill();
        } else if (count <= EVENTS_MOST && !isInBand) {
            pen.fillStyle = colours.ink;
            pen.fillRect(x, y, 1, Math.min(row - 2, 5));
        }
    });
}

function draw() {
    const [width, height] = size(), running = new Float32Array(Math.ceil(width - LEFT) + 1);

    wanted = false;
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, width, height);
    for (let i = 0; i < data.workers; i++)
        drawLane(i, width, running);
    drawCurve(running, width);
    drawHeads(width);
    drawRuler(width, height);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, 0, width - LEFT, height);
    pen.clip();
    canvas.dataset.arrows = drawArrows(width);
    drawEvents(width);
    pen.restore();
    canvas.dataset.from = Math.round(from);
    canvas.dataset.to = Math.round(to);
}

function redraw() {
    if (!wanted)
        requestAnimationFrame(draw);
    wanted = true;
}
