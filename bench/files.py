"""Files of the scripts in this folder: results that are read, pages and drawings that are written, and the Python that
has matplotlib."""
import argparse
import contextlib
import errno
import importlib.util
import json
import math
import os
import re
import stat
import subprocess
import sys

JSON_FACTOR = 32  # bytes of memory that a byte of JSON takes at most
LEAST_MEMORY = 1 << 20
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


class Failed(Exception):
    """What ends the command with status 2; its text is told."""


def run(main):
    """Runs a script's main; the exit status."""
    name = os.path.basename(sys.argv[0])
    try:
        status = main()
        sys.stdout.flush()
        return status
    except Failed as failure:
        print(f"{name}: {failure}", file=sys.stderr)
    except OSError as error:
        print(f"{name}: cannot write standard output: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 2


# ---- reading ---------------------------------------------------------------------------------------------------------

def half_of_memory():
    """Of the machine, or of the control group if that has less."""
    sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError), open(path, encoding="ascii") as file:
            sizes.append(int(file.read()))
    return min(sizes) // 2


def count(text):
    """A number such as 5000, 64M, 16Ki or 2^20."""
    parts = re.fullmatch(r"(\d+)(?:\^(\d+)|([KMG]i?)?)", text)
    if parts is None or len(text) > 20:
        raise argparse.ArgumentTypeError(f"takes a number such as 512Mi, not '{text}'")
    if parts[2]:
        return int(parts[1]) ** min(int(parts[2]), 64)
    return int(parts[1]) * UNITS[parts[3] or ""]


def take_memory(parser):
    """Adds the option --max-memory."""
    parser.add_argument("--max-memory", type=count, default=None, metavar="N",
                        help="bytes of memory to take at most for all files, such as 512Mi, where a byte of a file "
                             f"takes {JSON_FACTOR} (default: half of the machine's memory)")


class Reader:
    """Reads files of results, which together must not take more memory than is allowed."""

    def __init__(self, most):
        self.most = max(half_of_memory() if most is None else most, LEAST_MEMORY)
        self.taken = 0

    def read(self, path):
        """The object that a file has."""
        try:
            with open(path, "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise Failed(f"{path}: not a regular file")
                text = file.read((self.most - self.taken) // JSON_FACTOR + 1)
        except OSError as error:
            raise Failed(f"{path}: {error.strerror}") from None
        self.taken += len(text) * JSON_FACTOR
        if self.taken > self.most:
            raise Failed(f"{path}: it takes more memory than the {self.most / (1 << 20):.1f} MiB that --max-memory "
                         "allows")
        try:
            value = json.loads(text, parse_constant=refuse_constant)
        except (ValueError, RecursionError) as error:
            raise Failed(f"{path}: not JSON: {error}") from None
        if not isinstance(value, dict):
            raise Failed(f"{path}: not a JSON object")
        return value

    def read_results(self, path):
        """The context and the rows of a file that `pleach-bench --json` has written."""
        value = self.read(path)
        rows, context = value.get("benchmarks"), value.get("context")
        if not isinstance(rows, list):
            raise Failed(f"{path}: has no \"benchmarks\", as files of 'pleach-bench --json' have")
        return context if isinstance(context, dict) else {}, [row for row in rows if isinstance(row, dict)]


def refuse_constant(name):
    raise ValueError(f"{name} is no number")


def number(row, name, otherwise=0):
    """A member that is a finite number."""
    value = row.get(name)
    right = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300
    return value if right and not math.isnan(value) else otherwise


def text(row, name, otherwise=""):
    """A member that is a text."""
    value = row.get(name)
    return value if isinstance(value, str) else otherwise


# ---- writing ---------------------------------------------------------------------------------------------------------
# As the commands do it (src/file/disk.h): a file is written under a name of its own and renamed when it is complete,
# keeps the owner and the mode of what it replaces, and replaces nothing but a regular file.

def look_at(path):
    """What is there now, or None."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "not a regular file (- is standard output)")
    return found


def replace(path, data):
    """Writes a file; OSError leaves the old one as it was."""
    if os.path.islink(path):
        os.stat(path)  # a link to nothing is refused
        path = os.path.realpath(path)
    old = look_at(path)
    temporary = f"{path}.pleach-{os.getpid()}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600 if old else 0o666)
    try:
        with open(descriptor, "wb") as file:
            if old and (old.st_uid, old.st_gid) != (os.fstat(descriptor).st_uid, os.fstat(descriptor).st_gid):
                os.fchown(descriptor, old.st_uid, old.st_gid)
            file.write(data)
            file.flush()
            if old:
                os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
            os.fsync(descriptor)
        look_at(path)  # another process may have made a pipe there by now
        os.rename(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write(path, words):
    """Writes a text to a file; - is standard output."""
    data = words.encode("utf-8", "replace")
    if path == "-":
        sys.stdout.buffer.write(data)
        return
    try:
        replace(path, data)
    except OSError as error:
        raise Failed(f"cannot write {path}: {error.strerror}") from None


# ---- matplotlib ------------------------------------------------------------------------------------------------------

def need_matplotlib():
    """Debian's is in Debian's own Python, which is not always the first in PATH: then that one runs the script."""
    if importlib.util.find_spec("matplotlib") is not None:
        return
    python, find = "/usr/bin/python3", "import importlib.util as u; raise SystemExit(u.find_spec('matplotlib') is None)"
    if os.path.exists(python) and subprocess.run([python, "-c", find], check=False).returncode == 0:
        os.execv(python, [python, *sys.argv])
    raise Failed("needs matplotlib, which 'scripts/setup bench' gets (Debian: python3-matplotlib)")
