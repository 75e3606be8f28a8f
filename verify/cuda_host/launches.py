#!/usr/bin/env python3
"""Reads a .cu file as the C++ preprocessor leaves it, and writes C++ that the host's compiler understands.

    launches.py SOURCE.cu OUT.cpp DEPENDENCIES COMPILER [ARGUMENT...]

Two things of CUDA are no C++: launches, kernel<<<blocks, threads>>>(arguments), and __shared__ variables. What does not
look as pleach writes these is refused, with its place.
"""
import re
import subprocess
import sys

OPENING, CLOSING = "([{", ")]}"


class Refused(Exception):
    def __init__(self, text, at, why):
        super().__init__(why)
        self.where = place_of(text, at)


def place_of(text, at):
    """The line of the source, by the last line marker before it."""
    markers = list(re.finditer(r'^# (\d+) "([^"]+)".*\n', text[:at], re.M))
    if not markers:
        return "line %d" % (text.count("\n", 0, at) + 1)
    last = markers[-1]
    return "%s:%d" % (last[2], int(last[1]) + text.count("\n", last.end(), at))


def strings_blanked(text):
    """The same length, with nothing in string and character literals, nor in line markers, that could be taken for code."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'^#[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.M)


def matching(code, at, step):
    """Where the bracket that begins at `at` ends, forwards or backwards."""
    depth = 0
    while 0 <= at < len(code):
        if code[at] in OPENING:
            depth += 1
        elif code[at] in CLOSING:
            depth -= 1
        if depth == 0:
            return at
        at += step
    return -1


def kernel_begin(code, end):
    """Where the name of the kernel begins that ends at `end`: a name, perhaps with <types>, [indices] or (arguments)."""
    at = end
    while True:
        while at > 0 and code[at - 1].isspace():
            at -= 1
        if at > 0 and code[at - 1] in "])":
            at = matching(code, at - 1, -1)
        elif at > 0 and code[at - 1] == ">":
            at = code.rfind("<", 0, at)
        else:
            break
        if at < 0:
            return -1
    name = re.search(r"[A-Za-z_][A-Za-z_0-9]*$", code[:at])
    return name.start() if name else -1


def rewrite_launches(text):
    while True:
        code = strings_blanked(text)
        at = code.find("<<<")
        if at < 0:
            return text
        begin = kernel_begin(code, at)
        end = code.find(">>>", at)
        after = re.compile(r"\s*\(").match(code, end + 3) if end >= 0 else None
        if begin < 0 or after is None:
            raise Refused(text, at, "this is no launch that launches.py understands")
        kernel = text[begin:at].strip()
        name = kernel.replace("\n", " ").replace('"', "'")
        text = '%shostgpu_on("%s", (%s), %s)%s' % (text[:begin], name, kernel, text[at + 3:end], text[end + 3:])


def split_declarators(code, begin, end):
    depth, parts, last = 0, [], begin
    for at in range(begin, end):
        depth += (code[at] in OPENING) - (code[at] in CLOSING)
        if code[at] == "," and depth == 0:
            parts.append((last, at))
            last = at + 1
    return parts + [(last, end)]


def shared_variables(text, at, code):
    """The declarations that stand for `__shared__ type name[n], ...;` at `at`, and where that ends."""
    begin, end = at + len("__shared__"), code.find(";", at)
    if end < 0 or code[:at].rstrip().endswith("extern"):
        raise Refused(text, at, "dynamic shared memory is not emulated")
    kind, out = None, []
    for first, last in split_declarators(code, begin, end):
        found = re.match(r"\s*((?:[A-Za-z_][A-Za-z_0-9]*\s+)*)([A-Za-z_][A-Za-z_0-9]*)\s*((?:\[.*\]\s*)*)$", code[first:last],
                         re.S)
        if not found or bool(found[1].strip()) != (kind is None):
            raise Refused(text, at, "this is no shared variable that launches.py understands")
        kind = kind or found[1].strip()
        name = found[2]
        sizes = text[first + found.start(3):first + found.end(3)].strip()
        out.append("static const char {0}_tag = 0; typedef {1} {0}_type{2}; {0}_type &{0} = "
                   "hostgpu_shared_variable<{0}_type>(&{0}_tag);".format(name, kind, sizes))
    return " ".join(out), end + 1


def rewrite_shared(text):
    out, done = [], 0
    code = strings_blanked(text)
    for found in re.finditer(r"\b__shared__\b", code):
        declarations, end = shared_variables(text, found.start(), code)
        out += [text[done:found.start()], declarations]
        done = end
    return "".join(out) + text[done:]


def main():
    source, out, dependencies, compiler = sys.argv[1:5]
    command = [compiler, *sys.argv[5:], "-E", "-x", "c++", "-MD", "-MF", dependencies, "-MT", out, source]
    preprocessed = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if preprocessed.returncode != 0:
        return preprocessed.returncode
    try:
        text = rewrite_shared(rewrite_launches(preprocessed.stdout))
    except Refused as refused:
        sys.stderr.write("%s: error: %s\n" % (refused.where, refused))
        return 1
    if re.search(r"\basm\b", strings_blanked(text)):
        sys.stderr.write("%s: error: inline PTX outside of src/port/ptx.h\n" % source)
        return 1
    with open(out, "w") as file:
        file.write(text)
    return 0


sys.exit(main())
