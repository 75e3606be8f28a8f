#!/usr/bin/env python3
"""Plants each bug of plants.py in a copy of the source, and has a test on the emulated GPU notice it.

  verify/cuda_host/run_plants.py --build FOLDER [--jobs N] [--only NAME,...] [--list] [--table] [--keep]

FOLDER is a build folder with -DPLEACH_CUDA=HOST, made with Ninja; what is not up to date there is built first. For each
plant, what it changes is compiled once more and linked in front of the library. The test must then fail, crash, not
end, or end with a report of the emulated GPU; and it must pass without the plant, with the same seed. --table prints
the table of docs/results/notes/planted-bugs.md; --keep leaves the folders of planted copies. Ends with "N passed, N
failed".
"""
import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from plants import PLANTS, UNITS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COPIED = ("src", "include", "tests", "testkit", "verify", "tools")
DETAIL = "include/detail/"
# What a test says itself, cmocka of a case, a test without cmocka, and the emulated GPU.
COMPLAINT = re.compile(r"^ERROR: (.*)|\[  ERROR   \] --- (.*)|^FAILED +(.*)|emulated GPU: (.*)")


class Missed(Exception):
    """Why a plant counts as failed."""


def ninja(build, *arguments):
    run = subprocess.run(["ninja", "-C", build, *arguments], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise Missed(f"ninja {' '.join(arguments)}:\n{run.stdout}{run.stderr}")
    return [line for line in run.stdout.splitlines() if not line.startswith("ninja: ")]


class Build:
    """What ninja knows of a build folder."""

    def __init__(self, folder):
        self.folder = folder
        self.users = {}  # of a file of the source tree: outputs that are made of it
        self.inputs = {}  # of a program
        output = None
        for line in ninja(folder, "-t", "deps"):
            if line.startswith("    "):
                self.uses(output, line.strip())
            elif ":" in line:
                output = self.name_of(line.split(":", 1)[0])
        for name in glob.glob("cuda_host/**/*.d", root_dir=folder, recursive=True):  # of translated kernels
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                for file in f.read().split(":", 1)[1].replace("\\\n", " ").split():
                    self.uses(name.removesuffix(".d"), file)

    def uses(self, output, file):
        file = os.path.join(self.folder, file)
        detail = os.path.join(self.folder, DETAIL)  # what users' kernels include: src/ by another name
        if file.startswith(detail):
            file = os.path.join(ROOT, "src", file[len(detail):])
        self.users.setdefault(os.path.relpath(file, ROOT), set()).add(output)

    def name_of(self, path):
        """As the build's rules name it."""
        return os.path.relpath(path, self.folder) if os.path.isabs(path) else path

    def inputs_of(self, program):
        if program not in self.inputs:
            names = ninja(self.folder, "-t", "inputs", f"tests/{program}")
            self.inputs[program] = {self.name_of(name.strip()) for name in names}
        return self.inputs[program]

    def affected(self, program, files):
        """Outputs to make anew if these files change, in order: translated kernels, then objects."""
        changed = set().union(*(self.users.get(file, set()) for file in files)) & self.inputs_of(program)
        units = tuple({UNITS[file] for file in files if file in UNITS})
        translated = {name for name in changed if name.endswith(".cu.cpp")}
        if units:
            changed -= {name for name in translated if not name.endswith(units)}
            translated &= changed
        for name in translated:  # whose objects have no other source
            changed |= {user for user in self.inputs_of(program) if user.endswith("/" + name + ".o")}
        return sorted(translated) + sorted(changed - translated)

    def command(self, output):
        return ninja(self.folder, "-t", "commands", "-s", output)[-1]


def plant(p, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "built", "include"))
    os.symlink(os.path.join(folder, "src"), os.path.join(folder, "built", DETAIL.rstrip("/")))
    for part in COPIED:
        shutil.copytree(os.path.join(ROOT, part), os.path.join(folder, part),
                        ignore=shutil.ignore_patterns("__pycache__"))
    for file, find, put in p.edits():
        path = os.path.join(folder, file)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if text.count(find) != 1:
            raise Missed(f"its text is {text.count(find)} times in {file}: the plant must follow the code")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace(find, put))


def moved(command, build, folder, made):
    """A command of the build that reads the planted copy, and writes to its folder."""
    steps = [step for step in command.split(" && ") if "cmake_transform_depfile" not in step]
    command = " && ".join(steps)
    for old, new in made.items():
        name = re.escape(old)
        command = re.sub(rf"(?<![^\s=])(?:{re.escape(build)}/)?{name}(?![\w/])", new, command)
    command = re.sub(r" -O[1-3]\b", " -O0", command)  # compiling takes longer than running
    command = re.sub(r" -Werror(?=\s)", "", command)  # a plant may leave a variable unused
    command = command.replace(f"-I{build}/include", f"-I{folder}/built/include")
    command = command.replace(folder, "\1").replace(build, "\0")
    command = re.sub(rf"{re.escape(ROOT)}(?=[/\s]|$)", "\1", command)
    return command.replace("\0", build).replace("\1", folder)


