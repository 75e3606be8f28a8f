#!/usr/bin/env python3
"""Removes each fence, and weakens each memory order, one at a time, and asks whether the simulator notices.

  verify/plants/orders.py --build FOLDER [--schedules N] [--jobs N] [--list] [--only TEXT]

Nothing is chosen by hand: whatever names an order in the simulated sources is weakened, at the place where it is named:
in the port headers for all users of a verb, and at each call of a verb for that call. FOLDER is a build folder
(scripts/build). N schedules are run of each variant that covers the change's file, until one has a finding; before that
a few of each, because most changes are found by these, and as many of its tiny cases. All changes are compiled into one
program for each variant, and one of them is chosen when it starts (orders_switch.h); only changes of words that have no
value in C are compiled one by one, and not run where they leave the object code as it was.

The result of a change is one of
  caught     a finding
  argued     none, and none can come: another order stands in for this one (ARGUED in orders_argued.py says which)
  unseen     none, but the order is needed (UNSEEN in orders_argued.py, and a table in
             docs/results/notes/planted-bugs.md)
  elsewhere  no simulated variant comes there (ELSEWHERE in orders_argued.py says what looks at it)
  missed     none, and no reason is known: either a check is too weak, or the order is not needed
  refuted    a finding, though orders_argued.py argues that there can be none
  unlisted   no simulated variant comes there, and orders_argued.py does not say what looks at it
  broken     it does not compile: orders.py must follow the code
The last line is "N passed, N failed": the last four fail, and so does, in a run of all, a name in orders_argued.py that
is no change any more. --list prints the changes; --only takes those whose description has this text.
"""
import argparse
import collections
import concurrent.futures
import filecmp
import glob
import os
import re
import shutil
import sys
from dataclasses import dataclass

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run
from orders_argued import ARGUED, ELSEWHERE, UNSEEN
from plants import Plant

FOLDERS = ("port", "node", "pool", "sync", "epoch", "version", "level", "blink", "versioned", "skiplist",
           "hash", "batch")
FILES = ("src/graph/base/graph_format.h", "src/graph/graph_edge.h", "src/graph/ids/numbers.h",
         "src/graph/ids/dictionary_kind.h", "src/batch/batch_cpu.c")
REAL_ATOMICS = ("src/sync/workers.c", "src/batch/batch_cpu.c")
TREES = ("map/plain32", "map/cuda32", "map/x86_32", "map/plain64", "map/cuda64")
VERSIONS = ("versioned/plain32", "versioned/cuda32", "versioned/cuda64")
GRAPHS = ("graph/plain", "graph/cuda", "graph/plain_sparse", "graph/cuda_sparse")
SLABS = ("hash/plain32", "hash/cuda32", "hash/plain64", "hash/cuda64", "hash/plain32_set", "hash/cuda32_set", *GRAPHS)
LISTS = ("skiplist/plain32", "skiplist/cuda32", "skiplist/x86_64")
EPOCHS = ("epoch/plain", "epoch/cuda")
TEAMS = ("team/plain32", "team/x86_64")
ALL = ("pool/plain", "pool/cuda", *EPOCHS, *TREES, *SLABS, *LISTS, *VERSIONS, *TEAMS)
COVER = (  # which variants are asked about the changes of a file, by the beginning of its path
    ("src/port/port_cpu", tuple(w for w in ALL if "cuda" not in w)),
    ("src/port/port_cuda", tuple(w for w in ALL if "cuda" in w)),
    ("src/node/node_cuda", ("map/cuda32", "map/cuda64", "skiplist/cuda32", "skiplist/cuda64")),
    ("src/node/node_search_x86", ("map/x86_32", "map/x86_64", "skiplist/x86_64")),
    ("src/node/", (*TREES, *LISTS)),
    ("src/pool/pool_runs", SLABS),
    ("src/pool/", ("pool/plain", "pool/cuda", *TREES)),
    ("src/sync/workers", (*TEAMS, "gate/cpu")),
    ("src/sync/", ("gate/cpu",)),
    ("src/epoch/", (*EPOCHS, *VERSIONS, *LISTS, "team/plain32")),
    ("src/version/", (*VERSIONS, *TEAMS)),
    ("src/level/", (*TREES, *VERSIONS, *LISTS)),
    ("src/blink/blink_keep", (*VERSIONS, *TEAMS)),
    ("src/blink/", (*TREES, *VERSIONS, *LISTS)),
    ("src/versioned/", (*VERSIONS, *TEAMS)),
    ("src/skiplist/", LISTS),
    ("src/hash/", SLABS),
    ("src/graph/", GRAPHS),
    ("src/batch/batch_cpu", (*TEAMS, "gate/cpu")),
    ("src/batch/", TEAMS),
)

