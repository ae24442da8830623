# SPDX-License-Identifier: MIT
"""libwsfj in gdb: backtraces that continue from a stolen task through its parent's stack to main() and show tasks by
their names, and the commands `wsfj break TASK`, `wsfj workers`, `wsfj stacks`, `wsfj bt N`. `make install` puts this
file where gdb loads it; else use `source`. See doc/debugging.md.

It needs only the library's symbol table: wsfj_debugger[] (lib/observe/debugger.c) has the addresses and offsets. It
reads memory and registers only, so it works on cores as on processes. `wsfj break` needs the program's debug
information."""

import re
import select
import time

import gdb
import gdb.unwinder
from gdb.FrameDecorator import FrameDecorator

WORD = 8
CALLEE_SAVED = {
    "x86-64": (["r15", "r14", "r13", "r12", "rbx", "rbp", "rip"], 7 * WORD, "rsp"),
    "aarch64": (["x29", "lr"] + ["x%d" % n for n in range(19, 29)], 160, "sp"),
}
# The register in which the first frame of a stack keeps the stack, and the one that marks a frame between two stacks.
REGISTERS = {"x86-64": ("r13", "r12", "rip", "rsp", "rbp"), "aarch64": ("x20", "x19", "pc", "sp", "x29")}
PARENT_OF, ITSELF = 1, 2
FOREVER = 2**64 - 1
EVENTS = [("in", select.POLLIN), ("out", select.POLLOUT), ("pri", select.POLLPRI), ("rdhup", select.POLLRDHUP)]


class Memory:
    """Reads numbers and strings of the selected process or core."""

    @staticmethod
    def number(address, size=WORD):
        return int.from_bytes(gdb.selected_inferior().read_memory(address, size).tobytes(), "little")

    @staticmethod
    def text(address):
        found = bytearray()
        while len(found) < 4096:
            byte = gdb.selected_inferior().read_memory(address + len(found), 1).tobytes()
            if byte == b"\0":
                break
            found += byte
        return found.decode("utf-8", "replace")


def word_at(address, meaning):
    """What a word of the program's memory means; None if it is not mapped any more."""
    try:
        return meaning(Memory.number(address))
    except gdb.MemoryError:
        return None


def clock():
    """The clock of the selected process, in nanoseconds; None: it is a core, or runs on another machine."""
    connection = getattr(gdb.selected_inferior(), "connection", None)
    return int(time.clock_gettime(time.CLOCK_MONOTONIC) * 1e9) if connection and connection.type == "native" else None


def seconds(nanoseconds):
    return "%.1f s" % max(0, nanoseconds / 1e9)


class Facts:
    """The table wsfj_debugger[]: numbers and addresses by name."""

    def __init__(self, table):
        self.numbers = {}
        self.addresses = {}
        while len(self.numbers) < 1000:
            name = Memory.number(table)
            if not name:
                break
            name = Memory.text(name)
            self.addresses[name] = Memory.number(table + WORD)
            self.numbers[name] = Memory.number(table + 2 * WORD)
            table += 3 * WORD
        if "libwsfj" not in self.numbers:
            raise KeyError("not a table of libwsfj, or not relocated yet")
        machine = gdb.selected_inferior().architecture().name()
        self.machine = "x86-64" if "x86-64" in machine else "aarch64" if "aarch64" in machine else None

    def __getitem__(self, name):
        return self.numbers[name]

    def at(self, name):
        return self.addresses.get(name, 0)

    def switches(self):
        """Whether backtraces can be followed from stack to stack."""
        return self.machine is not None and self.at("wsfj_context_between") != 0


class Library:
    """The facts about the library in the selected process, as long as they are valid."""

    def __init__(self):
        self.facts = None
        self.seen = None

    def update(self, *_):
        """Reads the table if it is another one than before. Not from inside an unwinder: it evaluates an expression."""
        try:
            table = int(gdb.parse_and_eval("&wsfj_debugger"))
            seen = (gdb.selected_inferior().num, table, Memory.number(table))
            if seen != self.seen:
                self.facts = None
                self.facts = Facts(table)
            self.seen = seen
        except (gdb.error, gdb.MemoryError, KeyError):
            self.facts = self.seen = None

    def known(self):
        return self.facts if self.seen and self.seen[0] == gdb.selected_inferior().num else None

    def needed(self):
        self.update()
        if not self.facts:
            raise gdb.GdbError("wsfj: no libwsfj here, or one without a symbol table (stripped?)")
        return self.facts


