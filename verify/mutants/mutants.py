#!/usr/bin/env python3
"""Makes small faults by rule in the algorithms, and asks whether the simulator notices each of them.

  verify/mutants/mutants.py --build FOLDER [--count N] [--seed N] [--jobs N] [--only TEXT] [--list]

A mutant is one change: a comparison is swapped for its neighbour, a statement is dropped, two neighbouring statements
change places, a number is off by one, or one logical operator is the other. N of all that there are (500) are drawn with
the seed. Each is compiled into the simulated variants that cover its file (orders.py has the table), which run
schedules until one has a finding; a mutant gets 20 seconds of CPU. FOLDER is a build folder (scripts/build).

The result of a mutant is one of
  caught      a finding, a crash, or a run that does not end
  survived    none
  equal       the object code of all variants is as before: the change changes nothing there
  stillborn   it does not compile, or not without the warnings that a build of the library has on
  argued      none, and mutants_argued.py says why nothing could notice it
The last line is "N passed, N failed": it fails if fewer than 95 percent are caught, of those that survived or are caught
and are not argued.
"""
import argparse
import concurrent.futures
import filecmp
import glob
import os
import random
import re
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "plants"))
import orders
import run
from mutants_argued import EQUIVALENT

FILES = ("core/blink", "core/versioned", "core/skiplist", "core/slabhash", "pool", "epoch", "version", "node")
SECONDS, SCHEDULES, VARIANTS, LEAST = 20, 4000, 4, 95
WARNINGS = ("-Werror=return-type", "-Werror=uninitialized", "-Wno-maybe-uninitialized")

SWAPS = [
    (r" <= ", " < "), (r" < ", " <= "), (r" >= ", " > "), (r" > ", " >= "), (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "), (r" \+ 1\b", ""), (r" - 1\b", ""), (r"\b0;", "1;"), (r"\b1;", "0;"),
    (r"\bif \((?!!)", "if (!("),
]
STATEMENT = re.compile(r"^ +(?!return|break|continue|case|goto|typedef|static|const |enum)[^;{}/]*;$", re.M)
DECLARATION = re.compile(r"^ +(?:const )?(?:[WS]\()?\w+\)?(?: |\)? ?\*)+\w+(?:\[.*\])?(?: =|;|,)")


@dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    function: str
    what: str
    source: str  # what stands there, from the first line that changes to the last
    begin: int
    end: int
    put: str

    def name(self):
        return f"{self.file}:{self.line} {self.what}"

    def argued(self):
        return EQUIVALENT.get((self.file, self.function, self.what, self.source))


def made_of(file, text):
    code, found = orders.masked(text), []
    body = code.find("\n{")  # what stands before the first function is types and numbers
    for pattern, put in SWAPS:
        for m in re.finditer(pattern, code):
            if m.start() < body:
                continue
            if put == "if (!(":
                _, end = orders.arguments(code, m.end() - 1)
                found.append((m.start(), end, "a condition is negated", put + text[m.end():end] + ")"))
            else:
                found.append((m.start(), m.end(), f"'{m.group(0).strip()}' is '{put.strip()}'", put))
    lines = [m for m in STATEMENT.finditer(code) if m.start() > body and not DECLARATION.match(m.group(0))]
    for m in lines:
        found.append((m.start(), m.end(), "a statement is dropped", ";"))
    for a, b in zip(lines, lines[1:]):
        indents = [len(m.group(0)) - len(m.group(0).lstrip()) for m in (a, b)]
        if a.end() + 1 == b.start() and indents[0] == indents[1]:
            found.append((a.start(), b.end(), "two statements change places", f"{b.group(0)}\n{a.group(0)}"))
    return [Mutant(file, text.count("\n", 0, begin + 1) + 1, orders.function_at(code, begin), what,
                   source_of(code, begin, end), begin, end, put) for begin, end, what, put in sorted(found)]


def source_of(code, begin, end):
    return " ".join(code[code.rfind("\n", 0, begin) + 1:code.find("\n", end)].split())


def all_mutants():
    made = []
    for file in [f for folder in FILES for f in sorted(glob.glob(f"src/{folder}/*.h", root_dir=run.ROOT))]:
        if re.search(r"_team\.h|_device|_check|_cuda\.h|_avx|_rank|_lines|_sink|_words|search_wide", file):
            continue  # no simulated variant compiles these, or the checks themselves
        with open(os.path.join(run.ROOT, file), encoding="utf-8") as f:
            made += made_of(file, f.read())
    return made


def limit_cpu():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def notice(program, where):
    """What the simulator says; None: nothing."""
    said = subprocess.run([program, *run.campaign(orders.as_plant(where)), "--schedules", str(SCHEDULES)],
                          capture_output=True, text=True, errors="replace", preexec_fn=limit_cpu, check=False)
    found = re.search(r"^finding: (.*)$", said.stdout, re.M)
    return found.group(1) if found else f"exit status {said.returncode}" if said.returncode else None


def warns(where, folder, cc):
    """Whether the compiler says something of a changed variant; it says nothing of an unchanged one."""
    source, isa, bits = run.variant_parts(where)
    flags = [f for f in run.FLAGS if f != "-w"]
    return subprocess.run([cc, *flags, "-O1", *WARNINGS, f"-DPLEACH_KEY_BITS={bits}", f"-DPLEACH_NODE_ISA_{isa}=1",
                           f"-I{folder}/include", "-c", os.path.join(folder, source), "-o", os.devnull],
                          capture_output=True, check=False).returncode != 0


def ask(mutant, n, options, unchanged):
    folder = os.path.join(options.build, "mutants", str(n))
    run.plant_nothing(folder)
    path, differs = os.path.join(folder, mutant.file), False
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text[:mutant.begin] + mutant.put + text[mutant.end:])
    try:
        for where in covering(mutant):
            program = run.compile_plant(orders.as_plant(where), folder, options.build, options.cc, "-O1")
            if filecmp.cmp(os.path.join(folder, "planted.o"), unchanged[where].result(), shallow=False):
                continue
            differs = True
            said = notice(program, where)
            if said:
                return "caught", f"{where}: {said}"
            if warns(where, folder, options.cc):
                return "stillborn", ""
    except run.Missed:
        return "stillborn", ""
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return ("survived", "") if differs else ("equal", "")


