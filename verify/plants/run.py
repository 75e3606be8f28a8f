#!/usr/bin/env python3
"""Plants each bug of plants.py and of *_plants.py in a copy of the source. The simulator must find it, or, for batches,
their test.

  verify/plants/run.py --build FOLDER [--schedules N] [--jobs N] [--quick] [--table] [NAME...]

  verify/plants/run.py --build FOLDER --tsan [NAME...]

FOLDER is a build folder (scripts/build) with the libraries to link against. For each plant: the fault must be found
within N schedules of seed 1, its replay must find it again, and the unplanted code must pass the same schedules.
--quick leaves out those that take long (SLOW). What the stages of a batch compute does not depend on schedules: there
(batch/cpu) tests/test_batch must fail. The table (--table) is the one of
docs/results/notes/planted-bugs.md. Ends with "N passed, N failed".

--tsan asks instead what ThreadSanitizer says: the library with the plant, and the stress test of CPU threads.
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
from batch_plants import BATCH_PLANTS
from graph_plants import GRAPH_PLANTS
from hash_plants import HASH_PLANTS
from plants import PLANTS
from skiplist_plants import SKIPLIST_PLANTS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Found only after more than 10,000 schedules, which take as long as all others together: not in run.py --quick.
SLOW = {
    "chain_mask_has_no_fence", "cut_does_not_lock_before", "emptied_is_freed_first", "erase_writes_dead_pair",
    "gpu_seek_does_not_look_back", "hit_does_not_count", "latch_skips_root", "link_passes_slab", "look_before_clock",
    "look_has_no_fence", "mask_passes_slot", "pins_before_floor", "root_latch_is_freed_early",
    "root_store_is_relaxed", "root_without_latch", "run_by_addition", "run_list_has_no_tag",
    "seek_does_not_look_back", "seek_trusts_any_walk", "seek_walks_once", "split_moves_what_stays",
    "split_overwrites_first", "vanish_is_relaxed",
}
FOLDERS = {"versioned": "map"}  # of verify/sim/, where the structure has none of its own
FLAGS = ["-std=c17", "-D_GNU_SOURCE", "-DPLEACH_SIM=1", "-w"]


class Missed(Exception):
    """Why a plant counts as failed."""


def variant_parts(where):
    """'map/cuda32' -> source to compile, and the definitions of each object that it is compiled to. The variant of a
    hash table is of one kind of slab hash; that of a graph is two objects, because one has the other's dictionary."""
    structure, variant = where.split("/")
    isa, bits = re.match(r"(plain|x86|cuda|cpu)_?(\d*)", variant).groups()
    same = [f"-DPLEACH_KEY_BITS={bits or '32'}", f"-DPLEACH_NODE_ISA_{'plain' if isa == 'cpu' else isa}=1"]
    kinds = {"graph": ("1", "0"), "hash": ("0" if variant.endswith("_set") else "1",)}.get(structure, ())
    objects = [[*same, f"-DSLAB_VALUES={values}"] for values in kinds] or [same]
    return f"verify/sim/{FOLDERS.get(structure, structure)}/{structure}_variant.c", objects


def edit(folder, file, find, put):
    path = os.path.join(folder, file)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if text.count(find) != 1:
        raise Missed(f"its text is {text.count(find)} times in {file}: the plant must follow the code")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(find, put))


def plant_nothing(folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(os.path.join(ROOT, "src"), os.path.join(folder, "src"))
    shutil.copytree(os.path.join(ROOT, "verify"), os.path.join(folder, "verify"))
    os.symlink(os.path.join(ROOT, "include"), os.path.join(folder, "include"))
    return folder


def plant(p, folder):
    plant_nothing(folder)
    edit(folder, p.file, p.find, p.put)
    for file, find, put in p.more:
        edit(folder, file, find, put)


def variant_commands(p, folder, build, cc, optimization, flags=(), objects=()):
    """Those that compile the planted variant, of which the last writes planted.o, and one that links. The planted
    variant comes first, so the linker takes everything else, and only that, from the library."""
    source, definitions = variant_parts(p.where)
    planted, program = os.path.join(folder, "planted.o"), os.path.join(folder, "sim")
    watched = ["-fsanitize=thread"] if p.where.startswith("team/") else []  # verify/sim/plain.h
    libraries = [os.path.join(build, f"lib{name}.a")
                 for name in ("pleach_sim_main", "pleach_simulator", "pleach_verify", "pleach")]
    parts = [planted] if len(definitions) == 1 else [f"{folder}/planted-{n}.o" for n in range(len(definitions))]
    compiled = [[cc, *FLAGS, *flags, optimization, *watched, *defined, f"-I{folder}/include", "-c",
                 os.path.join(folder, source), "-o", part] for defined, part in zip(definitions, parts)]
    if len(parts) > 1:
        compiled.append([cc, "-r", "-nostdlib", *parts, "-o", planted])
    return [*compiled, [cc, planted, *objects, *libraries, "-lpthread", "-lm", "-o", program]]


def compile_plant(p, folder, build, cc, optimization, flags=(), objects=()):
    for command in variant_commands(p, folder, build, cc, optimization, flags, objects):
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise Missed("it does not compile:\n" + run.stderr)
    return os.path.join(folder, "sim")


def simulate(program, *arguments, env=None):
    try:
        return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300, check=False, env=env)
    except subprocess.TimeoutExpired:
        raise Missed(f"{' '.join(arguments)} did not end") from None


