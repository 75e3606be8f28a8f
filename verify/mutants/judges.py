"""Who is asked whether a mutant (mutants.py) is noticed: the simulator and the test programs.

A mutant's file takes the place of the original in a shadow of the source, a folder of links. What includes it is
compiled there, for the simulator into a variant, for a test program into the objects that stand before the library's,
so the linker takes those. A Case counts the seconds of CPU that all this takes."""
import filecmp
import functools
import glob
import json
import math
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "plants"))
import orders
import run

SECONDS = 20  # of CPU, for one mutant
FEW, VARIANTS = 1000, 5  # schedules at first, and variants that run them
MANY, ROUNDS = 10000, 3  # schedules that each variant runs at a time when the tests have noticed nothing
SLOW = 10  # a run that takes so many times as long as without the mutant does not end
SLOW_TEST = 4  # the same of a test, which takes much longer
PATIENCE, AT_WORK = 200, 4  # a program that has taken so little CPU after so long has threads that wait for each other
# A variable that a mutant leaves uninitialized has a conspicuous value, or 0: in the last schedules, and when the tests
# that include the file run once more. An access beyond an array ends the program.
NOISY = ("-fsanitize=bounds", "-fsanitize-undefined-trap-on-error")
LEVELS = {"-O0": ("-O0", "pattern"), "-O1": ("-O1", "pattern"), "zeros": ("-O1", "zero")}
WARNINGS = ("-Werror=return-type", "-Werror=uninitialized", "-Wno-maybe-uninitialized")

# The tests that cover a file, by the beginning of its path; environments by name. Most take 0.1 to 0.5 s.
MAP = ("test_map_points", "test_map_ranges", "test_map_whole", "test_map_random", "test_map_rare", "test_map_limits",
       "test_map_threads", "test_map_history", "test_map_long", "test_map_images", "test_map_faults")
TREES = ("test_blink_check", *MAP, "test_map_snapshots", "test_map_delays", "test_batch")
LISTS = ("test_chunks", "test_map_points skiplist", "test_map_ranges skiplist", "test_map_whole skiplist",
         "test_map_random skiplist", "test_map_threads skiplist", "test_map_history skiplist",
         "test_map_limits skiplist", "test_map_points raised", "test_map_random raised", "test_map_limits raised",
         "test_map_threads raised", "test_skiplist", "test_skiplist_threads")
VERSIONS = ("test_versions", "test_map_snapshots", "test_map_points versioned", "test_map_random versioned",
            "test_map_whole versioned", "test_map_threads versioned", "test_map_history versioned",
            "test_batch_snapshots", "test_graph_ordered_snapshots", "test_map_limits versioned",
            "test_map_faults versioned", "test_batch")
HASH = ("test_slabs", "test_hash", "test_hash_random", "test_hash_seeds", "test_hash_repeats", "test_hash_threads",
        "test_hash_limits", "test_graph_points", "test_graph_vertices", "test_graph_sparse", "test_graph_seeds",
        "test_graph_threads", "test_hash_history", "test_graph_history", "test_graph_faults", "test_graph_random",
        "test_graph_limits")
COVER = (
    ("src/blink/blink_cut", ("test_cuts", *MAP)),
    ("src/blink/", TREES),
    ("src/level/", ("test_chunks", *TREES)),
    ("src/versioned/", VERSIONS),
    ("src/skiplist/skiplist_reclaim", ("test_lanes", *LISTS)),
    ("src/skiplist/", LISTS),
    ("src/hash/", HASH),
    ("src/pool/pool_runs", ("test_pool", *HASH)),
    ("src/pool/", ("test_pool", "test_pool_host", "test_map_limits", "test_map_whole", "test_map_threads",
                   "test_map_faults", "test_hash_threads", "test_hash_limits", "test_graph_limits", "test_batch")),
    ("src/epoch/", ("test_epoch", "test_pins", "test_lanes", *VERSIONS, *LISTS)),
    ("src/version/", ("test_lanes", *VERSIONS)),
    ("src/node/", ("test_wide_keys", "test_wide_keys_threads", *MAP, *LISTS)),
)
TAKES = {"test_hash_limits": 4, "test_graph_limits": 4, "test_graph_random": 2, "test_skiplist": 3, "test_batch": 4,
         "test_map_delays": 2, "test_map_faults": 3}  # seconds of CPU, about, where it is more than one
