#!/usr/bin/env python3
"""Compares `pleach graph stream` and `pleach graph triangles` with sets of neighbours in Python.

usage: graph_oracle.py [--pleach FILE] [--device cpu|cuda] [--events TOTAL] [--seed N]

Random events of edges, some of them self loops and many of them repeated, are replayed in batches of 1, 7 and 4096,
with and without a window, with every way to keep neighbours. Each line of the table is compared: the edges and
triangles that there are, and the edges that came and went. Then the triangles of the same edges, and of graphs that
`pleach graph gen` makes, are counted, each graph being built in every way. The last line is "N passed, N failed".
"""
import argparse
import collections
import itertools
import math
import random
import sys
import tempfile
import time

from checks import check, finish, run

KEPT = (["--adjacency", "hash"], ["--adjacency", "ordered"], ["--sparse"])
BATCHES = ((1, 0.01), (7, 0.05), (4096, 1)) # and which part of the events: small batches take long on a GPU
BUILDS = ("bulk", "batches", "random", "churn")
GENERATED = (["rmat", "--edge-factor", "8"], ["rgg"], ["grid"], ["delaunay"])


class Graph:
    """Undirected, without self loops; for each edge the time of its last event."""

    def __init__(self):
        self.last = {}
        self.neighbours = collections.defaultdict(set)
        self.triangles = 0

    def put(self, u, v, when):
        edge = (min(u, v), max(u, v))
        if edge not in self.last:
            self.triangles += len(self.neighbours[u] & self.neighbours[v])
            self.neighbours[u].add(v)
            self.neighbours[v].add(u)
        self.last[edge] = when

    def erase(self, edge):
        u, v = edge
        del self.last[edge]
        self.neighbours[u].remove(v)
        self.neighbours[v].remove(u)
        self.triangles -= len(self.neighbours[u] & self.neighbours[v])


def make_events(count, draw):
    """(u, v, t), not in order of time. Few vertices for the number of events, some of them in most events."""
    vertices = [draw.randrange(2**32 - 1) for _ in range(20 + math.isqrt(4 * count))]
    events = []
    for i in range(count):
        u, v = (vertices[int(len(vertices) * draw.random() ** 2)] for _ in range(2))
        events.append((u, v, i // 3 + draw.randrange(20)))
    return events


def expected_table(events, batch, window):
    """What the columns of `graph stream` but the last are, line by line."""
    events, graph, rows = sorted(events, key=lambda event: event[2]), Graph(), []
    for begin in range(0, len(events), batch):
        part, before = events[begin:begin + batch], len(graph.last)
        for u, v, when in part:
            if u != v:
                graph.put(u, v, when)
        came, now = len(graph.last) - before, part[-1][2]
        gone = [edge for edge, last in graph.last.items() if window is not None and last < now - window]
        for edge in gone:
            graph.erase(edge)
        rows.append([len(rows) + 1, now, begin + len(part), len(graph.last), graph.triangles, came, len(gone)])
    return rows


def check_stream(pleach, device, path, events, batch, window, kept):
    options = ["--device", device, "--batch", str(batch), *kept]
    options += ["--window", str(window)] if window is not None else []
    lines = run([pleach, "graph", "stream", *options, path]).stdout.splitlines()[1:]
    rows = [[int(word) for word in line.split()[:7]] for line in lines]
    wrong = [pair for pair in itertools.zip_longest(rows, expected_table(events, batch, window)) if pair[0] != pair[1]]
    check(f"stream {' '.join(options)}", not wrong, f"{wrong[:1]}")


def check_streams(options, folder):
    """How many events were compared."""
    settings = list(itertools.product(BATCHES, (False, True), KEPT))
    one = options.events / sum(part for (_, part), _, _ in settings)
    compared = 0
    for i, ((batch, part), windowed, kept) in enumerate(settings):
        events = make_events(math.ceil(one * part), random.Random(options.seed + i))
        path = f"{folder}/events{i}"
        with open(path, "w", encoding="ascii") as file:
            file.writelines(f"{u} {v} {t}\n" for u, v, t in events)
        check_stream(options.pleach, options.device, path, events, batch, len(events) // 10 if windowed else None, kept)
        compared += len(events)
    return compared


def check_triangles(options, path):
    """How many lines the file has. Each way to build the graph must give the count that sets give."""
    with open(path, encoding="ascii") as file:
        edges = [tuple(map(int, line.split()[:2])) for line in file if line[0] not in "#%"]
    graph = Graph()
    for u, v in edges:
        if u != v:
            graph.put(u, v, 0)
    for build, kept in itertools.product(BUILDS, KEPT):
        words = ["--device", options.device, "--build", build, *kept]
        lines = run([options.pleach, "graph", "triangles", *words, path]).stdout.splitlines()
        check(f"triangles {' '.join(words)} of {path}", lines and lines[-1] == str(graph.triangles),
              f"{lines[-1:]}, not {graph.triangles}")
    return len(edges) * len(BUILDS) * len(KEPT)


def check_files(options, folder):
    compared = check_triangles(options, f"{folder}/events0")
    for i, kind in enumerate(GENERATED):
        path = f"{folder}/generated{i}.txt"
        run([options.pleach, "graph", "gen", *kind, "--scale", "9", "--seed", str(options.seed), "-o", path])
        compared += check_triangles(options, path)
    return compared


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pleach", default="build/pleach")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--events", type=int, default=100_000, help="in all")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory() as folder:
        compared = check_streams(options, folder) + check_files(options, folder)
    print(f"graph: {compared} operations checked with an oracle")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