FEW = 300  # most plants are found within so many


def tries(p, schedules):
    """Optimization and schedules: what is found soon is not worth optimizing. Not for teams, where a schedule goes by
    the plain accesses that a compiler leaves."""
    if not p.tiny and not p.where.startswith("team/") and schedules > FEW:
        yield "-O0", FEW
    yield "-O1", schedules


def campaign(p):
    """What the simulator is told, but for the number of schedules."""
    structure, variant = p.where.split("/")
    same = ["--structure", structure, "--variant", variant, "--seed", "1", "--jobs", "1", "--trace", "0"]
    if p.tiny:
        same += ["--strategy", "exhaustive", "--preemptions", "1", "--weakness", "0"]
    return tuple(same)


def found_after(run):
    return int(re.search(r"^found after (\d+) schedules$", run.stdout, re.M).group(1))


def catch(p, folder, build, cc, schedules):
    """Answers (what was found, after how many schedules, its replay)."""
    plant(p, folder)
    for optimization, most in tries(p, schedules):
        program = compile_plant(p, folder, build, cc, optimization)
        run = simulate(program, *campaign(p), "--schedules", str(most))
        found = re.search(r"^finding: (.*)$", run.stdout, re.M)
        if run.returncode == 1 and found:
            break
    else:
        raise Missed(f"not found in {schedules} schedules (exit status {run.returncode})")
    name = re.search(r"--replay (\S+)$", run.stdout, re.M).group(1)
    again = simulate(program, "--replay", name, "--trace", "0")
    if again.returncode != 1 or f"finding: {found.group(1)}" not in again.stdout:
        raise Missed(f"the replay of {name} finds something else")
    return found.group(1), found_after(run), name


def clean_for(build, same, schedules):
    """How many of these schedules the unplanted code passes."""
    try:
        run = simulate(os.path.join(build, "sim"), *same, "--schedules", str(schedules))
    except Missed:
        return 0
    return schedules if run.returncode == 0 else found_after(run) - 1 if "\nfound after " in run.stdout else 0


# ---- batches ----

BATCH_TEST = {"PLEACH_TEST_SCALE": "5", "PLEACH_TEST_SEED": "1", "PLEACH_SIMD": "plain"}
TEST_FLAGS = ["-std=c17", "-O1", "-D_GNU_SOURCE", "-DPLEACH_BUILDING=1", "-w", "-Iinclude", "-Isrc", "-I."]
PER_WIDTH = ("blink/blink_cpu.c", "versioned/versioned_cpu.c", "blink/blink_check_width.c", "cpu/sort_width.c",
             "batch/batch_cpu.c")
PER_SLOTS = ("skiplist/skiplist_cpu.c", "skiplist/skiplist_check_width.c")
PER_KIND = ("hash/hash_run.c", "graph/graph_run.c")
NOT_HERE = re.compile(r"_cuda[^/]*\.c$|/map_file_")  # these need CUDA, or xxHash
# Folders of the library for CPUs.
LIBRARY = ("base", "pool", "sync", "cpu", "blink", "versioned", "skiplist", "batch", "hash", "map", "graph", "graph/*",
           "queue")


def compile_objects(cc, folder, sources, objects, *flags):
    """Compiles in `folder`; answers the object files, with full paths."""
    made = []
    for source in sources:
        made.append(os.path.join(objects, source.replace("/", "_") + "".join(flags).replace("=", "") + ".o"))
        run = subprocess.run([cc, *TEST_FLAGS, *flags, "-c", source, "-o", made[-1]], cwd=folder, capture_output=True,
                             text=True, check=False)
        if run.returncode != 0:
            raise Missed("it does not compile:\n" + run.stderr)
    return made