ENVIRONMENTS = {
    "": {},
    "versioned": {"PLEACH_TEST_VERSIONED": "1"},
    "skiplist": {"PLEACH_TEST_STRUCTURE": "skiplist"},
    "raised": {"PLEACH_TEST_STRUCTURE": "skiplist", "PLEACH_TEST_RAISE": "0.5"},
}
SAME = {"PLEACH_TEST_SCALE": "1", "PLEACH_TEST_SEED": "1", "PLEACH_SIMD": "plain"}
# Units and cases of wider keys are for what is not the same for all widths.
LEFT_OUT = re.compile(r"NODE_ISA_avx|NODE_SLOTS=32|/verify/|/src/(file|queue|index)/")
WIDER = re.compile(r"KEY_BITS=(64|128)")
OF_EACH_WIDTH = ("src/node/", "src/hash/", "src/skiplist/skiplist_find", "src/pool/")


# Variants to ask about a file besides those of orders.py.
MORE_VARIANTS = (
    ("src/skiplist/", ("skiplist/plain64",)),  # a pair takes two accesses
    ("src/node/node_x86", ("map/x86_64",)),
    ("src/node/node_plain", ("versioned/plain32",)),  # a hit waits for a latch
)


def noisy(level):
    return *NOISY, f"-ftrivial-auto-var-init={LEVELS[level][1]}"


class Spent(Exception):
    """A mutant has had its seconds."""


class Case:
    """One mutant in front of the judges."""

    def __init__(self, mutant, shadow, seconds=SECONDS):
        self.mutant, self.shadow, self.seconds = mutant, shadow, seconds
        self.programs = {}  # by variant

    def spend(self, command, limit=None, **options):
        """Runs a command, for at most `limit` seconds of CPU; answers (status, what it said, its seconds). A command
        that had to end before its limit, because the case has no more, says nothing about the mutant: Spent."""
        limit = limit or 1000
        allowed = math.ceil(min(self.seconds, limit))
        if self.seconds <= 0:
            raise Spent

        def begin():
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_CPU, (allowed, allowed + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              preexec_fn=begin, **options) as process:
            late = threading.Timer(PATIENCE, end_group, (process.pid,))
            late.start()
            said = process.stdout.read()
            _, status, used = os.wait4(process.pid, 0)
            late.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds = used.ru_utime + used.ru_stime
        self.seconds -= seconds
        too_little = process.returncode == -signal.SIGXCPU and allowed < limit
        if too_little or process.returncode == -signal.SIGKILL and seconds > AT_WORK:
            raise Spent
        return process.returncode, said, seconds

    def make(self, command, output, **options):
        """Compiles or links to this file, which is answered; the command ends with -o."""
        status, said, _ = self.spend([*command, output], **options)
        if status != 0:
            raise run.Missed(said)
        return output


def end_group(pid):
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


# ---- the shadow ----

def make_shadow(folder):
    """Every file of the source as a link, at the same places; includes by relative paths stay inside."""
    for part in ("src", "verify", "tests", "testkit", "include"):
        for where, _, files in os.walk(os.path.join(run.ROOT, part)):
            inside = os.path.join(folder, os.path.relpath(where, run.ROOT))
            os.makedirs(inside, exist_ok=True)
            for file in files:
                link = os.path.join(inside, file)
                if os.path.lexists(link):
                    os.unlink(link)
                os.symlink(os.path.join(where, file), link)
    return folder


def put_in(shadow, file, text):
    """Puts a text in the place of a file, or, without one, the file back."""
    path = os.path.join(shadow, file)
    os.unlink(path)
    if text is None:
        os.symlink(os.path.join(run.ROOT, file), path)
        return
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def same(a, b):
    return filecmp.cmp(a, b, shallow=False)


def one_at_a_time(method):
    """For what is made in the one folder of the unchanged source, for all threads."""
    @functools.wraps(method)
    def locked(self, *arguments):
        with self.lock:
            return method(self, *arguments)
    return locked


# ---- the simulator ----

