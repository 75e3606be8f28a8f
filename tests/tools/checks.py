"""What checks of the commands have in common: finding them, running them, and counting what was checked."""
import argparse
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPORT, COMPARE, PLOT = (str(ROOT / "bench" / name) for name in ("report.py", "compare.py", "plot.py"))

passed = failed = 0


def commands():
    """Paths of pleach and pleach-bench, in the build folder that --build names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    folder = parser.parse_args().build.resolve()
    return str(folder / "pleach"), str(folder / "pleach-bench")


def check(name, right, detail=""):
    global passed, failed
    passed += bool(right)
    failed += not right
    if not right:
        print(f"FAILED {name}: {detail}")


def run(arguments, status=0, text=None):
    try:
        result = subprocess.run(arguments, capture_output=True, text=True, timeout=600, input=text)
    except subprocess.TimeoutExpired:
        result = subprocess.CompletedProcess(arguments, 124, "", "it takes more than 600 s")
    right = result.returncode == status
    check(" ".join(map(str, arguments[1:])), right, f"status {result.returncode}: {result.stderr.strip()[-500:]}")
    return result


def key_bytes(keys, count=None):
    """A file of keys, as --key-file has it; with a number of them that may be wrong."""
    words = [len(keys) if count is None else count, *keys]
    return b"".join(word.to_bytes(8, "little") for word in words)


def finish():
    """Says how many there were; the exit status."""
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