FEW = 2000  # schedules of each variant that come first
FAILURES = ("missed", "refuted", "unlisted", "broken")


@dataclass(frozen=True)
class Change:
    file: str
    function: str
    what: str  # 'port_publish_fence removed'
    which: int  # of those in this function
    begin: int
    end: int
    put: str

    def name(self):
        return f"{self.file} {self.function}: {self.what}" + (f" ({self.which})" if self.which > 1 else "")


# ---- what can be weakened ----

def swap(order):
    """A swap of another order than the port's; PORT_LINE_WORDS says which machine it is."""
    return lambda p, old, new: (f"(sim_compare_swap(({p}), ({old}), ({new}), __ATOMIC_{order}, PORT_LINE_WORDS == 4)"
                                f" == ({old}))")


def replace_in_two(p, v):
    return f"({{ uint64_t was = port_load({p}); port_store({p}, {v}); was; }})"


CALLS = {  # a verb's call: what else it can be
    "port_publish_fence": [("removed", lambda: "((void)0)")],
    "port_validate_fence": [("removed", lambda: "((void)0)")],
    "port_fence_seq_cst": [("removed", lambda: "((void)0)")],
    "port_fence_after_latch": [("removed", lambda: "((void)0)")],
    "port_fence_loads": [("removed", lambda: "((void)0)")],
    "port_invalidate_cached": [("removed", lambda: "((void)0)")],
    "PTX_AFTER_BRANCH": [("removed", lambda: "((void)0)")],
    "port_load_acquire": [("relaxed", lambda p: f"port_load({p})")],
    "port_store_release": [("relaxed", lambda p, v: f"port_store({p}, {v})")],
    "port_store_after_loads": [("relaxed", lambda p, v: f"port_store({p}, {v})")],
    "port_release_after_exchange": [("relaxed", lambda p, v, old: f"((void)({old}), port_store({p}, {v}))")],
    "port_order_after": [("removed", lambda p, v: f"({p})")],
    "port_load_in_order": [
        ("in no order", lambda p, a, b: f"(*({a}) = port_load({p}), *({b}) = port_load(({p}) + 1))")],
    "port_exchange_owned": [("in two accesses", replace_in_two)],
    "port_latch": [("relaxed", swap("RELAXED")), ("without its fence", swap("ACQUIRE"))],
    "port_compare_swap": [("acquire only", swap("ACQUIRE")), ("release only", swap("RELEASE"))],
    "atomic_thread_fence": [("removed", lambda order: "((void)0)")],
    "atomic_signal_fence": [("removed", lambda order: "((void)0)")],
    "gate_barrier": [("removed", lambda: "((void)0)")],
    "atomic_load": [("acquire", lambda p: f"atomic_load_explicit({p}, memory_order_acquire)"),
                    ("relaxed", lambda p: f"atomic_load_explicit({p}, memory_order_relaxed)")],
    "atomic_store": [("release", lambda p, v: f"atomic_store_explicit({p}, {v}, memory_order_release)"),
                     ("relaxed", lambda p, v: f"atomic_store_explicit({p}, {v}, memory_order_relaxed)")],
}
for operation in ("add", "sub", "or", "and"):
    CALLS[f"atomic_fetch_{operation}"] = [
        ("acq_rel", lambda p, v, o=operation: f"atomic_fetch_{o}_explicit({p}, {v}, memory_order_acq_rel)"),
        ("relaxed", lambda p, v, o=operation: f"atomic_fetch_{o}_explicit({p}, {v}, memory_order_relaxed)")]