def kit(root):
    """What tests share."""
    return sorted(glob.glob("testkit/*.c", root_dir=root) + glob.glob("testkit/graph/*.c", root_dir=root))


def per_width(cc, folder, names, objects, *flags):
    return [made for bits in ("32", "64", "128")
            for made in compile_objects(cc, folder, [f"src/{name}" for name in names], objects,
                                        f"-DPLEACH_KEY_BITS={bits}", "-DPLEACH_NODE_ISA_plain=1", *flags)]


def per_slots(cc, folder, objects, *flags):
    """What is compiled for both sizes of a skiplist's chunks."""
    made = []
    for slots in ("-DPLEACH_NODE_SLOTS=16", "-DPLEACH_NODE_SLOTS=32"):
        for bits in ("32", "64"):
            made += compile_objects(cc, folder, [f"src/{name}" for name in PER_SLOTS], objects, slots,
                                    f"-DPLEACH_KEY_BITS={bits}", "-DPLEACH_NODE_ISA_plain=1", *flags)
    return made


def per_kind(cc, folder, objects, *flags):
    """What is compiled for each kind of slab hash."""
    made = []
    for bits, names in (("32", PER_KIND), ("64", PER_KIND[:1])):
        for values in "01":
            made += compile_objects(cc, folder, [f"src/{name}" for name in names], objects,
                                    f"-DPLEACH_KEY_BITS={bits}", f"-DSLAB_VALUES={values}", *flags)
    return made


def compile_batch_test(build, cc):
    """Everything that plants leave alone: the library for CPUs and the test, but for batch_cpu.c."""
    objects = os.path.join(build, "plants", "batch_test")
    shutil.rmtree(objects, ignore_errors=True)
    os.makedirs(objects)
    sources = [s for part in LIBRARY
               for s in sorted(glob.glob(f"src/{part}/*.c", root_dir=ROOT))
               if not s.endswith(PER_WIDTH + PER_SLOTS + PER_KIND) and not NOT_HERE.search(s)]
    sources += kit(ROOT) + ["tests/batch/test_batch.c"]
    sources += sorted(glob.glob("verify/history/*.c", root_dir=ROOT))
    made = compile_objects(cc, ROOT, sources, objects) + per_width(cc, ROOT, PER_WIDTH[:-1], objects)
    return made + per_slots(cc, ROOT, objects) + per_kind(cc, ROOT, objects)