def shell(command, build):
    run = subprocess.run(command, shell=True, cwd=build, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise Missed("it does not compile:\n" + run.stderr[-3000:])


def compile_plant(p, build, folder):
    """Answers the program with the plant."""
    outputs = build.affected(p.run.program, [file for file, _, _ in p.edits()])
    if not outputs:
        raise Missed(f"{p.run.program} has nothing of {p.file}")
    made = {name: os.path.join(folder, "made", name.replace("/", "_")) for name in outputs}
    os.makedirs(os.path.join(folder, "made"))
    for name in outputs:
        shell(moved(build.command(name), build.folder, folder, made), build.folder)
    link, program = build.command(f"tests/{p.run.program}"), os.path.join(folder, p.run.program)
    ours = [made[name] for name in outputs if name.endswith(".o") and name not in link.split()]
    link = moved(link, build.folder, folder, made)  # the linker takes from the library only what it has not got yet
    shell(link.replace(f" -o tests/{p.run.program} ", f" {' '.join(ours)} -o {program} "), build.folder)
    return program


def check_report(program, run, limit):
    """What the program says first that is wrong, for which it is ended; None if it passes."""
    command = [program, *run.arguments()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          cwd=os.path.dirname(program), env={**os.environ, **run.environment(limit)}) as process:
        late, begin = threading.Timer(limit, process.kill), time.monotonic()
        late.start()
        said = None
        for line in process.stdout:
            said = COMPLAINT.search(line)
            if said:
                process.kill()
                break
        status = process.wait()
        late.cancel()
    if said:
        return next(words for words in said.groups() if words is not None).strip()
    if time.monotonic() - begin >= limit:
        return "it does not end"
    return f"it ends with signal {-status}" if status < 0 else f"exit status {status}" if status else None


class Controls:
    """The programs without plants, each run once, by those who ask first."""

    def __init__(self, build):
        self.build, self.limits, self.lock = build, {}, threading.Lock()
        self.locks = {}

    def limit(self, run):
        """Seconds after which a planted one counts as hanging."""
        with self.lock:
            mine = self.locks.setdefault(run, threading.Lock())
        with mine:
            if run not in self.limits:
                begin = time.monotonic()
                said = check_report(os.path.join(self.build.folder, "tests", run.program), run, 1200)
                if said:
                    raise Missed(f"{run} does not pass without the plant: {said}")
                self.limits[run] = 30 + 5 * (time.monotonic() - begin)
                print(f"control {run}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
            return self.limits[run]


def catch(p, build, controls, keep):
    """Answers what was said first."""
    folder = os.path.join(build.folder, "planted", p.name)
    limit = controls.limit(p.run)
    plant(p, folder)
    said = check_report(compile_plant(p, build, folder), p.run, limit)
    if said is None:
        raise Missed(f"{p.run} passes")
    if not keep:
        shutil.rmtree(folder)
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", type=lambda names: names.split(","))
    for flag in ("--list", "--table", "--keep"):
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args()
    wanted = [p for p in PLANTS if not options.only or p.name in options.only]
    if options.only and len(wanted) != len(options.only):
        parser.error("no such plant")
    if options.list:
        print("\n".join(f"{p.name:32} {p.what}" for p in wanted))
        return 0
    if not options.build:
        parser.error("which --build folder?")
    folder, begin = os.path.abspath(options.build), time.monotonic()
    ninja(folder, "-j", str(options.jobs), *sorted({f"tests/{p.run.program}" for p in wanted}))
    build, failed = Build(folder), 0
    controls = Controls(build)

    def attempt(p):
        try:
            return p, catch(p, build, controls, options.keep), None
        except Missed as missed:
            return p, None, str(missed)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for p, said, why in pool.map(attempt, wanted):
            if why:
                failed += 1
                print(f"MISSED {p.name}: {why}", flush=True)
            elif options.table:
                cells = (f"`{p.name}`", p.what, p.run.where(), str(p.run.seed), said)
                print("|", " | ".join(cells).replace("*", "\\*"), "|", flush=True)
            else:
                print(f"caught {p.name} by {p.run}: {said}", flush=True)
    print(f"{time.monotonic() - begin:.0f} seconds", file=sys.stderr)
    print(f"{len(wanted) - failed} passed, {failed} failed")
    return 1 if failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
