#!/usr/bin/env python3
"""What of src/ was run: adds up gcov's figures over all object files of a build folder.

    coverage.py BUILD_FOLDER [--check]

Prints the lines of src/ that were never reached, the branches of the argument checks that were never taken, and the
share that was, by file. With --check the exit status is 1 if a branch of the argument checks was not taken.

LINES      A header or a source that is compiled several times (by key width, by instruction set) counts as reached
           where one of its object files reached it. Left out is what verify/ compiles of src/ for itself: the
           simulator runs the GPU's verbs, and that says nothing of the library.
ARGUMENT   All branches of all functions in the files of public calls, ARGUMENT_CHECKS. These files check arguments, pass
CHECKS     the gate and hand over, and have nothing else in them, so there is no list of functions and no exception.
           tests/map/test_map_arguments.c and test_hash_arguments.c compile these files again, with a counterfeit backend, to
           take the branches that need a GPU; the n-th branch of a line is the same one in both.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = "src/"
ARGUMENT_CHECKS = tuple("src/" + file for file in (
    "base/config_threads.h", "base/status.c", "map/info.c", "map/map.c", "map/map_batch.c", "map/map_choose_engine.c",
    "map/map_object.h", "map/map_skiplist_view.c", "map/map_snapshot.c", "hash/hash.c", "graph/graph.c",
    "graph/graph_object.h", "graph/ordered/ordered_snapshot.c", "graph/graph_triangles.c"))


class Coverage:
    """Counts by source file (relative to the project) and line; branches by their place in the line."""

    def __init__(self):
        self.lines = collections.defaultdict(collections.Counter)
        self.branches = collections.defaultdict(dict)

    def add(self, report):
        folder = pathlib.Path(report["current_working_directory"])
        for file in report["files"]:
            path = (folder / file["file"]).resolve()
            if not path.is_relative_to(ROOT / SOURCES):
                continue
            name = str(path.relative_to(ROOT))
            for line in file["lines"]:
                self.add_line(name, line)

    def add_line(self, name, line):
        number = line["line_number"]
        self.lines[name][number] += line["count"]
        counts = self.branches[name].setdefault(number, [])
        for place, branch in enumerate(line["branches"]):
            if place == len(counts):
                counts.append(0)
            counts[place] += branch["count"]


def gcov_reports(folder):
    """One report for each object file; those that no program ran have no .gcda, and count as never reached."""
    for notes in sorted(folder.rglob("*.gcno")):
        if "verify" in notes.relative_to(folder).parts:
            continue
        command = ["gcov", "--json-format", "--stdout", "--branch-probabilities", "--branch-counts", str(notes)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: {done.stderr}")
        for text in done.stdout.splitlines():
            yield json.loads(text)


def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


def source_lines(name):
    return (ROOT / name).read_text(encoding="utf-8").splitlines()


def print_unreached(coverage):
    print("never reached:")
    for name in sorted(coverage.lines):
        text = source_lines(name)
        for number in sorted(n for n, count in coverage.lines[name].items() if count == 0):
            print(f"   {name}:{number}: {text[number - 1].strip()}")


def print_lines_by_file(coverage):
    print("lines reached:")
    reached_all = lines_all = 0
    for name in sorted(coverage.lines):
        counts = coverage.lines[name]
        reached, lines = sum(count > 0 for count in counts.values()), len(counts)
        reached_all, lines_all = reached_all + reached, lines_all + lines
        print(f"   {percent(reached, lines):6.1f} %  {reached:5} of {lines:5}  {name}")
    print(f"   {percent(reached_all, lines_all):6.1f} %  {reached_all:5} of {lines_all:5}  {SOURCES}")
    return lines_all


def print_checks(coverage):
    """The argument checks: branches not taken, then the sum. Answers whether all were."""
    taken = branches = 0
    print("argument checks, branches never taken:")
    for name in sorted(coverage.branches):
        if not name.startswith(ARGUMENT_CHECKS):
            continue
        text = source_lines(name)
        for number, counts in sorted(coverage.branches[name].items()):
            taken, branches = taken + sum(count > 0 for count in counts), branches + len(counts)
            missing = [str(place) for place, count in enumerate(counts) if count == 0]
            if missing:
                print(f"   {name}:{number}: branch {', '.join(missing)} of {len(counts)}: {text[number - 1].strip()}")
    print(f"argument checks: {percent(taken, branches):.1f} % of branches, {taken} of {branches}, in the public calls")
    return branches > 0 and taken == branches


def main():
    parser = argparse.ArgumentParser(description="Coverage of src/ by the tests of a build folder.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="fail if a branch of the argument checks was not taken")
    arguments = parser.parse_args()
    coverage = Coverage()
    for report in gcov_reports(arguments.folder.resolve()):
        coverage.add(report)
    print_unreached(coverage)
    lines = print_lines_by_file(coverage)
    complete = print_checks(coverage)
    if lines == 0:
        sys.exit(f"no coverage in {arguments.folder}: was it built with --coverage, and were the tests run?")
    return 1 if arguments.check and not complete else 0


if __name__ == "__main__":
    sys.exit(main())
