#!/usr/bin/env python3
"""Files of some kilobytes that unpack to any amount, or claim to: the commands refuse them within --max-memory, and
say so.

usage: memory_check.py [--build FOLDER]"""
import gzip
import json
import lzma
import os
import pathlib
import subprocess
import tempfile

from checks import COMPARE, REPORT, check, commands, finish, run

MIB = 1 << 20
LIMIT = 48 * MIB
OWN = 40 * MIB  # of the program itself, and of buffers
LINES = 40_000_000  # as edges 320 MB


def peak_of(words):
    """Exit status, messages, and the most memory that the command had."""
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL, stderr=messages)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        return process.returncode, messages.read().decode(), used.ru_maxrss << 10


def check_refused(name, words):
    status, said, peak = peak_of([*words, "--max-memory", f"{LIMIT}"])
    check(f"{name}: refused", status == 2 and "48.0 MiB that --max-memory allows" in said, f"{status}: {said[-300:]}")
    check(f"{name}: memory", peak < LIMIT + OWN, f"{peak / MIB:.0f} MiB")


def packed(write, open_packed, path, **options):
    """Written by another process, because a child's most memory begins with the most that its parent ever had."""
    child = os.fork()
    if child == 0:
        with open_packed(path, "wb", **options) as file:
            write(file)
        os._exit(0)
    check(f"{path.name}: is made", os.waitpid(child, 0)[1] == 0)
    return path


def write_lines(file, line=b"1 2\n", lines=LINES):
    block = line * 100_000
    for _ in range(lines // 100_000):
        file.write(block)


def check_edges(pleach, folder):
    bombs = [packed(write_lines, lzma.open, folder / "edges.xz", preset=1),
             packed(write_lines, gzip.open, folder / "edges.gz", compresslevel=1)]
    for bomb in bombs:
        check(f"{bomb.name}: is small", bomb.stat().st_size < MIB, f"{bomb.stat().st_size}")
        check_refused(f"info {bomb.name}", [pleach, "graph", "info", bomb])
    check_refused("triangles", [pleach, "graph", "triangles", bombs[0]])
    timed = packed(lambda file: write_lines(file, b"1 2 3\n", 10_000_000), lzma.open, folder / "events.xz", preset=1)
    check_refused("stream", [pleach, "graph", "stream", timed])
    check_refused("info, timed", [pleach, "graph", "info", "--temporal", timed])


def check_later_steps(pleach, folder):
    """Lists that are within the limit, and figures or graphs of them that are not."""
    def write_short(file):
        for i in range(1_000_000):
            file.write(b"%d %d\n" % (i, i + 1))

    short = packed(write_short, open, folder / "short.el")
    for name in ("info", "triangles"):
        check_refused(f"{name}, later", [pleach, "graph", name, short])
        status, said, _ = peak_of([pleach, "graph", name, short, "--max-memory", "1Gi"])
        check(f"{name}, with more memory", status == 0, said)


def check_dictionary(pleach, folder):
    """What the xz data says that unpacking it takes."""
    large = folder / "large.xz"
    packed(lambda file: file.write(b"1 2\n"), lzma.open, large, preset=9)
    check_refused("dictionary", [pleach, "graph", "info", large])
    run([pleach, "graph", "info", large, "--max-memory", "1Gi"])
    run([pleach, "graph", "info", large])


def check_keys(bench, folder):
    """A file of keys that has fewer than it says, and one that has all of them, which are zeros."""
    maps = [bench, "--device", "cpu", "--bits", "64", "--key-file"]
    count = 1 << 29
    claim, zeros = folder / "claim", folder / "zeros.xz"
    claim.write_bytes(count.to_bytes(8, "little") + bytes(800))
    status, said, peak = peak_of([*maps, claim, "find"])
    check("keys, claimed", status == 2 and "ends before its last key" in said and peak < OWN + 16 * MIB,
          f"{status}, {peak / MIB:.0f} MiB: {said}")

    def write_keys(file):
        file.write(count.to_bytes(8, "little"))
        write_lines(file, bytes(8), 10_000_000)

    packed(write_keys, lzma.open, zeros, preset=1)
    check_refused("keys", [*maps, zeros, "find"])
    check_refused("ycsb keys", [bench, "ycsb", "--device", "cpu", "--key-file", zeros])


def check_results(_, folder):
    def write_results(file):
        file.write(b'{"benchmarks": [' + b"0," * 3_000_000 + b"0]}")

    text = packed(write_results, open, folder / "results.json")
    check_refused("compare", [COMPARE, text, text])
    check_refused("report", [REPORT, text, "--output", folder / "page.html"])
    text.write_text(json.dumps({"context": {}, "benchmarks": []}))
    run([COMPARE, text, text, "--max-memory", "1Mi"])


def main():
    pleach, bench = commands()
    for bad in ("0", "1000", "x", ""):
        run([pleach, "graph", "info", "--max-memory", bad, "/dev/null"], status=2)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part in (check_edges, check_later_steps, check_dictionary):
            part(pleach, folder)
        for part in (check_keys, check_results):
            part(bench, folder)
    return finish()


if __name__ == "__main__":
    raise SystemExit(main())
