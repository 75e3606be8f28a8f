#!/usr/bin/env python3
"""Compares `pleach replay` with an independent oracle: a dict for the values and a sorted list for the order.

One run:      replay_oracle.py --pleach build/pleach --ops 100000 --keys 32 --threads 2 --batch 4096 --seed 7
All settings: replay_oracle.py --pleach build/pleach --all [--ops TOTAL]

Random operations of every kind go in on standard input, among them bad lines, comments and blank lines; every line
that comes back is compared. With --structure versioned there are snapshots too, and files in a temporary folder, if
pleach was built with xxHash. With --structure hash, operations that need an order must be refused, and are few. The
last line is "N passed, N failed".
"""

import argparse
import bisect
import itertools
import math
import random
import subprocess
import sys
import tempfile
import time

# What there is to carry operations out with: batch, engine, and which part of the operations; and on a GPU, where a
# call takes as long as thousands of operations of an array, and calls are array calls. Skiplists and hash tables have
# no batches.
SINGLE, ARRAYS, BATCHES = (1, "calls", 1), (4096, "arrays", 1), (4096, "batches", 1)
WAYS = {"map": (SINGLE, (4096, "calls", 1), ARRAYS, BATCHES),
        "versioned": (SINGLE, (4096, "calls", 1), ARRAYS, BATCHES),
        "skiplist": (SINGLE, (4096, "calls", 1), ARRAYS),
        "hash": (SINGLE, (4096, "calls", 1), ARRAYS)}
GPU_ARRAYS = ((1, "arrays", 0.05), (7, "arrays", 0.15), (4096, "arrays", 1), (4096, "auto", 1))
GPU_BATCHES = ((1, "batches", 0.05), (7, "batches", 0.15), (4096, "batches", 1))
GPU_WAYS = {"map": GPU_ARRAYS + GPU_BATCHES, "versioned": GPU_ARRAYS + GPU_BATCHES,
            "skiplist": GPU_ARRAYS, "hash": GPU_ARRAYS}


def every_setting(structure, device, total):
    """keys, threads, batch, engine, operations; of these `total` in all, or a few more"""
    ways, threads = (WAYS, (1, 2)) if device == "cpu" else (GPU_WAYS, (1,))
    settings = list(itertools.product((32, 64), threads, ways[structure]))
    one = total / sum(part for _, _, (_, _, part) in settings)
    return [(keys, count, batch, engine, math.ceil(one * part)) for keys, count, (batch, engine, part) in settings]


class Oracle:
    """An ordered map: slow where it may be, obvious everywhere."""

    def __init__(self):
        self.values = {}
        self.order = []

    def put(self, key, value):
        if key in self.values:
            answer = str(self.values[key])
        else:
            bisect.insort(self.order, key)
            answer = "new"
        self.values[key] = value
        return answer

    def add(self, key, value):
        return "exists" if key in self.values else self.put(key, value)

    def delete(self, key):
        if key not in self.values:
            return "-"
        del self.order[bisect.bisect_left(self.order, key)]
        return str(self.values.pop(key))

    def get(self, key):
        return str(self.values[key]) if key in self.values else "-"

    def has(self, key):
        return "1" if key in self.values else "0"

    def interval(self, low, high):
        """The keys of [low, high] as a pair of places in the order; empty if low > high."""
        first = bisect.bisect_left(self.order, low)
        return first, max(first, bisect.bisect_right(self.order, high))

    def range(self, low, high, limit=None):
        first, end = self.interval(low, high)
        if limit is not None:
            end = min(end, first + limit)
        pairs = (self.pair(place) for place in range(first, end))
        return " ".join((str(end - first), *pairs))

    def count(self, low, high):
        first, end = self.interval(low, high)
        return str(end - first)

    def succ(self, key):
        return self.pair(bisect.bisect_right(self.order, key))

    def pred(self, key):
        return self.pair(bisect.bisect_left(self.order, key) - 1)

    def min(self):
        return self.pair(0)

    def max(self):
        return self.pair(len(self.order) - 1)

    def size(self):
        return str(len(self.order))

    def validate(self):
        return "ok"

    def pair(self, place):
        if not 0 <= place < len(self.order):
            return "-"
        key = self.order[place]
        return f"{key}:{self.values[key]}"


