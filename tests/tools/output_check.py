#!/usr/bin/env python3
"""Every file that the commands write: complete or as it was before, with the old owner and mode, and never in place of
something that is no regular file.

usage: output_check.py [--build FOLDER]"""
import json
import os
import pathlib
import resource
import signal
import stat
import subprocess
import tempfile

from checks import PLOT, REPORT, check, commands, finish, run

MASK = 0o027
OLD = "old\n"


def result(name, rate):
    return {"name": f"{name}_median", "run_name": f"{name}/cpu", "run_type": "aggregate", "aggregate_name": "median",
            "benchmark": name, "device": "cpu", "bits": 64, "keys": 1000, "batch": 10, "dist": "uniform", "threads": 1,
            "repetitions": 1, "items_per_second": rate, "real_time": 1, "cpu_time": 1, "time_unit": "ns"}


def results_in(folder):
    results = folder / "results.json"
    rows = [{**result("find", 1e6), "keys": keys} for keys in (1000, 2000)]
    rows.append({**result("batch/update", 1e6), "run_type": "iteration"})
    results.write_text(json.dumps({"context": {}, "benchmarks": rows}))
    return results


def writers(pleach, bench, results):
    """Name and command line of what writes a file; its path is the last word, and left out here."""
    ablation = [bench, "ablations", "--device", "cpu", "--quick", "--repeat", "1", "palm-leaves"]
    yield "bench json", [*ablation, "--json"]
    yield "bench csv", [*ablation, "--csv"]
    yield "report", [REPORT, results, "--output"]
    yield "papers", [bench, "paper", "--list", "--json"]
    yield "bench graph json", [bench, "graph", "--scale", "8", "--runs", "1", "--threads", "1", "build", "--json"]
    yield "graph gen", [pleach, "graph", "gen", "grid", "--scale", "6", "-o"]
    yield "plot", [PLOT, "batches", f"all={results}", "--output"]


def slow_writers(bench):
    """The same of commands that take seconds, and write as the ablations do; they refuse a path at once."""
    for words in ((), ("ycsb",), ("gfsl",), ("baselines",)):
        yield " ".join(("bench", *words, "json")), [bench, *words, "--device", "cpu", "--json"]


def mode_of(path):
    return stat.S_IMODE(path.lstat().st_mode)


def entries(folder):
    return sorted(path.name for path in folder.iterdir())


def check_refused(name, command, folder):
    """A pipe without a reader would also be waited for."""
    pipe, link = folder / "pipe", folder / "link"
    os.mkfifo(pipe)
    link.symlink_to("nowhere")
    said = run([*command, pipe], status=2).stderr
    check(f"{name}: why not a pipe", "not a regular file" in said, said)
    run([*command, link], status=2)
    run([*command, folder], status=2)
    check(f"{name}: what stays", stat.S_ISFIFO(pipe.lstat().st_mode) and link.is_symlink() and
          entries(folder) == ["link", "pipe"], f"{entries(folder)}")
    pipe.unlink()
    link.unlink()


def check_replaced(name, command, folder):
    new, old, link = folder / "new", folder / "old", folder / "link"
    old.write_text(OLD)
    old.chmod(0o604)
    link.symlink_to("old")
    run([*command, new])
    run([*command, link])
    modes = mode_of(new), mode_of(old)
    check(f"{name}: modes", modes == (0o666 & ~MASK, 0o604), f"{modes}")
    check(f"{name}: the link's file is replaced", link.is_symlink() and old.read_text() not in ("", OLD))
    check(f"{name}: nothing else", entries(folder) == ["link", "new", "old"], f"{entries(folder)}")
    for path in (new, old, link):
        path.unlink()


def no_large_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


def check_full_disk(name, command, folder):
    old = folder / "old"
    old.write_text(OLD)
    done = subprocess.run([*command, old], capture_output=True, preexec_fn=no_large_files, check=False)
    check(f"{name}: a full disk", done.returncode == 2 and b"cannot write" in done.stderr, done.stderr[-200:])
    left = entries(folder)
    check(f"{name}: what a full disk leaves", old.read_text() == OLD and left == ["old"], f"{left}")
    old.unlink()


def check_drawings(results, folder):
    """Those of a report, in a folder; their names are known when they are there."""
    words = [REPORT, results, "--output", "-", "--plots"]
    run([*words, folder / "plots"])
    drawings = list((folder / "plots").iterdir())
    check("drawings", drawings and all(path.suffix == ".svg" for path in drawings), f"{drawings}")
    path = drawings[0]
    path.unlink()
    os.mkfifo(path)
    run([*words, folder / "plots"], status=2)
    check("a drawing is no pipe", stat.S_ISFIFO(path.lstat().st_mode))


def main():
    pleach, bench = commands()
    os.umask(MASK)
    with tempfile.TemporaryDirectory() as given, tempfile.TemporaryDirectory() as made:
        results, folder = results_in(pathlib.Path(given)), pathlib.Path(made)
        for name, command in writers(pleach, bench, results):
            for part in (check_refused, check_replaced, check_full_disk):
                part(name, command, folder)
        for name, command in slow_writers(bench):
            check_refused(name, command, folder)
        check_drawings(results, folder)
    return finish()


if __name__ == "__main__":
    raise SystemExit(main())
