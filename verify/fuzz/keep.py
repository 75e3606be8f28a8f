#!/usr/bin/env python3
"""Chooses the few inputs that are worth keeping out of many.

    keep.py PROGRAM CORPUS_FOLDER [MANY_FOLDER]

PROGRAM is a libFuzzer target. Runs every input of both folders by itself, to see which code it reaches. The input that
reaches most of what no other has reached yet is taken, again and again, until nothing is new; then those go whose code
the others reach as well. What is left replaces the files of CORPUS_FOLDER: each has code that it alone reaches. Files
whose names begin with "hand-" were written by hand and keep their names; others are named after their content.

`scripts/fuzz --keep` minimises the corpus again; without build-fuzz/work nothing new comes into it.
"""

import hashlib
import pathlib
import subprocess
import sys
import tempfile

RUNS = 2  # what threads do by chance is no reason to keep an input


def edges_of(program, path, control):
    """What libFuzzer's own merge notes down about an input, when there is no other: all the edges that it reaches."""
    control.write_text(f"1\n0\n{path}\n", encoding="utf-8")
    command = [program, "-merge_inner=1", "-use_counters=0", f"-merge_control_file={control}"]
    subprocess.run(command, capture_output=True, check=True)
    for line in control.read_text(encoding="utf-8").splitlines():
        if line.startswith("FT "):
            return set(line.split()[2:])
    sys.exit(f"{program} did not run {path}")


def choose(reached):
    """Whichever adds most; small ones where it makes no difference."""
    sizes = {path: path.stat().st_size for path in reached}
    chosen, known = [], set()
    while True:
        best = max(reached, key=lambda path: (len(reached[path] - known), -sizes[path], path.name))
        if not reached[best] - known:
            break
        chosen.append(best)
        known |= reached[best]
    for path in sorted(chosen, key=lambda path: -sizes[path]):
        others = set().union(*(reached[other] for other in chosen if other != path))
        if known <= others:
            chosen.remove(path)
    return chosen, known


def name_of(path, content):
    return path.name if path.name.startswith("hand-") else hashlib.sha1(content).hexdigest()[:12]


def main():
    program, folders = sys.argv[1], [pathlib.Path(name) for name in sys.argv[2:]]
    corpus = folders[0]
    with tempfile.TemporaryDirectory() as scratch:
        control = pathlib.Path(scratch) / "control"
        reached = {path: set.intersection(*(edges_of(program, path, control) for _ in range(RUNS)))
                   for folder in folders for path in folder.iterdir()}
    chosen, known = choose(reached)
    kept = [(path, path.read_bytes()) for path in chosen]  # before anything is removed: some are there already
    for path in corpus.iterdir():
        path.unlink()
    for path, content in kept:
        (corpus / name_of(path, content)).write_bytes(content)
    print(f"   {corpus}: {len(kept)} of {len(reached)} files, {len(known)} edges")


if __name__ == "__main__":
    main()