class Simulator:
    def __init__(self, build, cc, folder):
        self.build, self.cc, self.folder, self.known = build, cc, folder, {}
        self.lock = threading.Lock()

    @one_at_a_time
    def unchanged(self, where, level):
        """The object of a variant as it is, and the seconds that FEW of its schedules take."""
        if (where, level) not in self.known:
            case = Case(None, os.path.join(self.folder, "unchanged"), 1000)
            made = self.compile(where, case, level)
            program = self.link(where, case, level)
            kept = os.path.join(self.folder, where.replace("/", "-") + level + ".o")
            os.replace(made, kept)
            status, said, seconds = self.schedules(program, where, case, 1, FEW, 1000)
            if status != 0:
                sys.exit(f"{where} without a mutant: {said}")
            self.known[where, level] = kept, seconds
        return self.known[where, level]

    def commands(self, where, case, level):
        """What is soon noticed is not worth optimizing; but as in run.tries, not for teams."""
        level = "-O1" if where.startswith("team/") else LEVELS[level][0]
        return run.variant_commands(orders.as_plant(where), case.shadow, self.build, self.cc, level)

    def compile(self, where, case, level):
        for command in self.commands(where, case, level)[:-1]:
            made = case.make([*command[:-2], *noisy(level), "-o"], command[-1])
        return made

    def link(self, where, case, level):
        return case.make(self.commands(where, case, level)[-1][:-1], os.path.join(case.shadow, "sim"))

    def schedules(self, program, where, case, seed, many, limit):
        told = list(run.campaign(orders.as_plant(where)))
        told[told.index("--seed") + 1] = str(seed)
        return case.spend([program, *told, "--schedules", str(many)], limit)

    def notice(self, where, case, level, seed, many):
        """What one variant says; None: nothing."""
        program, slow = self.program(where, case, level), SLOW * many / FEW
        if not program:
            return None
        limit = max(2, slow * self.unchanged(where, level)[1])
        status, said, _ = self.schedules(program, where, case, seed, many, limit)
        found = re.search(r"^finding: (.*)$", said, re.M)
        return f"{where}: {found.group(1)}" if found else f"{where}: exit status {status}" if status else None

    def program(self, where, case, level):
        """A simulator with the mutant in one variant; None if the variant's object is as it was."""
        if (where, level) not in case.programs:
            program = None
            if not same(self.compile(where, case, level), self.unchanged(where, level)[0]):
                program = os.path.join(case.shadow, "sim-" + where.replace("/", "-"))
                os.replace(self.link(where, case, level), program)
            case.programs[where, level] = program
        return case.programs[where, level]

    def notice_in(self, variants, case, level, seed, many, most=None):
        """The first finding of a variant, of the first `most` that the mutant changes. None if there is none."""
        asked = 0
        for where in variants:
            said = self.notice(where, case, level, seed, many)
            asked += case.programs[where, level] is not None
            if said or asked == most:
                return said
        return None

    def warns(self, where, case):
        """Whether the compiler says something of a changed variant; it says nothing of an unchanged one."""
        source, objects = run.variant_parts(where)
        flags = [f for f in run.FLAGS if f != "-w"]
        return any(case.spend([self.cc, *flags, "-O1", *WARNINGS, *defined, f"-I{case.shadow}/include", "-c",
                               os.path.join(case.shadow, source), "-o", os.devnull])[0] != 0 for defined in objects)


def variants_of(file):
    """One variant of each structure first, then a second of each, and so on."""
    variants = [*next(variants for begin, variants in orders.COVER if file.startswith(begin))]
    variants += [w for begin, more in MORE_VARIANTS if file.startswith(begin) for w in more]
    families = [w.split("/")[0] for w in variants]
    turns = [families[:i].count(f) for i, f in enumerate(families)]
    return [w for _, w in sorted(zip(turns, variants), key=lambda both: both[0])]


# ---- the tests ----

def tests_of(file):
    return next(tests for begin, tests in COVER if file.startswith(begin))


def targets():
    """What a build folder must hold."""
    return ["pleach_sim", *sorted({name.split()[0] for _, tests in COVER for name in tests})]


SUPPORT = ("pleach_test_support", "pleach_node_access_")  # what tests are linked with


def target_of(made):
    return re.match(r"CMakeFiles/(\w+)\.dir/", made).group(1)


def is_test(target):
    return target.startswith(("test_", "watched_", *SUPPORT))


def files_of_objects(build):
    """Which files of the source each object of a build folder is made of."""
    found = {}
    for file in glob.glob("CMakeFiles/**/*.o.d", root_dir=build, recursive=True):
        with open(os.path.join(build, file), encoding="utf-8") as f:
            found[file[:-2]] = f.read().replace("\\\n", " ").split()[1:]
    if os.path.exists(os.path.join(build, "build.ninja")):  # which keeps them elsewhere
        said = subprocess.run(["ninja", "-t", "deps"], cwd=build, capture_output=True, text=True, check=True).stdout
        for line in said.splitlines():
            if line.startswith(" "):
                found[made].append(line.strip())
            elif line:
                made = line.split(":")[0]
                found[made] = []
    return {made: {os.path.relpath(os.path.join(build, f), run.ROOT) for f in files} for made, files in found.items()}


