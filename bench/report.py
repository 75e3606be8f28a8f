#!/usr/bin/env python3
"""Makes a page of what 'pleach-bench --json' has written: for each operation lines over the sizes that it was measured
with, or bars; latencies, memory, the parts of limits that were reached; and all figures as tables. A FOLDER stands for
all its .json files; those of 'pleach-bench paper --out FOLDER' are shown with what the papers report. The page is one
file that needs no network, is readable on a phone, and is light or dark as its reader likes."""
import argparse
import os
import re
import sys

import files
from files import Failed

LIST = "papers.json"  # what the papers report, beside the results of 'pleach-bench paper'


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", metavar="RESULTS.json|FOLDER", help="at most 512 files in all")
    parser.add_argument("--output", "--out", default="report.html", metavar="FILE",
                        help="where to (default report.html); - is standard output")
    parser.add_argument("--title", default="Benchmarks of pleach", metavar="TEXT", help="default: Benchmarks of pleach")
    parser.add_argument("--reasons", metavar="FILE",
                        help="lines 'PATTERN: why' for operations where pleach is not the fastest, or below half of "
                             "its limit; 'find*@cuda*' matches the names of such operations with their device")
    parser.add_argument("--plots", metavar="FOLDER",
                        help="also write every drawing as FOLDER/NAME.svg, for light and dark pages")
    parser.add_argument("--plot", action="append", default=[], metavar="NAME=FILE", help="one of them")
    files.take_memory(parser)
    wish = parser.parse_args()
    for one in wish.plot:
        if "=" not in one:
            parser.error("--plot takes NAME=FILE")
    return wish


def experiment_of(path, experiments):
    """The place in the list of the experiment that a file is of; None: none, or one of pleach's own, which are shown
    by what they measure."""
    for i, experiment in enumerate(experiments):
        name = re.escape(files.text(experiment, "name"))
        if files.text(experiment, "paper") and re.fullmatch(rf"{name}(-\d*)?\.json", os.path.basename(path)):
            return i
    return None


def find_files(paths, reader):
    """Files of results, and the papers' experiments of the lists beside them."""
    found, experiments = [], {}
    for path in paths:
        folder = path if os.path.isdir(path) else os.path.dirname(path)
        beside = os.path.join(folder, LIST)
        if beside not in experiments:
            value = reader.read(beside) if os.path.exists(beside) else {}
            listed = value.get("experiments", [])
            experiments[beside] = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        if not os.path.isdir(path):
            found.append(path)
            continue
        try:
            inside = [os.path.join(path, name) for name in os.listdir(path) if name.endswith(".json") and name != LIST]
        except OSError as error:
            raise Failed(f"{path}: {error.strerror}") from None
        if not inside:
            raise Failed(f"{path}: has no .json file")
        order = {one: experiment_of(one, experiments[beside]) for one in inside}
        found += sorted(inside, key=lambda one, order=order: (order[one] is None, order[one] or 0, one))
    if len(found) > 512:
        raise Failed("at most 512 files")
    listed = {files.text(one, "name"): one for some in experiments.values() for one in some}
    return found, list(listed.values())


def read_all(wish):
    """Points in their order, how many results there were, the files' contexts, and the papers' experiments."""
    from page import points, verdicts
    reader = files.Reader(wish.max_memory)
    paths, experiments = find_files(wish.paths, reader)
    read, some = [], []
    for path in paths:
        context, rows = reader.read_results(path)
        made = points.read_points(path, context, rows)
        paper = experiment_of(path, experiments)
        for point in made:
            if paper is not None and point.part != points.LIMITS:
                point.part = points.PAPERS + paper
        read.append((path, context))
        some += made
    results = len(some)
    some = points.merge_limits(some + points.memory_points(some))
    some += points.latency_points(some)
    reasons = verdicts.read_reasons(wish.reasons) if wish.reasons else []
    points.sort_points(some)
    verdicts.judge(some, reasons)
    return some, results, read, experiments


def save(page, wish):
    words, alone = page.whole(), page.drawings.alone
    files.write(wish.output, words)
    if wish.plots:
        try:
            os.makedirs(wish.plots, exist_ok=True)
        except OSError as error:
            raise Failed(f"{wish.plots}: {error.strerror}") from None
        for name, drawing in alone.items():
            files.write(os.path.join(wish.plots, f"{name}.svg"), drawing)
    for one in wish.plot:
        name, _, path = one.partition("=")
        if name not in alone:
            raise Failed(f"--plot {one}: no drawing has this name; the page has them as ids")
        files.write(path, alone[name])


def main():
    wish = read_arguments()
    some, results, read, experiments = read_all(wish)
    files.need_matplotlib()
    from page import html, verdicts
    page = html.Page(wish.title, some, read, experiments)
    save(page, wish)
    flagged = verdicts.worst(some)
    print(f"{wish.output}: {results} results, {len(page.drawings.alone)} drawings; open it in a browser\n"
          f"{len(flagged)} operations are not the fastest or below half of their limit; "
          f"{sum(not point.why for point in flagged)} without a reason",
          file=sys.stderr if wish.output == "-" else sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(files.run(main))