library = Library()


class Stack:
    """One struct wsfj_stack."""

    def __init__(self, facts, address):
        self.facts = facts
        self.address = address

    def get(self, field, size=WORD):
        return Memory.number(self.address + self.facts["stack." + field], size)

    def number(self):
        return self.get("number", 4)

    def top(self):
        """The address of its topmost frame record (lib/arch/context.h)."""
        return ((self.get("context.stack_low") + self.get("context.stack_size")) & ~15) - 2 * WORD

    def contains(self, address):
        low = self.get("context.stack_low")
        return low <= address < low + self.get("context.stack_size")

    def is_used(self):
        return self.get("job.code") != 0

    def is_suspended(self):
        saved = "context.sp" if "stack.context.sp" in self.facts.numbers else "context.saved"
        return self.is_used() and self.get(saved) != 0

    def parent(self):
        parent = self.get("job.parent")
        return Stack(self.facts, parent) if parent else None

    def task(self):
        """The task that the stack was taken for, in words."""
        kind = self.get("job.kind")
        if not self.is_used():
            return "nothing"
        if not kind:
            return "detached " + name_of(self.get("job.item.fn"))
        what = "stolen" if self.get("job.parent") else "root"
        return "%s %s (%s:%d)" % (
            what,
            Memory.text(Memory.number(kind + self.facts["kind.wsfj_name"])),
            Memory.text(Memory.number(kind + self.facts["kind.wsfj_file"])),
            Memory.number(kind + self.facts["kind.wsfj_lineno"], 4),
        )

    def waiting(self):
        """What a suspended fiber waits for, in words."""
        life = self.get("shown.life", 4)
        if life == self.facts["life.join"]:
            n = self.get("join")
            return "waits for %d %s" % (n, "child" if n == 1 else "children")
        if life == self.facts["life.wait"]:
            return self.wait()
        return "waits for a worker"

    def wait(self):
        """As wsfj_waits_say() (lib/observe/waits.c)."""
        kind = self.get("wait.kind", 4)
        words = Memory.text(Memory.number(self.facts.at("wsfj_waits_words") + WORD * kind))
        words += self.object(kind, self.get("wait.on"), self.get("wait.detail", 4))
        now, until = clock(), self.get("wait.until")
        if now is not None:
            words += ", for %s" % seconds(now - self.get("wait.since"))
        if now is not None and until != FOREVER:
            words += ", timer in %s" % seconds(until - now)
        return words

    def object(self, kind, on, detail):
        """What it waits for."""
        if kind == self.facts["wait.clock"]:
            return ""
        if kind == self.facts["wait.descriptor"]:
            return " %d (%s)" % (on, ", ".join(name for name, bit in EVENTS if detail & bit))
        if kind == self.facts["wait.named"]:
            return " " + Memory.text(on)
        if kind == self.facts["wait.any"]:
            return " %d, the first at 0x%x" % (detail, on)
        if kind == self.facts["wait.group"]:
            n = word_at(on, lambda state: state >> 1)
            return " 0x%x%s" % (on, " (%d task%s)" % (n, "" if n == 1 else "s") if n else "" if n is None else " (done)")
        if kind == self.facts["wait.mutex"]:
            return " 0x%x%s" % (on, self.holder(word_at(on, lambda state: state & ~1)))
        if kind == self.facts["wait.channel"]:
            return " 0x%x (%s)" % (on, "out" if detail else "in")
        return " 0x%x" % on

    def holder(self, address):
        """Of a mutex, by what its word says."""
        if not address:
            return "" if address is None else " that is free"
        number = next((s.number() for s in stacks(self.facts) if s.address == address), None)
        return " held by a thread" if number is None else " held by stack %d" % number

    def length(self):
        """Tasks in its deque that are not stolen."""
        return max(0, (self.get("deque.wsfj_tail") - self.get("first")) // self.facts["descriptor"])

    def registers(self):
        """Its registers where it is suspended, by name."""
        names, size, sp_name = CALLEE_SAVED[self.facts.machine]
        sp = self.get("context.sp")
        values = {name: Memory.number(sp + WORD * i) for i, name in enumerate(names)}
        values[sp_name] = sp + size
        if "lr" in values:
            values["pc"] = values.pop("lr")
        return values

    def caller(self):
        """The registers of the frame that a backtrace shows as the caller of its task; None if there is none."""
        _, _, pc, sp, fp = REGISTERS[self.facts.machine]
        parent = self.parent()
        if parent:
            return parent.here()
        if not self.get("job.kind"):
            return None
        frame = Memory.number(self.get("job.region") + self.facts["region.record"])
        return {pc: Memory.number(frame + WORD), sp: frame + 2 * WORD, fp: Memory.number(frame)}

    def here(self):
        """The registers where it is suspended; if it runs, those of a frame that represents its task."""
        own, mark, pc, sp, fp = REGISTERS[self.facts.machine]
        if self.is_suspended():
            return self.registers()
        return {pc: self.get("job.code"), sp: self.top(), fp: self.top(), own: self.address, mark: 0}


def name_of(address):
    text = gdb.execute("info symbol 0x%x" % address, to_string=True)
    return "0x%x" % address if text.startswith("No symbol") else text.split(" in section")[0].split(" + ")[0]


def stacks(facts):
    address = Memory.number(facts.at("wsfj_pool_stacks"))
    found = []
    while address:
        stack = Stack(facts, address)
        found.append(stack)
        address = stack.get("pool.next_all")
    return sorted(found, key=Stack.number)


# Frames.


class FrameId:
    def __init__(self, sp, pc):
        self.sp = sp
        self.pc = pc


def plain(value):
    """A register's value, or None if it was not saved."""
    return None if value is None or value.is_optimized_out else int(value) & (1 << 64) - 1


class Unwinder(gdb.unwinder.Unwinder):
    """Continues where the compiler's unwind tables end: at the bottom of a stack of the pool, and at a slow-path exit
    (include/wsfj/inline/fastpath.h), where a task has moved its stack pointer without an entry in the tables.

    Between two stacks there is a frame that is never run. Its code has the name __morestack, the only one for which gdb
    accepts callers at lower addresses."""

    def __init__(self):
        super().__init__("wsfj")
        self.instead = None  # for `wsfj bt`, (pc, sp, stack): the newest frame and the stack to show as its caller

    def __call__(self, frame):
        facts = library.known()
        if not facts or not facts.switches():
            return None
        try:
            return self.unwind(frame, facts)
        except (gdb.error, gdb.MemoryError, OverflowError):
            return None

    def unwind(self, frame, facts):
        own, mark, pc_name, sp_name, fp_name = REGISTERS[facts.machine]
        pc = plain(frame.read_register(pc_name))
        sp = plain(frame.read_register(sp_name))
        between = facts.at("wsfj_context_between") + 1

        def read(name):
            return plain(frame.read_register(name))

        if pc == between:
            stack = Stack(facts, read(own))
            registers = stack.caller() if read(mark) == PARENT_OF else stack.here()
            return self.unwind_info(frame, 2 * stack.number() + read(mark), pc, registers)
        if self.instead and (pc, sp) == self.instead[:2]:
            return self.unwind_info(frame, sp, pc, self.separate(self.instead[2], facts, ITSELF))
        if facts.at("wsfj_context_start") <= pc < between or read(fp_name) == sp:
            return self.bottom(frame, facts, pc, sp, read(own))
        if facts.at("wsfj_spawn_thunk") <= pc < facts.at("wsfj_thunk_end"):
            return self.slow_path_exit(frame, facts, pc, read)
        return None

    def separate(self, stack, facts, mark_value):
        own, mark, pc_name, sp_name, fp_name = REGISTERS[facts.machine]
        return {
            pc_name: facts.at("wsfj_context_between") + 1,
            sp_name: stack.address,
            fp_name: 0,
            own: stack.address,
            mark: mark_value,
        }

    def bottom(self, frame, facts, pc, sp, address):
        """The first frame of a stack, or the frame that represents the task of a running parent."""
        if not address:
            return None
        stack = Stack(facts, address)
        if stack.top() != sp or not (pc < facts.at("wsfj_context_between") or pc == stack.get("job.code")):
            return None
        if not stack.is_used() or not stack.caller():
            return None
        return self.unwind_info(frame, sp, pc, self.separate(stack, facts, PARENT_OF))

    def slow_path_exit(self, frame, facts, pc, read):
        """A slow-path exit of a task, x86-64: call *thunk; lea N(%rsp),%rsp; a jump back into the task."""
        rbp = read("rbp")
        back = Memory.number(rbp + WORD)
        code = gdb.selected_inferior().read_memory(back, 14).tobytes()
        if code[:4] != b"\x48\x8d\xa4\x24":
            return None
        if code[8] in (0xEB, 0x74, 0x75):
            target = back + 10 + int.from_bytes(code[9:10], "little", signed=True)
        elif code[8] == 0xE9:
            target = back + 13 + int.from_bytes(code[9:13], "little", signed=True)
        elif code[8] == 0x0F and code[9] in (0x84, 0x85):
            target = back + 14 + int.from_bytes(code[10:14], "little", signed=True)
        else:
            return None
        registers = {
            "rip": target,
            "rsp": rbp + 2 * WORD + int.from_bytes(code[4:8], "little"),
            "rbp": Memory.number(rbp),
        }
        for i, name in enumerate(["rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"]):
            registers[name] = Memory.number(rbp - WORD * (i + 1))
        for name in ["rbx", "r12", "r13", "r14", "r15"]:
            registers[name] = read(name)
        start = max(a for a in (facts.at("wsfj_%s_thunk" % d) for d in ("spawn", "loop", "sync")) if a <= pc)
        return self.unwind_info(frame, rbp + 2 * WORD, start, registers)

    def unwind_info(self, frame, id_sp, id_pc, registers):
        if not registers:
            return None
        pointer = gdb.lookup_type("unsigned long")
        info = frame.create_unwind_info(FrameId(gdb.Value(id_sp).cast(pointer), gdb.Value(id_pc).cast(pointer)))
        for name, value in registers.items():
            if value is not None:
                kind = frame.read_register(name).type
                info.add_saved_register(name, gdb.Value(value).cast(pointer).cast(kind))
        return info


class Between(FrameDecorator):
    """Shows the frame between two stacks."""

    def __init__(self, base, text):
        super().__init__(base)
        self.text = text

    def function(self):
        return self.text

    def address(self):
        return None

    def filename(self):
        return None

    def line(self):
        return None

    def frame_args(self):
        return None

    def frame_locals(self):
        return None


# The functions that the macros make of a task, from the user's code outwards (lib/signals/task_name.h has the same words).
# A number may follow the word; no name begins with one.
STEPS = ["body_1", "range", "drive", "body", "run", "go", "twin", "exec", "owner", "out"]
MADE = re.compile(
    r"((?:.*::)?)wsfj_(%s)(?:_\d)*_(?:wsfj_(?:part|ticket)_)?([A-Za-z_]\w*)" % "|".join(STEPS).replace("run", r"run(?=_\d)")
)


def made_of(function):
    """The step and the name of the task that the function was made of; (None, the function) for all others."""
    match = MADE.match(function)
    if not match:
        return None, function
    return STEPS.index(match.group(2)), match.group(1) + match.group(3)


class OfTask(FrameDecorator):
    """Shows a frame of a task by the task's name, without the parameter that the macros add."""

    def __init__(self, base, name):
        super().__init__(base)
        self.name = name

    def function(self):
        return self.name

    def frame_args(self):
        return [a for a in super().frame_args() or [] if not str(a.symbol()).startswith("wsfj_")] or None


class Filter:
    """Marks the frames where a backtrace goes from one stack to another, and shows one frame for each call of a task."""

    name = "wsfj"
    priority = 100
    enabled = True

    def filter(self, frames):
        return self.tasks(map(self.show, frames))

    @staticmethod
    def tasks(decorators):
        """Leaves out the frames around the user's code: in one call, none has an earlier step than the one inside it."""
        last, inner = None, None
        for decorator in decorators:
            step, name = made_of(str(decorator.function()).split("(")[0])
            if step is None and name == inner and last is not None:
                step = len(STEPS)  # the plain function, which has called the others
            if last is None or step is None or name != inner or step < last:
                yield decorator if step is None else OfTask(decorator, name)
            last, inner = step, name

    def show(self, decorator):
        facts = library.known()
        frame = decorator.inferior_frame()
        if not facts or not facts.switches() or frame.pc() != facts.at("wsfj_context_between") + 1:
            return decorator
        own = Stack(facts, plain(frame.read_register(REGISTERS[facts.machine][0])))
        parent = own.parent()
        if not parent:
            return Between(decorator, "<root of stack %d>" % own.number())
        state = "suspended" if parent.is_suspended() else "running"
        return Between(decorator, "<stack %d was stolen from stack %d, %s>" % (own.number(), parent.number(), state))


# Commands.


class Threads:
    """Finds each thread's stack pointer. Afterwards the thread and frame selected before are selected again."""

    def __enter__(self):
        self.thread = gdb.selected_thread()
        self.frame = gdb.selected_frame() if self.thread else None
        self.level = self.frame.level() if self.frame and hasattr(self.frame, "level") else None
        return self

    def __exit__(self, *_):
        if self.thread:
            self.thread.switch()
            if self.level:
                gdb.execute("frame level %d" % self.level, to_string=True)
            elif self.frame and self.level is None and self.frame.is_valid():
                self.frame.select()

    @staticmethod
    def all():
        found = []
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            found.append((thread, plain(gdb.newest_frame().read_register("sp"))))
        return sorted(found, key=lambda pair: pair[0].num)


def thread_on(threads, stack):
    return next((thread for thread, sp in threads if stack.contains(sp)), None)


def thread_below(threads, address):
    """The thread on whose stack the address most likely lies."""
    near = [(address - sp, thread) for thread, sp in threads if 0 <= address - sp < 1 << 23]
    return min(near, key=lambda pair: pair[0])[1] if near else None


def in_thread(thread):
    return "thread %d" % thread.num if thread else "thread ?"


class Workers:
    def __init__(self, facts):
        self.facts = facts
        first = Memory.number(facts.at("wsfj_workers"))
        count = Memory.number(facts.at("wsfj_num_workers"), 4) if first else 0
        self.addresses = [first + i * facts["worker"] for i in range(count)]
        self.lenders = [stack for stack in stacks(facts) if stack.get("blocking.lender")]

    def get(self, worker, field, size=WORD):
        return Memory.number(worker + self.facts["worker." + field], size)

    def running(self):
        """Which worker runs which stack, by the stack's address."""
        return {self.get(w, "stack"): i for i, w in enumerate(self.addresses) if self.get(w, "stack")}

    def state(self, worker, threads):
        """The worker's state, and the thread that serves it."""
        facts = self.facts
        park = self.get(worker, "park", 4)
        stack = self.get(worker, "stack")
        tid = self.get(worker, "tid", 4)
        own = next((thread for thread, _ in threads if tid and thread.ptid[1] == tid), None)
        if stack:
            thread = thread_on(threads, Stack(facts, stack)) or (None if park == facts["park.guest"] else own)
            return "guest" if park == facts["park.guest"] else "running", thread
        if park == facts["park.asleep"]:
            return "parked", own
        if park == facts["park.retired"]:
            return "retired", own
        if park == facts["park.guest"]:
            return "guest, searching", thread_below(threads, self.get(worker, "server"))
        return "searching", own

    def line(self, number, threads):
        worker = self.addresses[number]
        state, thread = self.state(worker, threads)
        # Both count in twos. While the owner takes the newest task, the head may be past the tail.
        queued = max(0, (self.get(worker, "detached.queue.tail") - self.get(worker, "detached.queue.head")) // 2)
        text = "worker %d: %s" % (number, state)
        if thread:
            text += " in " + in_thread(thread)
        stack = self.get(worker, "stack")
        if stack:
            stack = Stack(self.facts, stack)
            text += ", stack %d, %s, deque %d" % (stack.number(), stack.task(), stack.length())
        text += ", queue %d" % queued
        for lender in self.lenders:
            if lender.get("worker") != worker:
                continue
            thread = thread_on(threads, lender)
            text += ", slot lent by stack %d, %s, in %s" % (lender.number(), lender.task(), in_thread(thread))
        return text


class Wsfj(gdb.Command):
    """Workers, stacks and tasks of libwsfj."""

    def __init__(self):
        super().__init__("wsfj", gdb.COMMAND_STATUS, prefix=True)


# Breakpoints at tasks. The plain function of a task is what other code calls; a spawn does not run it.


def exists(function):
    """Whether a breakpoint at the function has a place. (No symbol says so of an inlined one.)"""
    try:
        return bool(gdb.decode_line(function)[1])
    except gdb.error:
        return False


def functions_of(task, *words):
    """The names of the functions that the macros make of a task; `task` may have namespaces before it."""
    namespace, name = re.fullmatch(r"((?:.*::)?)(\w+)", task).groups()
    return ["%swsfj_%s_%s" % (namespace, word, name) for word in words]


def code_of(task):
    """The function with the user's code of a task, or of an iteration of a loop; None: the program has neither."""
    return next(filter(exists, functions_of(task, "body_1", "body")), None)


class WsfjBreak(gdb.Command):
    """wsfj break TASK [if CONDITION]: a breakpoint at the code of a task, in all copies that the compiler has made of it.

Of a loop, at each iteration. The condition may use the parameters. If there is no such task yet, the breakpoint waits
for a library that has it."""

    def __init__(self):
        super().__init__("wsfj break", gdb.COMMAND_BREAKPOINTS)
        self.waiting = []  # pairs: a pending breakpoint at a task, one at a loop of the same name

    def invoke(self, argument, from_tty):
        match = re.fullmatch(r"((?:\w+::)*[A-Za-z_]\w*)(?:\s+if\b\s*(.+))?", argument.strip())
        if not match:
            raise gdb.GdbError("wsfj break: the name of a task comes next, then perhaps: if CONDITION")
        task, condition = match.groups()
        code = code_of(task)
        if code:
            return self.at(code, condition)
        if any(map(exists, functions_of(task, "run_0", "exec", "go"))):
            raise gdb.GdbError("wsfj break %s: no debug information about its code; compile it with -g" % task)
        if exists(task):  # no task, or one of a program compiled with -DWSFJ_SERIAL
            return self.at(task, condition)
        self.waiting.append([self.at(function, condition) for function in functions_of(task, "body", "body_1")])

    @staticmethod
    def at(function, condition):
        """By the command: gdb disables a breakpoint that got its condition while it was pending."""
        pending = {True: "on", False: "off", None: "auto"}[gdb.parameter("breakpoint pending")]
        gdb.execute("set breakpoint pending on")
        try:
            gdb.execute("break %s" % function + (" if %s" % condition if condition else ""))
        except gdb.error as error:
            raise gdb.GdbError("wsfj break: %s" % error)
        finally:
            gdb.execute("set breakpoint pending %s" % pending)
        return gdb.breakpoints()[-1]

    def found(self, made):
        """A breakpoint has found its place. If it is that of a loop, no other one stops at the start of each piece."""
        for task, loop in self.waiting:
            if made == loop and not loop.pending and task.is_valid() and task.enabled:
                task.enabled = False


class Offer:
    """Says of a plain breakpoint at a task's name how to set the one that was meant."""

    def __init__(self):
        self.told = set()

    def look(self, made):
        if made.type != gdb.BP_BREAKPOINT or made.number <= 0 or made.pending or made.number in self.told:
            return
        if not re.fullmatch(r"(\w+::)*(?!wsfj_)[A-Za-z_]\w*", made.location or ""):
            return
        self.told.add(made.number)
        if code_of(made.location):
            print("wsfj: %s is a task, and a spawn does not call the function of that name." % made.location)
            print("Use `wsfj break %s` to stop in the task." % made.location)


class WsfjWorkers(gdb.Command):
    """wsfj workers: what each worker does.

State (running; guest: a thread in ws_run() serves it; searching; parked; retired: there is no processor for it),
thread, stack, task, tasks in the stack's deque, detached tasks in the worker's run queue, and which blocking task has
lent its slot."""

    def __init__(self):
        super().__init__("wsfj workers", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        workers = Workers(library.needed())
        if not workers.addresses:
            print("wsfj: the runtime is not started")
        with Threads() as threads:
            found = threads.all()
        for number in range(len(workers.addresses)):
            print(workers.line(number, found))


class WsfjStacks(gdb.Command):
    """wsfj stacks [all]: each stack with a task on it; with `all`, the free ones as well."""

    def __init__(self):
        super().__init__("wsfj stacks", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        facts = library.needed()
        running = Workers(facts).running()
        with Threads() as threads:
            found = threads.all()
        for stack in stacks(facts):
            if stack.is_used() or stack.address in running:
                print(self.line(stack, running, found))
            elif argument == "all":
                print("stack %d: free" % stack.number())

    def line(self, stack, running, threads):
        parent = stack.parent()
        where = in_thread(thread_on(threads, stack))
        if stack.address in running:
            state = "runs on worker %d in %s" % (running[stack.address], where)
        elif stack.is_suspended():
            state = stack.waiting()
        else:
            state = "blocks in %s, without a worker" % where
        return "stack %d: %s, %s%s" % (
            stack.number(),
            stack.task(),
            state,
            ", parent: stack %d" % parent.number() if parent else "",
        )


class WsfjBt(gdb.Command):
    """wsfj bt N [ARGUMENTS]: the backtrace of stack N, running or suspended, and of its ancestors down to main().

The arguments are those of backtrace."""

    def __init__(self):
        super().__init__("wsfj bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        facts = library.needed()
        words = argument.split(None, 1)
        if not words or not words[0].isdigit():
            raise gdb.GdbError("wsfj bt: which stack? (a number that `wsfj stacks` shows)")
        stack = next((s for s in stacks(facts) if s.number() == int(words[0])), None)
        if not stack:
            raise gdb.GdbError("wsfj bt %s: there is no such stack" % words[0])
        if not stack.is_used():
            raise gdb.GdbError("wsfj bt %s: the stack is free" % words[0])
        command = " ".join(["backtrace"] + words[1:])
        with Threads() as threads:
            if stack.is_suspended():
                self.suspended(stack, command, facts)
            else:
                self.running(stack, command, threads.all())

    def running(self, stack, command, threads):
        thread = thread_on(threads, stack)
        if not thread:
            raise gdb.GdbError("wsfj bt %d: no thread is on it now (in a signal handler?)" % stack.number())
        thread.switch()
        print(gdb.execute(command, to_string=True), end="")

    def suspended(self, stack, command, facts):
        if not facts.switches():
            raise gdb.GdbError("wsfj bt %d: no backtraces of suspended stacks with this stack switch" % stack.number())
        frame = gdb.newest_frame()
        frame.select()
        unwinder.instead = (frame.pc(), plain(frame.read_register("sp")), stack)
        gdb.invalidate_cached_frames()
        try:
            text = gdb.execute(command, to_string=True)
        finally:
            unwinder.instead = None
            gdb.invalidate_cached_frames()
        print(renumbered(text), end="")


def renumbered(text):
    """A backtrace without its first two frames."""
    lines, level = [], -1
    for line in text.splitlines(True):
        match = re.match(r"#(\d+) +", line)
        if match:
            level = int(match.group(1)) - 2
            line = "%-4s" % ("#%d" % level) + line[match.end():]
        if level >= 0:
            lines.append(line)
    return "".join(lines)


unwinder = Unwinder()
gdb.unwinder.register_unwinder(None, unwinder, replace=True)
gdb.frame_filters[Filter.name] = Filter()
Wsfj()
wsfj_break = WsfjBreak()
WsfjWorkers()
WsfjStacks()
WsfjBt()
for event in (gdb.events.new_objfile, gdb.events.stop, gdb.events.exited):
    event.connect(library.update)
offer = Offer()
gdb.events.breakpoint_created.connect(offer.look)
gdb.events.breakpoint_modified.connect(offer.look)
gdb.events.breakpoint_modified.connect(wsfj_break.found)
library.update()