class Tests:
    """The test programs of a build folder, with what a mutant changes compiled anew."""

    def __init__(self, build, cc, folder):
        self.build, self.cc, self.folder = build, cc, folder
        self.units, self.objects = {}, {}  # object: its command, source and files; test: its objects
        self.support = []  # objects that every test is linked with
        self.lock = threading.Lock()
        self.known, self.sound = {}, {}
        self.wanted, self.files = set(targets()), files_of_objects(build)
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
            for entry in json.load(f):
                self.add(shlex.split(entry["command"]))

    def add(self, command):
        at = command.index("-o")
        made = command[at + 1]
        target = target_of(made)
        if target.startswith(SUPPORT):
            self.support.append(made)
        elif is_test(target):
            if target not in self.wanted:
                return
            self.objects.setdefault(target, []).append(made)
        if LEFT_OUT.search(" ".join(command)):
            return
        del command[at:at + 2]
        files = self.files.get(made, set())
        if WIDER.search(" ".join(command)):
            files = {f for f in files if f.startswith(OF_EACH_WIDTH)}
        self.units[made] = command[:-1], os.path.relpath(command[-1], run.ROOT), files

    def compile(self, made, case, level):
        command, source, _ = self.units[made]
        inside = [w.replace(run.ROOT, case.shadow) if w.startswith("-I") and self.build not in w else w
                  for w in command]
        return case.make([*inside, "-w", *noisy(level), LEVELS[level][0], os.path.join(case.shadow, source), "-o"],
                         os.path.join(case.shadow, made.replace("/", "_")), cwd=self.build)

    @one_at_a_time
    def unchanged(self, made, level):
        """A unit's object as it is."""
        if (made, level) not in self.known:
            kept = os.path.join(self.folder, made.replace("/", "_") + level)
            os.replace(self.compile(made, Case(None, os.path.join(self.folder, "unchanged"), 1000), level), kept)
            self.known[made, level] = kept
        return self.known[made, level]

    def passes(self, name, cases):
        """Whether a test has nothing to say of the code as it is."""
        if (name, cases) not in self.sound:
            case = Case(None, os.path.join(self.folder, "unchanged"), 1000)
            program = os.path.join(self.build, "tests", name.split()[0])
            self.sound[name, cases] = self.run(program, name, cases, case)[0] == 0
        return self.sound[name, cases]

    def changed(self, case, level):
        """The objects that the mutant changes, one after the other: name in the build, and where the new one is."""
        tests = {name.split()[0] for name in tests_of(case.mutant.file)}
        for made, (_, _, files) in self.units.items():
            target = target_of(made)
            if case.mutant.file not in files or target.startswith("test_") and target not in tests:
                continue
            new = self.compile(made, case, level)
            if not same(new, self.unchanged(made, level)):
                yield made, new

    def link(self, test, case, changed):
        objects = [*self.objects[test], *self.support]
        first = [new for made, new in changed.items() if not is_test(target_of(made))]
        objects = [changed.get(o, os.path.join(self.build, o)) for o in objects]
        libraries = ["libpleach_verify.a", "libpleach.a", "-lcmocka", "-lpthread", "-lm"]
        program = os.path.join(case.shadow, test)
        # A test may include a source file of the library. Its symbols are then defined twice, and the first ones win.
        status, said, _ = case.spend([self.cc, *objects, *first, *libraries, "-Wl,-z,muldefs", "-o", program],
                                     cwd=self.build)
        if status != 0:
            raise RuntimeError(f"{test} does not link with {case.mutant.name()}: {said}")
        return program

    def run(self, program, name, cases, case):
        test, environment = (name + " ").split(" ")[:2]
        with open(glob.glob(os.path.join(run.ROOT, "tests", "*", test + ".c"))[0], encoding="utf-8") as f:
            told = ["--filter", cases] if re.search(r"\brun_cases\(", f.read()) else []
        return case.spend([program, *told], SLOW_TEST * TAKES.get(test, 1), cwd=case.shadow,
                          env={**os.environ, **SAME, **ENVIRONMENTS[environment]})

    def notice_by_itself(self, case, level):
        """The first error of a test that includes the mutant's file, run with the unchanged library."""
        for test in dict.fromkeys(name.split()[0] for name in tests_of(case.mutant.file)):
            made = next(made for made in self.objects[test] if made.endswith(test + ".c.o"))
            if made not in self.units or case.mutant.file not in self.units[made][2]:
                continue
            new = self.compile(made, case, level)
            said = None if same(new, self.unchanged(made, level)) else self.notice(case, {made: new}, (test,))
            if said:
                return said
        return None

    def notice(self, case, changed, names=None):
        """What the first test says that complains; None: none does."""
        if not changed:
            return None
        programs, cases = {}, "cpu/*/t1 *" if case.mutant.file.startswith(OF_EACH_WIDTH) else "cpu/32*"
        for name in names or tests_of(case.mutant.file):
            test = name.split()[0]
            if test not in programs:
                programs[test] = self.link(test, case, changed)
            status, said, _ = self.run(programs[test], name, cases, case)
            if status != 0:
                if not self.passes(name, cases):
                    sys.exit(f"{name} fails without a mutant")
                error = re.search(r"ERROR *(?:\] ---|:) *(.*)", said)
                return f"{name}: {error.group(1) if error else f'exit status {status}'}"
        return None