def covering(mutant):
    """One variant of each structure first, then a second of each, and so on."""
    variants = next(variants for begin, variants in orders.COVER if mutant.file.startswith(begin))
    families = [w.split("/")[0] for w in variants]
    turns = [families[:i].count(f) for i, f in enumerate(families)]
    return [w for _, w in sorted(zip(turns, variants), key=lambda both: both[0])][:VARIANTS]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    wanted = [m for m in all_mutants() if options.only in m.name()]
    random.Random(options.seed).shuffle(wanted)
    wanted = wanted[:options.count]
    if options.list:
        print(*(m.name() for m in wanted), sep="\n")
        return 0
    if not options.build:
        parser.error("--build is needed")
    options.build, options.cc = os.path.abspath(options.build), os.environ.get("CC", "cc")

    totals = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        unchanged = {w: pool.submit(orders.unchanged_object, w, options.build, options.cc)
                     for w in sorted({w for m in wanted for w in covering(m)})}
        results = [pool.submit(ask, m, n, options, unchanged) for n, m in enumerate(wanted)]
        for mutant, result in zip(wanted, results):
            outcome, said = result.result()
            if outcome == "survived" and mutant.argued():
                outcome, said = "argued", mutant.argued()
            totals[outcome] = totals.get(outcome, 0) + 1
            print(f"{outcome:9} {mutant.name()}  {said}", flush=True)
    caught, survived = totals.get("caught", 0), totals.get("survived", 0)
    print(", ".join(f"{n} {outcome}" for outcome, n in sorted(totals.items())))
    enough = caught and caught * 100 >= LEAST * (caught + survived)
    print(f"{caught} passed, {0 if enough else survived or 1} failed")
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