def check_report(program, limit):
    """What the test complains of first, for which it is ended; None if it passes."""
    with subprocess.Popen([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          env={**os.environ, **BATCH_TEST}) as process:
        late, begin = threading.Timer(limit, process.kill), time.monotonic()
        late.start()
        said = next((line for line in process.stdout if "ERROR: " in line), None)
        if said:
            process.kill()
        status = process.wait()
        late.cancel()
    if said:
        return said.split("ERROR: ", 1)[1].strip()
    if time.monotonic() - begin >= limit:
        return "it does not end"
    return f"exit status {status}" if status != 0 else None


def run_batch_test(cc, folder, others, limit):
    """Answers what is wrong with the test's run, or None."""
    objects = os.path.join(folder, "objects")
    os.makedirs(objects, exist_ok=True)
    program = os.path.join(folder, "test_batch")
    deps = os.path.join(ROOT, ".deps", "usr", "lib", "x86_64-linux-gnu")
    planted = per_width(cc, folder, PER_WIDTH[-1:], objects, "-O0")  # compiling it takes longer than running it
    run = subprocess.run([cc, *planted, *others, f"-L{deps}", f"-Wl,-rpath,{deps}", "-lcmocka",
                          "-lpthread", "-lm", "-o", program], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise Missed("it does not link:\n" + run.stderr)
    return check_report(program, limit)


def catch_in_batch_test(p, folder, cc, others, limit):
    plant(p, folder)
    said = run_batch_test(cc, folder, others, limit)
    if said is None:
        raise Missed("test_batch passes")
    return said, 0, "test_batch"


def ask_tsan(p, folder, cc):
    """What the stress test of threads says under ThreadSanitizer, with the plant in the library."""
    plant(p, folder)
    for part in ("tests", "testkit"):
        shutil.copytree(os.path.join(ROOT, part), os.path.join(folder, part))
    objects, flags = os.path.join(folder, "objects"), ("-g", "-fsanitize=thread")
    os.makedirs(objects, exist_ok=True)
    sources = [s for part in LIBRARY
               for s in glob.glob(f"src/{part}/*.c", root_dir=folder)
               if not s.endswith(PER_WIDTH + PER_SLOTS + PER_KIND) and not NOT_HERE.search(s)]
    sources += kit(folder) + ["tests/map/test_map_threads.c"]
    sources += glob.glob("verify/history/*.c", root_dir=folder)
    made = compile_objects(cc, folder, sources, objects, *flags)
    made += per_width(cc, folder, PER_WIDTH, objects, *flags) + per_slots(cc, folder, objects, *flags)
    made += per_kind(cc, folder, objects, *flags)
    subprocess.run([cc, *flags[1:], *made, "-lcmocka", "-lpthread", "-lm", "-o", "threads"], cwd=folder, check=True)
    program = ["./threads"]
    if subprocess.run(["setarch", "-R", "true"], capture_output=True, check=False).returncode == 0:
        program = ["setarch", "-R", *program]
    try:
        run = subprocess.run(program, cwd=folder, capture_output=True, text=True, timeout=300, check=False,
                             env={**os.environ, "PLEACH_TEST_SCALE": "20"})
    except subprocess.TimeoutExpired:
        return "the test does not end"
    races = run.stderr.count("WARNING: ThreadSanitizer")
    last = re.findall(r"^\d+ passed, \d+ failed$", run.stdout, re.M)
    return f"{races} reports of ThreadSanitizer; the test's own checks: {last[-1] if last else 'it crashed'}"


def tell(p, result, table):
    if table:
        after = f"{result[1]:,}" if result[1] else "test_batch"
        print(f"| `{p.name}` | {p.what} | {p.where} | {result[0]} | {after} |", flush=True)
    elif p.where.startswith("batch/"):
        print(f"caught  {p.name:32} {p.where:12} {result[2]}: {result[0]}", flush=True)
    else:
        print(f"caught  {p.name:32} {p.where:12} after {result[1]:6} schedules: {result[0]}\n"
              f"        {result[2]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--schedules", type=int, default=200000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--tsan", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    cc = os.environ.get("CC", "cc")
    plants = (*PLANTS, *BATCH_PLANTS, *SKIPLIST_PLANTS, *HASH_PLANTS, *GRAPH_PLANTS)
    wanted = [p for p in plants if not options.names or p.name in options.names]
    if options.names and len(wanted) != len(options.names):
        parser.error("no such plant")
    if options.quick:
        wanted = [p for p in wanted if p.name not in SLOW]

    if options.tsan:
        for p in wanted:
            print(f"{p.name:32} {ask_tsan(p, os.path.join(build, 'plants', p.name + '.tsan'), cc)}", flush=True)
        return 0

    others, limit = None, 0
    if any(p.where.startswith("batch/") for p in wanted):
        others = compile_batch_test(build, cc)
        unplanted, begin = plant_nothing(os.path.join(build, "plants", "batch_unplanted")), time.monotonic()
        said = run_batch_test(cc, unplanted, others, 600)
        limit = 40 + 4 * (time.monotonic() - begin)  # seconds; on a busy machine all take longer
        if said:
            print(f"MISSED  the unplanted code does not pass test_batch: {said}\n0 passed, 1 failed")
            return 1

    def attempt(p):
        try:
            if p.where.startswith("batch/"):
                return p, catch_in_batch_test(p, os.path.join(build, "plants", p.name), cc, others, limit), None
            return p, catch(p, os.path.join(build, "plants", p.name), build, cc, options.schedules), None
        except Missed as missed:
            return p, None, str(missed)

    failed = 0
    caught = {}  # by campaign
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for p, result, why in pool.map(attempt, wanted):
            if why:
                failed += 1
                print(f"MISSED  {p.name}: {why}", flush=True)
                continue
            tell(p, result, options.table)
            if not p.where.startswith("batch/"):
                caught.setdefault(campaign(p), []).append((result[1], p.name))
        # The schedules before the one that found a plant are among those before another, later one.
        passes = pool.map(lambda same: clean_for(build, same, max(caught[same])[0]), caught)
        for same, clean in zip(caught, passes):
            for name in [name for after, name in caught[same] if after > clean]:
                failed += 1
                print(f"MISSED  {name}: the unplanted code does not pass the same schedules", flush=True)
    print(f"{len(wanted) - failed} passed, {failed} failed")
    return 1 if failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
