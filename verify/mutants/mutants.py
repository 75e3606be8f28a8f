#!/usr/bin/env python3
"""Makes small faults by rule in the algorithms, and asks whether the simulator or a test notices each of them.

  verify/mutants/mutants.py --build FOLDER [--count N] [--seed N] [--seconds N] [--jobs N] [--only TEXT]
                            [--results FILE [--again OUTCOME,...]] [--argued] [--list]
  verify/mutants/mutants.py --targets

A mutant is one change: a comparison is swapped for its neighbour, a statement is dropped, two neighbouring statements
change places, a number is off by one, or one logical operator is the other. N of all that there are (500) are drawn
with the seed; edits of other lines do not change which ones. judges.py asks about each, until it is noticed or has had
its seconds of CPU (20, compiling included): 1,000 schedules in each of up to five simulated variants that it changes,
of those that cover its file (orders.py has the table), then the test programs that cover it, first those that include
the file (also with 0 for what is uninitialized), then more schedules in all those variants. FOLDER is a build folder
without CUDA that has the programs which --targets names.

--results appends each answer to FILE and takes those that are there already: a run that was stopped goes on. --again
asks those anew that came to one of these outcomes, but for what is argued. What mutants_argued.py argues is not asked
about, unless --argued is given: then it is an error if an argued mutant is caught.

The result of a mutant is one of
  caught      a finding, a crash, a test that fails, or a run that does not end
  survived    none
  equal       the object code of all that includes it is as before: the change changes nothing there
  stillborn   it does not compile, or not without the warnings that a build of the library has on
  argued      mutants_argued.py says why nothing could notice it
  refuted     caught, although it is argued
The last line is "N passed, N failed": it fails if fewer than 95 percent are caught, of those that survived or are
caught and are not argued, if one is refuted, or if an argument names a mutant that does not exist.
"""
import argparse
import collections
import concurrent.futures
import functools
import glob
import hashlib
import os
import queue
import re
import shutil
import sys
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "plants"))
import judges
import orders
import run
from mutants_argued import EQUIVALENT

FILES = ("level", "blink", "versioned", "skiplist", "hash", "pool", "epoch", "version", "node")
LEAST = 95  # percent

