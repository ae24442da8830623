/* Where the lanes are: each worker has one, and each rank of an MPI job a heading, which is the lane of its other threads. */
const ranks = data.ranks.flatMap((n, i) => i % 2 ? [] : [{ number: n, first: data.ranks[i + 1] }]), HEAD = 18;

/* The index of a lane's rank; -1: the trace is of one process. */
const rankOf = lane => lane < data.workers ? ranks.findLastIndex(r => r.first <= lane) : Math.min(lane - data.workers, ranks.length - 1);
const tops = lanes.map((lane, i) => lanesTop + row * i + HEAD * (rankOf(i) + 1));
const headOf = rank => tops[ranks[rank].first] - HEAD;

/* The lane at a height: a worker's, or of a rank's heading, which is that of its other threads. -1: none. */
function laneAt(y) {
    const lane = tops.findIndex(top => y >= top && y < top + row), rank = ranks.findIndex((r, i) => y >= headOf(i) && y < headOf(i) + HEAD);

    return rank >= 0 ? data.workers + rank : lane;
}

/* Of a worker's lane; else of its rank's heading, or below all lanes. */
function middleOf(lane) {
    if (lane < data.workers)
        return tops[lane] + row / 2 - 1;
    return ranks.length ? headOf(rankOf(lane)) + HEAD / 2 : lanesTop + row * data.workers;
}

/* A worker's number in its rank. */
function numberOf(lane) {
    return ranks.length ? lane - ranks[rankOf(lane)].first : lane;
}

function drawHeads(width) {
    pen.textAlign = "right";
    for (let i = 0; i < ranks.length; i++) {
        pen.fillStyle = colours.line;
        pen.fillRect(LEFT, headOf(i) + HEAD / 2, width - LEFT, 1);
        pen.fillStyle = colours.ink;
        pen.fillText("rank " + ranks[i].number, LEFT - 8, headOf(i) + HEAD / 2 + 4);
    }
}

/* The upper end of where the lane's events are drawn. */
function eventsTop(lane) {
    if (lane < data.workers)
        return tops[lane];
    return ranks.length ? headOf(rankOf(lane)) + 4 : CURVE + RULER + BAND;
}

/* Marks of libwsfj-mpi stand for messages: there may be many. */
const isMessage = i => ranks.length > 0 && data.names[data.events[i + 6]][0].startsWith("MPI ");