METHODS = {"del": "delete"}  # the others are called as the operation is

# Operation, arguments (k key, v value, i interval, l limit), and how often.
OPERATIONS = (
    ("put", "kv", 24), ("add", "kv", 14), ("del", "k", 22), ("get", "k", 14), ("has", "k", 6),
    ("succ", "k", 6), ("pred", "k", 6), ("range", "i", 2), ("range", "il", 3), ("count", "i", 2),
    ("min", "", 1), ("max", "", 1), ("size", "", 0.4), ("validate", "", 0.02),
)


ORDERED = ("range", "count", "succ", "pred", "min", "max")  # what a hash table does not have


class Workload:
    """Random lines, with keys drawn so that they collide."""

    def __init__(self, bits, seed, ordered):
        self.random = random.Random(seed)
        self.ordered = ordered
        self.top = 2**bits - 1
        self.hot = [self.random.randint(0, self.top) for _ in range(40)]
        self.warm = sorted(self.random.randint(0, self.top) for _ in range(4000))
        self.step = self.top // 4000

    def key(self):
        dice = self.random.random()
        if dice < 0.30:
            return self.random.choice(self.hot)
        if dice < 0.70:
            return self.random.choice(self.warm)
        if dice < 0.80:
            return self.random.randint(0, 300)
        if dice < 0.90:
            return self.top - self.random.randint(0, 300)
        if dice < 0.95:
            return self.random.choice((0, 1, self.top // 2, self.top // 2 + 1, self.top - 1, self.top))
        return self.random.randint(0, self.top)

    def value(self):
        dice = self.random.random()
        return self.random.choice((0, self.top)) if dice < 0.1 else self.random.randint(0, self.top)

    def interval(self):
        low, dice = self.key(), self.random.random()
        if dice < 0.02:
            return [0, self.top]
        if dice < 0.10:
            return [low, low]
        if dice < 0.15:
            return [low, self.random.randint(0, low)]  # mostly backwards
        if dice < 0.60:
            return [low, min(self.top, low + self.random.randint(0, 50))]
        return [low, min(self.top, low + self.random.randint(0, 30) * self.step)]

    def arguments(self, kinds):
        for kind in kinds:
            if kind == "k":
                yield self.key()
            elif kind == "v":
                yield self.value()
            elif kind == "i":
                yield from self.interval()
            else:
                yield self.random.choice((1, 2, 3, 10, 1000, 2**31 - 1))

    def bad_line(self):
        wide = self.top + 1 + self.random.randint(0, 5)
        return self.random.choice((
            "frobnicate 1", "put", "put 1", "put 1 2 3", "get", "get x", "get -1", "has 1.5", "del 0x10", "min 1",
            "size 3", "range 1", "range 1 2 3 4", "count 5", "succ", "PUT 1 2", f"put {wide} 1", f"put 1 {wide}",
            f"get {wide}", f"del {2**64}", f"succ {2**70}", f"range 0 {wide}", f"count {wide} {wide}", "put 1 2x",
        ))

    def quiet_line(self):
        return self.random.choice(("", "# a comment", "#put 1 2", "#"))

    def operations(self, count):
        weights = [weight / 100 if name in ORDERED and not self.ordered else weight for name, _, weight in OPERATIONS]
        for name, kinds, _ in self.random.choices(OPERATIONS, weights, k=count):
            yield name, list(self.arguments(kinds))


def copied(oracle):
    copy = Oracle()
    copy.values, copy.order = dict(oracle.values), list(oracle.order)
    return copy


class Snapshots:
    """Copies of the oracle, by name; and random lines about them."""
    QUESTIONS = [operation for operation in OPERATIONS if operation[0] in
                 ("get", "has", "succ", "pred", "range", "count", "size")]

    def __init__(self, workload):
        self.workload, self.random, self.kept = workload, workload.random, {}

    def line(self, oracle):
        """A line, and its answer (None: any error)."""
        dice, name = self.random.random(), f"s{self.random.randint(0, 11)}"
        if dice < 0.05:
            return self.take(oracle, name)
        if dice < 0.09:
            return f"drop {name}", "ok" if self.kept.pop(name, None) else None
        asked, kinds, _ = self.random.choices(self.QUESTIONS, [weight for _, _, weight in self.QUESTIONS])[0]
        arguments = list(self.workload.arguments(kinds))
        line = " ".join((f"{asked}@{name}", *map(str, arguments)))
        return line, getattr(self.kept[name], asked)(*arguments) if name in self.kept else None

    def drop_all(self):
        for name in list(self.kept):
            del self.kept[name]
            yield f"drop {name}", "ok"

    def take(self, oracle, name):
        if name in self.kept:
            return f"snap {name}", None
        self.kept[name] = copied(oracle)
        return f"snap {name}", "ok"


class Files:
    """What files in a folder should hold; and random lines that save and load them."""

    def __init__(self, folder, snapshots):
        self.folder, self.snapshots, self.random, self.saved = folder, snapshots, snapshots.random, {}

    def lines(self, oracle):
        """Lines, each with its answer (None: any error). Mostly the snapshots are dropped before a load."""
        path = f"{self.folder}/f{self.random.randint(0, 3)}"
        dice = self.random.random()
        if dice < 0.1:
            yield self.random.choice((f"save {self.folder}/none/f", f"load {self.folder}/none", f"load {self.folder}",
                                      f"save {self.folder}", "save", "load", "save a b", "load a b")), None
        elif dice < 0.6:
            self.saved[path] = copied(oracle)
            yield f"save {path}", "ok"
        else:
            if dice < 0.95:
                yield from self.snapshots.drop_all()
            yield self.load(oracle, path)

    def load(self, oracle, path):
        if path not in self.saved or self.snapshots.kept:
            return f"load {path}", None
        content = copied(self.saved[path])
        oracle.values, oracle.order = content.values, content.order
        return f"load {path}", "ok"


def versioned_lines(snapshots, files, oracle):
    """What only a versioned map can do, now and then."""
    dice = snapshots.random.random()
    if dice < 0.3:
        yield snapshots.line(oracle)
    elif dice < 0.302 and files:
        yield from files.lines(oracle)


def make_run(bits, count, seed, structure, folder):
    """The input lines, and for each output line its input line and what is expected (None: any error)."""
    versioned, ordered = structure == "versioned", structure != "hash"
    workload, oracle = Workload(bits, seed, ordered), Oracle()
    snapshots = Snapshots(workload)
    files = Files(folder, snapshots) if folder else None
    lines, expected = [], []
    for name, arguments in workload.operations(count):
        for line, answer in versioned_lines(snapshots, files, oracle) if versioned else ():
            lines.append(line)
            expected.append((len(lines), line, answer))
        dice = workload.random.random()
        if dice < 0.002:
            lines.append(workload.bad_line())
            expected.append((len(lines), lines[-1], None))
        elif dice < 0.004:
            lines.append(workload.quiet_line())
        lines.append(" ".join((name, *map(str, arguments))))
        refused = name in ORDERED and not ordered
        answer = None if refused else getattr(oracle, METHODS.get(name, name))(*arguments)
        expected.append((len(lines), lines[-1], answer))
    return lines, expected


def shortened(text):
    return text if len(text) <= 200 else text[:200] + " ..."


def first_difference(expected, output):
    for (number, line, answer), got in zip(expected, output):
        right = got.startswith("error: ") and len(got) > 7 if answer is None else got == answer
        if not right:
            wanted = "error: ..." if answer is None else answer
            return f"line {number}, '{line}': got '{shortened(got)}', expected '{shortened(wanted)}'"
    if len(expected) != len(output):
        return f"{len(output)} lines of output, expected {len(expected)}"
    return None


def run_pleach(options, keys, threads, batch, engine, lines):
    command = [options.pleach, "replay", "--structure", options.structure, "--keys", str(keys),
               "--threads", str(threads), "--batch", str(batch), "--engine", engine, "--device", options.device]
    if options.chunk:
        command += ["--chunk", str(options.chunk)]
    return subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=900,
                          check=False)


def has_files(options):
    """Whether this build of pleach can save and load."""
    run = subprocess.run([options.pleach, "info"], capture_output=True, text=True, timeout=60, check=False)
    return "\nfiles     format " in run.stdout


def what_is_wrong(options, keys, threads, batch, engine, seed, count):
    """None if pleach and the oracle agree, else a sentence."""
    with tempfile.TemporaryDirectory() as folder:
        lines, expected = make_run(keys, count, seed, options.structure, folder if has_files(options) else None)
        run = run_pleach(options, keys, threads, batch, engine, lines)
    difference = first_difference(expected, run.stdout.splitlines())
    if difference:
        return f"{difference} {run.stderr.strip()}"
    status = 1 if any(answer is None for _, _, answer in expected) else 0
    if run.returncode != status:
        return f"exit status {run.returncode}, expected {status}: {run.stderr.strip()}"
    return None


def check(options, keys, threads, batch, engine, seed, count):
    start = time.time()
    chunk = f" --chunk {options.chunk}" if options.chunk else ""
    setting = (f"--structure {options.structure}{chunk} --keys {keys} --threads {threads} --batch {batch} "
               f"--engine {engine} --device {options.device} --seed {seed} --ops {count}")
    try:
        wrong = what_is_wrong(options, keys, threads, batch, engine, seed, count)
    except (OSError, subprocess.TimeoutExpired) as error:
        wrong = str(error)
    print(f"{'FAILED' if wrong else 'ok    '} {setting} ({time.time() - start:.1f} s){': ' + wrong if wrong else ''}",
          flush=True)
    return not wrong


def check_no_errors_means_status_zero(options):
    """A run without bad lines ends with exit status 0; the random runs all have some."""
    lines, expected = ["put 1 2", "# nothing", "", "get 1", "has 3", "size"], ["new", "2", "0", "1"]
    if options.structure != "hash":
        lines, expected = lines + ["range 5 4", "max"], expected + ["0", "1:2"]
    run = run_pleach(options, 32, 1, 1, "auto", lines)
    right = run.returncode == 0 and run.stdout.splitlines() == expected
    print(f"{'ok    ' if right else 'FAILED'} a small run without bad lines")
    return right


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pleach", default="build/pleach")
    parser.add_argument("--ops", type=int, help="operations (with --all: in total, default 1000000)")
    parser.add_argument("--structure", choices=tuple(WAYS), default="map")
    parser.add_argument("--chunk", type=int, choices=(16, 32), help="of a skiplist")
    parser.add_argument("--keys", type=int, choices=(32, 64), default=64)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--engine", choices=("auto", "batches", "calls", "arrays"), default="auto")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--all", action="store_true",
                        help="both widths, small and large batches, every engine; on the CPU 1 and 2 threads")
    return parser.parse_args()


def main():
    options = parse_arguments()
    seed = options.seed if options.seed is not None else int(time.time())
    if options.all:
        settings = every_setting(options.structure, options.device, options.ops or 1_000_000)
        results = [check(options, *setting[:-1], seed + i, setting[-1]) for i, setting in enumerate(settings)]
        results.append(check_no_errors_means_status_zero(options))
        print(f"replay: {sum(setting[-1] for setting in settings)} operations checked with an oracle")
    else:
        results = [check(options, options.keys, options.threads, options.batch, options.engine, seed,
                         options.ops or 100_000)]
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
