"""Where pleach is not the fastest of those measured on the same work, or reaches less than half of the limit that binds
it; and the reasons that a file gives."""
import fnmatch
import re

from files import Failed

from . import points as p


def read_reasons(path):
    """Pairs of a pattern and a reason."""
    reasons = []
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                line = line.rstrip("\r\n")
                if not line.strip() or line.startswith("#"):
                    continue
                pattern, colon, why = line.partition(": ")
                if not colon:
                    raise Failed(f"{path}:{number}: not 'PATTERN: why'")
                pattern = re.sub(r"\\(.)", r"[\1]", pattern)  # as shells have it, \[ does not begin a class
                reasons.append((pattern, why))
    except OSError as error:
        raise Failed(f"{path}: {error.strerror}") from None
    return reasons


def name_of(point):
    """"find@cuda", by which reasons are given."""
    told = point.device.startswith(point.place)
    return f"{point.benchmark}@{'' if told else point.place + '/'}{point.device}"


def times_as_good(a, b):
    return b.median / a.median if p.less_is_better(a) else a.median / b.median


def has_order(point):
    return not (point.dims["store"] or "").startswith("hash")


def better_one(point, rivals):
    """The best of others on the same work, if the point is the best of pleach's structures of its kind there: a hash
    table has no order, so it does not stand for those that do."""
    better = [other for other in rivals if other is not point and times_as_good(other, point) > 1
              and not (other.own and has_order(other) != has_order(point))]
    if not better or any(other.own for other in better):
        return None
    return max(better, key=lambda other: times_as_good(other, point))


def judge(points, reasons):
    """Sets the verdict, and the reason, of points that need one."""
    work = {}
    for point in points:
        key = (point.part, point.operation, point.unit, p.values_of(point, set(p.DIMS) - {"store"}))
        work.setdefault(key, []).append(point)
    for rivals in work.values():
        for point in rivals:
            # Choices are there to be compared: none of them is to be the fastest.
            if point.own and point.part not in (p.LIMITS, p.LATENCY, p.MEMORY) and not p.is_choice(point.benchmark):
                judge_point(point, rivals)
            if point.verdict:
                point.why = next((why for pattern, why in reasons if fnmatch.fnmatchcase(name_of(point), pattern)), "")


def judge_point(point, rivals):
    verdicts = []
    better = better_one(point, rivals) if point.times_peer <= 0 else None
    if better is not None:
        point.badness = times_as_good(better, point)
        verdicts.append(f"{p.label(better, {'store'})}: {point.badness:.3g} times as good")
    elif 0 < point.times_peer < 1:
        point.badness = 1 / point.times_peer
        verdicts.append(f"its peer: {point.badness:.3g} times as good")
    if point.limit and point.limit_share < 0.5:
        point.badness = max(point.badness, 0.5 / point.limit_share if point.limit_share > 0 else 1e9)
        verdicts.append(f"{100 * point.limit_share:.0f}% of {point.limit}")
    point.verdict = "; ".join(verdicts)


def worst(points):
    """Of points with a verdict those that stand for all of their name: the worst, or the first that is as bad."""
    found = {}
    for point in points:
        key = (point.benchmark, point.device, point.place)
        if point.verdict and (key not in found or point.badness > found[key].badness):
            found[key] = point
    return [point for point in points if found.get((point.benchmark, point.device, point.place)) is point]