SWAPS = [
    (r" <= ", " < "), (r" < ", " <= "), (r" >= ", " > "), (r" > ", " >= "), (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "), (r" \+ 1\b", ""), (r" - 1\b", ""), (r"\b0;", "1;"), (r"\b1;", "0;"),
    (r"\bif \((?!!)", "if (!("),
]
STATEMENT = re.compile(r"^ +(?!return|break|continue|case|goto|typedef|static|const |enum)[^;{}/]*;$", re.M)
DECLARATION = re.compile(r"^ +(?:const )?\w+(?: | ?\*)+\w+(?:\[.*\])?(?: =|;|,)")


@dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    function: str
    what: str
    which: int  # the place among those of this function with the same `what` and `source`
    source: str  # what stands there, from the first line that changes to the last
    begin: int
    end: int
    put: str

    def name(self):
        return f"{self.file}:{self.line} {self.told()}"

    def told(self):
        return self.what + (f" ({self.which})" if self.which > 1 else "")

    def text(self):
        """The whole file with the change."""
        text = text_of(self.file)
        return text[:self.begin] + self.put + text[self.end:]

    def key(self):
        return hashlib.sha256(f"{self.file}\n{self.text()}".encode()).hexdigest()[:16]

    def place(self):
        """Its name in mutants_argued.py."""
        return self.file, self.function, self.told(), self.source

    def argued(self):
        return EQUIVALENT.get(self.place())


@functools.cache
def text_of(file):
    with open(os.path.join(run.ROOT, file), encoding="utf-8") as f:
        return f.read()


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
    made, counts = [], collections.Counter()
    for begin, end, what, put in sorted(found):
        function, source = orders.function_at(code, begin), source_of(code, begin, end)
        counts[function, what, source] += 1
        made.append(Mutant(file, text.count("\n", 0, begin + 1) + 1, function, what, counts[function, what, source],
                           source, begin, end, put))
    return made


def source_of(code, begin, end):
    return " ".join(code[code.rfind("\n", 0, begin) + 1:code.find("\n", end)].split())


def all_mutants():
    made = []
    for file in [f for folder in FILES for f in sorted(glob.glob(f"src/{folder}/*.h", root_dir=run.ROOT))]:
        if (re.search(r"_team\.h|_device|_check|_cuda\.h|_avx|_rank|_lines|_sink|_words|_prefetch|search_wide", file)
                or orders.not_simulated(file)):
            continue  # no simulated variant compiles these, or the checks themselves
        made += made_of(file, text_of(file))
    return made


def drawn(mutants, seed):
    """All mutants in an order given by the seed. The rank of each depends only on its own lines and on the name of its
    file, so edits elsewhere do not change which mutants are drawn."""
    def rank(m):
        words = (str(seed), os.path.basename(m.file), m.function, m.what, m.source, str(m.which))
        return hashlib.sha256("\n".join(words).encode()).digest()
    return sorted(mutants, key=rank)


class Court:
    """The judges, and a shadow for each mutant that is before them."""

    def __init__(self, options):
        folder = os.path.join(options.build, "mutants")
        shutil.rmtree(folder, ignore_errors=True)
        self.seconds, self.shadows = options.seconds, queue.SimpleQueue()
        for n in range(options.jobs):
            self.shadows.put(judges.make_shadow(os.path.join(folder, str(n))))
        judges.make_shadow(os.path.join(folder, "unchanged"))
        self.simulator = judges.Simulator(options.build, options.cc, folder)
        self.tests = judges.Tests(options.build, options.cc, folder)

    def ask(self, mutant):
        """Answers (outcome, who noticed what, seconds of CPU)."""
        shadow = self.shadows.get()
        case = judges.Case(mutant, shadow, self.seconds)
        judges.put_in(shadow, mutant.file, mutant.text())
        try:
            outcome, said = self.outcome(case)
        except run.Missed:
            outcome, said = "stillborn", ""
        except judges.Spent:
            outcome, said = "survived", ""
        finally:  # also after an error, so that the other threads end
            judges.put_in(shadow, mutant.file, None)
            self.shadows.put(shadow)
        return outcome, said, self.seconds - case.seconds

    def outcome(self, case):
        simulator, tests = self.simulator, self.tests
        variants = judges.variants_of(case.mutant.file)
        said = simulator.notice_in(variants, case, "-O0", 1, judges.FEW, judges.VARIANTS)
        if said:
            return "caught", said
        changes = [where for (where, _), program in case.programs.items() if program]
        if changes and simulator.warns(changes[0], case):
            return "stillborn", ""
        said = tests.notice_by_itself(case, "-O0") or tests.notice_by_itself(case, "zeros")
        if said:
            return "caught", said
        objects = dict(tests.changed(case, "-O0"))
        if not changes and not objects:
            return "equal", ""
        said = tests.notice(case, objects)
        if said:
            return "caught", said
        if not any(simulator.program(where, case, "-O1") for where in variants) and not any(tests.changed(case, "-O1")):
            return "equal", ""
        for seed in range(2, 2 + judges.ROUNDS):
            said = simulator.notice_in(variants, case, "zeros", seed, judges.MANY)
            if said:
                return "caught", said
        return "survived", ""


# ---- results ----

def read_results(file):
    """By key: what was answered before."""
    if not file or not os.path.exists(file):
        return {}
    with open(file, encoding="utf-8") as f:
        answers = (line.rstrip("\n").split("\t") for line in f if line.count("\t") == 4)
        return {key: (outcome, said, float(seconds)) for key, outcome, seconds, _, said in answers}


def ask_all(wanted, options):
    """Each mutant with its answer, in order; answers go to the file of results as they come."""
    known, again = read_results(options.results), options.again.split(",")
    for mutant in wanted:
        if known.get(mutant.key(), (None,))[0] in again and not mutant.argued():
            del known[mutant.key()]
    asked = [m for m in wanted if options.argued or not m.argued()]
    court = Court(options) if any(m.key() not in known for m in asked) else None

    def answer(mutant):
        if mutant.argued() and not options.argued:
            return "argued", mutant.argued(), 0
        if mutant.key() in known:
            return known[mutant.key()]
        outcome, said, seconds = court.ask(mutant)
        said = " ".join(said.split())
        if options.results:
            with open(options.results, "a", encoding="utf-8") as f:
                f.write(f"{mutant.key()}\t{outcome}\t{seconds:.1f}\t{mutant.name()}\t{said}\n")
        return outcome, said, seconds

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for n, (mutant, given) in enumerate(zip(wanted, pool.map(answer, wanted)), 1):
            print(f"{n} of {len(wanted)} {given[0]:9} {given[2]:4.1f} s  {mutant.name()}", file=sys.stderr, flush=True)
            yield mutant, given


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=int, default=judges.SECONDS)
    parser.add_argument("--only", default="")
    parser.add_argument("--results")
    parser.add_argument("--again", default="")
    parser.add_argument("--argued", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--targets", action="store_true")
    options = parser.parse_args()
    if options.targets:
        print(*judges.targets())
        return 0
    mutants = all_mutants()
    wanted = [m for m in drawn(mutants, options.seed)[:options.count] if options.only in m.name()]
    if options.list:
        print(*(m.name() for m in wanted), sep="\n")
        return 0
    if not options.build:
        parser.error("--build is needed")
    options.build, options.cc = os.path.abspath(options.build), os.environ.get("CC", "cc")

    totals = {}
    for mutant, (outcome, said, _) in ask_all(wanted, options):
        if mutant.argued() and outcome == "survived":
            outcome, said = "argued", mutant.argued()
        elif mutant.argued() and outcome == "caught":
            outcome = "refuted"
        who = (" by a test" if said.startswith("test_") else " by the simulator") if outcome == "caught" else ""
        totals[outcome + who] = totals.get(outcome + who, 0) + 1
        print(f"{outcome:9} {mutant.name()}  {said}", flush=True)
    stale = set(EQUIVALENT) - {m.place() for m in mutants}
    for file, function, what, _ in sorted(stale):
        print(f"stale     {file} {function}, {what}: mutants_argued.py must follow the code")
    caught = sum(n for outcome, n in totals.items() if outcome.startswith("caught"))
    survived = totals.get("survived", 0)
    print(", ".join(f"{n} {outcome}" for outcome, n in sorted(totals.items())))
    enough = caught and caught * 100 >= LEAST * (caught + survived)
    failed = len(stale) + totals.get("refuted", 0) + (0 if enough else survived or 1)
    print(f"{caught} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
