#!/usr/bin/env python3
"""Single drawings as SVG.

'batches': throughput over response time, both logarithmic, of the updates in results of 'pleach-bench batches --json
FILE.json'. A point is a batch size; of its repeats the quickest counts.
'stream': triangles over events, from the table that 'pleach graph stream' prints, on standard input."""
import argparse
import io
import sys

import files
from files import Failed, number, text


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    batches = kinds.add_parser("batches")
    batches.add_argument("results", nargs="+", metavar="LABEL=FILE.json")
    files.take_memory(batches)
    stream = kinds.add_parser("stream")
    for kind in (batches, stream):
        kind.add_argument("--output", required=True, metavar="FILE.svg", help="- is standard output")
    return parser.parse_args()


def response_times(rows):
    """Microseconds, and millions of updates a second, by batch size."""
    best = {}
    for row in rows:
        repeat = text(row, "benchmark") == "batch/update" and text(row, "run_type") == "iteration"
        if repeat and number(row, "batch") > 0:
            best[row["batch"]] = max(best.get(row["batch"], 0), number(row, "items_per_second") / 1e6)
    points = [(batch / rate, rate) for batch, rate in sorted(best.items()) if rate > 0]
    if not points:
        raise Failed("there are no results of batch/update")
    return zip(*points)


def draw_batches(axes, wish):
    reader = files.Reader(wish.max_memory)
    for one in wish.results:
        label, _, path = one.partition("=")
        axes.loglog(*response_times(reader.read_results(path)[1]), marker="o", markersize=4, label=label)
    axes.set(xlabel="response time of a batch, microseconds", ylabel="updates, millions a second")
    axes.legend()


def draw_stream(axes):
    rows = [line.split() for line in sys.stdin]
    points = [(int(row[2]), int(row[4])) for row in rows if len(row) == 8 and row[0].isdigit()]
    if len(points) < 2:
        raise Failed("standard input is no table of 'pleach graph stream' with two batches")
    axes.plot(*zip(*points))
    axes.set(xlabel="events", ylabel="triangles", ylim=(0, None))


def main():
    wish = read_arguments()
    files.need_matplotlib()
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "pleach"})
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    axes.grid(alpha=0.3)
    if wish.kind == "batches":
        draw_batches(axes, wish)
    else:
        draw_stream(axes)
    drawing = io.StringIO()
    FigureCanvasSVG(figure).print_svg(drawing, metadata={"Date": None})
    files.write(wish.output, drawing.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(files.run(main))
