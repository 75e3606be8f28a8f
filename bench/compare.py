#!/usr/bin/env python3
"""Compares two files that 'pleach-bench --json' has written, or others of the shape that Google Benchmark's have. A
benchmark is faster, or slower, if all its repeats are on one side of all repeats of the other file, and the medians
differ by more than the percentage; else it is the same, as far as these repeats tell. The last line says how many there
were of each. Exit status: 0, 1 if any is slower and --fail-if-slower was given, 2 if the files cannot be compared."""
import argparse
import statistics
import sys

import files
from files import number, text

ROW = "%-72s %11s %11s %7s"


def percentage(words):
    value = float(words)
    if not 0 <= value <= 1000:
        raise ValueError
    return value


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", metavar="BEFORE.json")
    parser.add_argument("after", metavar="AFTER.json")
    parser.add_argument("--percent", type=percentage, default=2, metavar="P",
                        help="differences up to this are none (default 2)")
    parser.add_argument("--changed", action="store_true", help="only benchmarks that are faster or slower")
    parser.add_argument("--fail-if-slower", action="store_true", help="exit status 1 if any is slower")
    files.take_memory(parser)
    return parser.parse_args()


def rate_of(row):
    """Operations a second, or the inverse of the time where a file has only that."""
    time = number(row, "real_time")
    return max(number(row, "items_per_second"), 0) or (1 / time if time > 0 else 0)


def series_of(rows):
    """The rates of all repeats of each benchmark, by its name."""
    series = {}
    for row in rows:
        if text(row, "run_type", "iteration") == "iteration" and "name" in row and rate_of(row) > 0:
            series.setdefault(text(row, "name"), []).append(rate_of(row))
    return series


def verdict_of(before, after, percent):
    change = 100 * (statistics.median(after) / statistics.median(before) - 1)
    if min(after) > max(before) and change > percent:
        return "faster"
    return "slower" if max(after) < min(before) and change < -percent else "same"


def tell(name, before, after, verdict):
    """Millions a second for what counts operations; or as it is, for times."""
    was, now = statistics.median(before), statistics.median(after)
    unit = 1e6 if was > 1e5 else 1
    print(ROW % (name, f"{was / unit:.4g}", f"{now / unit:.4g}", f"{now / was:.3f}") + f"  {verdict}")


def main():
    wish = read_arguments()
    reader = files.Reader(wish.max_memory)
    (one, rows_before), (two, rows_after) = (reader.read_results(path) for path in (wish.before, wish.after))
    before, after = series_of(rows_before), series_of(rows_after)
    for part in ("cpu", "gpu", "simd", "compiler"):
        if text(one, part) != text(two, part):
            print(f"not the same {part}: {text(one, part)}; then {text(two, part)}")
    print(ROW % ("benchmark", "before, M/s", "after, M/s", "times"))
    tally = {"faster": 0, "slower": 0, "same": 0}
    for name in before:
        if name in after:
            verdict = verdict_of(before[name], after[name], wish.percent)
            tally[verdict] += 1
            if verdict != "same" or not wish.changed:
                tell(name, before[name], after[name], verdict)
    gone, new = [name for name in before if name not in after], [name for name in after if name not in before]
    for names, when in ((gone, "before"), (new, "after")):
        for name in names:
            print(f"{name:<72} only {when}")
    print(f"{tally['faster']} faster, {tally['slower']} slower, {tally['same']} the same, {len(gone)} only before, "
          f"{len(new)} only after")
    return 1 if wish.fail_if_slower and tally["slower"] else 0


if __name__ == "__main__":
    sys.exit(files.run(main))
