#!/usr/bin/env python3
"""Chooses the few inputs that are worth keeping out of many.

    keep.py PROGRAM CORPUS_FOLDER MANY_FOLDER MOST

Runs every input of both folders by itself, to see which code it reaches. Then those that reach most of what no other
has reached yet are taken, one after the other, MOST at most, and put into CORPUS_FOLDER under names made from their
content. Files there whose names begin with "hand-" were written by hand and stay; others go. PROGRAM is a libFuzzer
target.
"""

import hashlib
import pathlib
import subprocess
import sys
import tempfile


def edges_of(program, path, control):
    """What libFuzzer's own merge notes down about an input, when there is no other: all the edges that it reaches."""
    control.write_text(f"1\n0\n{path}\n", encoding="utf-8")
    command = [program, "-merge_inner=1", "-use_counters=0", f"-merge_control_file={control}"]
    subprocess.run(command, capture_output=True, check=True)
    for line in control.read_text(encoding="utf-8").splitlines():
        if line.startswith("FT "):
            return set(line.split()[2:])
    sys.exit(f"{program} did not run {path}")


def choose(reached, most):
    """Hand-written inputs first, then whichever adds most; small ones where it makes no difference."""
    hand = [path for path in reached if path.name.startswith("hand-")]
    known = set().union(*(reached[path] for path in hand))
    sizes = {path: path.stat().st_size for path in reached}
    chosen = []
    while len(hand) + len(chosen) < most:
        best = max(reached, key=lambda path: (len(reached[path] - known), -sizes[path]))
        if not reached[best] - known:
            break
        chosen.append(best)
        known |= reached[best]
    return chosen, known


def main():
    program, corpus, many, most = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), int(sys.argv[4])
    with tempfile.TemporaryDirectory() as scratch:
        control = pathlib.Path(scratch) / "control"
        reached = {path: edges_of(program, path, control) for path in [*corpus.iterdir(), *many.iterdir()]}
    chosen, known = choose(reached, most)
    contents = [path.read_bytes() for path in chosen]  # before anything is removed: some are there already
    for path in corpus.iterdir():
        if not path.name.startswith("hand-"):
            path.unlink()
    for content in contents:
        (corpus / hashlib.sha1(content).hexdigest()[:12]).write_bytes(content)
    every = set().union(*reached.values())
    print(f"   {corpus}: {len(list(corpus.iterdir()))} files, {len(known)} of {len(every)} edges")


if __name__ == "__main__":
    main()