WORDS = [  # the name of an order: the weaker ones
    (r"__ATOMIC_(ACQUIRE|RELEASE)\b", ["__ATOMIC_RELAXED"]),
    (r"__ATOMIC_ACQ_REL\b", ["__ATOMIC_ACQUIRE", "__ATOMIC_RELEASE"]),
    (r"__ATOMIC_SEQ_CST\b", ["__ATOMIC_ACQ_REL"]),
    (r"memory_order_(acquire|release)\b", ["memory_order_relaxed"]),
    (r"memory_order_acq_rel\b", ["memory_order_acquire", "memory_order_release"]),
    (r"memory_order_seq_cst\b", ["memory_order_acq_rel", "memory_order_relaxed"]),
    (r"(?<=[(, ])acq_rel(?=, (gpu|cta)\b)", ["relaxed"]),
    (r"(?<=[(, ])(acquire|release)(?=, gpu\b)", ["relaxed"]),
    (r"(?<=PTX_FENCE\()sc\b", ["acq_rel"]),
    (r"(?:(?<=relaxed, )|(?<=acquire, )|(?<=release, )|(?<=acq_rel, )|(?<=\(sc, ))gpu\b", ["cta"]),
]


def arguments(text, at):
    """The arguments in the parentheses that open at `at`, and where these end."""
    depth, parts, begin = 0, [], at + 1
    for i in range(at, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                last = text[begin:i].strip()
                return parts + ([last] if last else []), i + 1
        elif text[i] == "," and depth == 1:
            parts.append(text[begin:i].strip())
            begin = i + 1
    raise ValueError("parentheses without an end")


def masked(text):
    """The same without comments and preprocessor lines, at the same places."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group(0))
    return re.sub(r"/\*.*?\*/|//[^\n]*|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.S | re.M)


HEAD = re.compile(r"^(?!typedef|return|else)[A-Za-z_].*?\b(?!__attribute__)(\w+)\((?=[^;]*$)", re.M)


def function_at(text, place):
    name = "-"
    for m in HEAD.finditer(text, 0, place):
        name = m.group(1)
    return name


def changes_of(file, text):
    code, found = masked(text), []
    for verb, ways in CALLS.items():
        for m in re.finditer(rf"\b{verb}\(", code):
            line = code[code.rfind("\n", 0, m.start()) + 1:m.start()]
            if re.search(r"PORT_FN\b[\w \*]*$|^void $", line):
                continue  # where it is defined or declared
            words, end = arguments(code, m.end() - 1)
            for what, way in ways:
                found.append((m.start(), end, f"{verb} {what}", way(*words)))
    for pattern, weaker in WORDS:
        for m in re.finditer(pattern, code):
            if "PTX_EXCHANGE" in code[code.rfind("\n", 0, m.start()):m.start()]:
                continue  # the simulator has one kind
            for word in weaker:
                found.append((m.start(), m.end(), f"{m.group(0)} is {word}", word))
    counts, made = {}, []
    for begin, end, what, put in sorted(found):
        function = function_at(code, begin)
        counts[function, what] = counts.get((function, what), 0) + 1
        made.append(Change(file, function, what, counts[function, what], begin, end, put))
    return made


def not_simulated(file):
    """Whether it is none of a structure's algorithm: loops over many operations, kernels, public functions. The loop of
    a batch is simulated, and in FILES."""
    return re.search(r"/(blink|versioned|skiplist|batch)/\w+_(cpu|cuda|kernels|launch|choose)\.|/hash/(hash|slabs)", file)


def all_changes():
    files = [f for folder in FOLDERS for f in sorted(glob.glob(f"src/{folder}/*.[ch]", root_dir=run.ROOT))
             if not not_simulated(f)]
    made = []
    for file in [*files, *FILES]:
        if re.search(r"port_sim|ptx\.h|port\.h$|_team\.h|_device", file):
            continue
        with open(os.path.join(run.ROOT, file), encoding="utf-8") as f:
            made += changes_of(file, f.read())
    return made


# ---- one change ----

def as_plant(where, tiny=False):
    return Plant("order", "", where, "", "", "", tiny=tiny)


def unchanged_object(where, build, cc):
    """The object file of a variant as it is."""
    folder = os.path.join(build, "orders", "unchanged-" + where.replace("/", "-"))
    run.plant_nothing(folder)
    run.compile_plant(as_plant(where), folder, build, cc, "-O1")
    return os.path.join(folder, "planted.o")


def variants_of(file):
    return next(variants for begin, variants in COVER if file.startswith(begin))


def is_value(change):
    """Whether C can choose between it and the original: not between words that macros paste together, nor between
    orders of real atomics."""
    if " is " not in change.what:
        return True
    return change.put.startswith(("__ATOMIC", "memory_order")) and change.file not in REAL_ATOMICS


def choose_together(changes):
    """Of one file, in the order of their places: the numbers of those that one program can have all of."""
    chosen, last = [], None
    for n, c in changes:
        if is_value(c) and (not last or c.begin >= last.end or (c.begin, c.end) == (last.begin, last.end)):
            chosen.append(n)
            last = c
    return chosen


def write_switched(folder, changes):
    """Answers the numbers of the changes that the copy of the source in `folder` has."""
    made = []
    for file in sorted({c.file for c in changes}):
        of_file = [(n, c) for n, c in enumerate(changes) if c.file == file]
        together = choose_together(of_file)
        made += together
        path = os.path.join(folder, file)
        with open(path, encoding="utf-8") as f:
            original = text = f.read()
        for begin, end in sorted({(changes[n].begin, changes[n].end) for n in together}, reverse=True):
            put = f"({original[begin:end]})"
            for n in together:
                if changes[n].begin == begin:
                    put = f"(order_is({n}) ? ({changes[n].put}) : {put})"
            text = text[:begin] + put + text[end:]
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    return set(made)


def compile_switched(where, options):
    """In a folder of its own, beside those of the others."""
    folder = os.path.join(options.build, "orders", "switched")
    own = os.path.join(options.build, "orders", "switched-" + where.replace("/", "-"))
    shutil.rmtree(own, ignore_errors=True)
    os.makedirs(own)
    for name in ("src", "verify", "include"):
        os.symlink(os.path.join(folder, name), os.path.join(own, name))
    switch = os.path.join(run.ROOT, "verify", "plants", "orders_switch")
    return run.compile_plant(as_plant(where), own, options.build, options.cc, "-O1",
                             ("-include", switch + ".h"), (switch + ".c",))


def compile_alone(change, n, options, unchanged):
    """(variant, its program) of those whose object code differs, each compiled when it is asked for."""
    folder = run.plant_nothing(os.path.join(options.build, "orders", str(n)))
    path = os.path.join(folder, change.file)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text[:change.begin] + change.put + text[change.end:])
    for where in variants_of(change.file):
        program = run.compile_plant(as_plant(where), folder, options.build, options.cc, "-O1")
        if not filecmp.cmp(os.path.join(folder, "planted.o"), unchanged[where].result(), shallow=False):
            kept = os.path.join(folder, where.replace("/", "-"))
            os.rename(program, kept)
            yield where, kept


def first_finding(programs, schedules, n, tiny=False):
    """(those that came to change n, "where after so many", the finding), or (those, None, None)."""
    asked = []
    for where, program in programs:
        said = run.simulate(program, *run.campaign(as_plant(where, tiny)), "--schedules", str(schedules),
                            env={**os.environ, "PLEACH_ORDER": str(n)})
        found = re.search(r"^finding: (.*)$", said.stdout, re.M)
        if found:
            return asked, f"{where} after {run.found_after(said)}", found.group(1)
        if said.returncode < 0:
            return asked, where, f"ended by signal {-said.returncode}"
        if "switched" not in program or "the change was reached" in said.stderr:
            asked.append((where, program))
    return asked, None, None


def ask(change, n, options, switched, unchanged):
    """('caught', where, finding), ('missed', variants), ('elsewhere',) or ('broken', why)."""
    try:
        few = min(FEW, options.schedules)
        if switched:
            programs = ((where, switched[where].result()) for where in variants_of(change.file))
        else:
            programs = compile_alone(change, n, options, unchanged)
        asked, where, finding = first_finding(programs, few, n)
        if not where:
            _, where, finding = first_finding(asked, few, n, tiny=True)
        if not where and options.schedules > few:
            asked, where, finding = first_finding(asked, options.schedules, n)
    except run.Missed as why:
        return "broken", str(why).splitlines()[-1]
    finally:
        shutil.rmtree(os.path.join(options.build, "orders", str(n)), ignore_errors=True)
    if where:
        return "caught", where, finding
    return ("missed", " ".join(where for where, _ in asked)) if asked else ("elsewhere",)


def variants_for(changes, numbers):
    return sorted({where for n in numbers for where in variants_of(changes[n].file)})


def judged(name, outcome, *rest):
    """The result by name, with the reason that orders_argued.py has for it."""
    if outcome == "caught" and name in ARGUED:
        return "refuted", *rest
    if outcome == "missed" and name in ARGUED:
        return "argued", ARGUED[name]
    if outcome == "missed" and name in UNSEEN:
        return "unseen", UNSEEN[name]
    if outcome == "elsewhere":
        return ("elsewhere", ELSEWHERE[name]) if name in ELSEWHERE else ("unlisted",)
    return outcome, *rest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build")
    parser.add_argument("--schedules", type=int, default=20000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    wanted = [c for c in all_changes() if options.only in c.name()]
    if options.list:
        print(*(c.name() for c in wanted), sep="\n")
        return 0
    if not options.build:
        parser.error("--build is needed")
    options.build, options.cc = os.path.abspath(options.build), os.environ.get("CC", "cc")

    totals = collections.Counter()
    together = write_switched(run.plant_nothing(os.path.join(options.build, "orders", "switched")), wanted)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        switched = {w: pool.submit(compile_switched, w, options) for w in variants_for(wanted, together)}
        alone = set(range(len(wanted))) - together
        unchanged = {w: pool.submit(unchanged_object, w, options.build, options.cc)
                     for w in variants_for(wanted, alone)}
        results = [pool.submit(ask, c, n, options, switched if n in together else None, unchanged)
                   for n, c in enumerate(wanted)]
        for change, result in zip(wanted, results):
            outcome, *rest = judged(change.name(), *result.result())
            totals[outcome] += 1
            print(f"{outcome:9} {change.name()}  {'; '.join(rest)}", flush=True)
    print(", ".join(f"{n} {outcome}" for outcome, n in sorted(totals.items())))
    stale = [] if options.only else sorted({*ARGUED, *UNSEEN, *ELSEWHERE} - {c.name() for c in wanted})
    for name in stale:
        print(f"stale     {name}  orders_argued.py has it, and it is no change any more")
    failed = len(stale) + sum(totals[outcome] for outcome in FAILURES)
    print(f"{len(wanted) + len(stale) - failed} passed, {failed} failed")
    return 1 if failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
