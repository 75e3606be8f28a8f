#!/usr/bin/env bash
# install_check.sh [--gpu] [BUILD_DIR [SOURCE_DIR]]: installs a build to a temporary prefix and uses it as a stranger
# would, by pkg-config and by CMake, from C and from CUDA; and looks at what the shared library shows and needs. With
# --gpu it builds the examples by CMake and nothing else, and those with kernels must find a GPU. The last line is
# "N passed, N failed".
set -uo pipefail

no_gpu='^no GPU' # what examples may say
runs='it runs, or says that there is no GPU'
only_gpu=
if [ "${1:-}" = --gpu ]; then
    no_gpu='^$.'
    runs='it runs on the GPU'
    only_gpu=1
    shift
fi

source_dir=$(cd "${2:-$(dirname "$0")/../..}" && pwd) || exit 2
build_dir=$(cd "${1:-$source_dir/build}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin # nvcc's usual place is often not in PATH
passed=0
failed=0

# check WHAT COMMAND...: runs the command; its output is shown only if it fails.
check() {
    local what=$1 log=$work/log
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "ok     $what"
    else
        failed=$((failed + 1))
        echo "FAILED $what"
        sed 's/^/       /' "$log"
    fi
}

have() { command -v "$1" >/dev/null; }

with_cuda() { grep -q '^PLEACH_WITH_CUDA:INTERNAL=ON$' "$build_dir/CMakeCache.txt"; }

installed() { find "$prefix" -name "$1" -print -quit; }

# What the first example prints on every machine; "event 2" and "event 5" have the same time, so either may be second.
expected_lines='3 events from 2000 to 5000: 2500:8 3600:7 4800:4
7 times, first 1200, last 9100, next after 5000: 5300'

runs_right() { # PROGRAM
    local output
    output=$("$1") || return 1
    printf '%s\n' "$output"
    [ "$(tail -n 2 <<<"$output")" = "$expected_lines" ] && [ "$(grep -c ': new$' <<<"$output")" -eq 7 ]
}

# Ten accounts that all pay each other: each is in 36 rings of three.
finds_the_ring() { # PROGRAM
    local output
    output=$("$1") || return 1
    printf '%s\n' "$output"
    [ "$(grep -c ' is in 36 of them$' <<<"$output")" -eq 10 ]
}

searches_or_says_no_gpu() { # PROGRAM
    local output
    output=$("$1") || return 1
    printf '%s\n' "$output"
    grep -q -e "$no_gpu" -e '; 0 distances are not those of the host$' <<<"$output"
}

# Without a GPU the example must start, say so, and end well; with one its own check decides.
runs_or_says_no_gpu() { # PROGRAM
    local output
    output=$("$1") || return 1
    printf '%s\n' "$output"
    grep -q -e "$no_gpu" -e '^64000 threads counted 1000 words; 500 are left' <<<"$output"
}

by_pkg_config() { # NAME CC [PKG-CONFIG OPTION]
    local flags
    flags=$(pkg-config "${@:3}" --cflags --libs pleach) || return 1
    # shellcheck disable=SC2086 # several words
    "$2" -std=c17 -Wall -Wextra -Wpedantic -Werror "$source_dir/examples/ordered_index.c" -o "$work/$1" $flags
}

# With the archive named, no shared library can take its place.
by_pkg_config_static() {
    local flags
    flags=$(pkg-config --static --cflags --libs pleach) || return 1
    flags=${flags//-lpleach/-l:libpleach.a}
    # shellcheck disable=SC2086 # several words
    cc -std=c17 "$source_dir/examples/ordered_index.c" -o "$work/static" $flags &&
        ! readelf -d "$work/static" | grep 'NEEDED.*libpleach'
}

by_cmake() {
    cmake -S "$source_dir/examples" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" &&
        cmake --build "$work/cmake"
}

by_nvcc() {
    # shellcheck disable=SC2046 # several words
    nvcc -std=c++17 -arch=compute_75 "$source_dir/examples/device_side.cu" -o "$work/device_side_nvcc" \
        $(pkg-config --cflags --libs pleach)
}

# programs_of PAGE FOLDER: writes each C program of a page to FOLDER/N.c, and the block of text after it, which is its
# output, to FOLDER/N.txt.
programs_of() {
    mkdir -p "$2"
    awk -v folder="$2" '
        /^```c$/ { file = folder "/" ++n ".c"; next }
        /^```text$/ { file = folder "/" n ".txt"; next }
        /^```/ { file = ""; next }
        file { print > file }' "$1"
}

page_is_true() { # PROGRAM.c
    local flags
    flags=$(pkg-config --cflags --libs pleach) || return 1
    # shellcheck disable=SC2086 # several words
    cc -std=c17 -Wall -Wextra -Wpedantic -Werror "$1" -o "${1%.c}" $flags && (cd "$work" && "${1%.c}") >"${1%.c}.out" &&
        diff "${1%.c}.txt" "${1%.c}.out"
}

check_pages() {
    local page program
    for page in README.md docs/guide.md; do
        programs_of "$source_dir/$page" "$work/pages/$page"
        check "$page has programs" test -e "$work/pages/$page/1.c"
        for program in "$work/pages/$page"/*.c; do
            check "$page, program $(basename "$program" .c): it prints what the page says" page_is_true "$program"
        done
    done
}

public_header_stands_alone() { # HEADER LANGUAGE
    printf '#include <pleach/%s>\n' "$1" >"$work/alone.$2"
    "${CC:-cc}" -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only "$work/alone.$2"
}

# A symbol of ours outside pleach_ could clash with a user's own.
exports_only_pleach() {
    local names
    names=$(nm -D --defined-only "$library" | awk '{print $NF}') || return 1
    grep -q '^pleach_map_put$' <<<"$names" || { echo "pleach_map_put is missing"; return 1; }
    ! grep -v '^pleach_' <<<"$names"
}

has_soname() { readelf -d "$library" | grep 'SONAME.*\[libpleach\.so\.[0-9]'; }

needs_no_driver() { ! readelf -d "$library" | grep 'NEEDED.*\(libcuda\|libcudart\|libnv\)'; }

check "cmake --install" cmake --install "$build_dir" --prefix "$prefix"
library=$(installed 'libpleach.so')
export PKG_CONFIG_PATH LD_LIBRARY_PATH
PKG_CONFIG_PATH=$(dirname "$(installed 'pleach.pc')")
LD_LIBRARY_PATH=$(dirname "$library"):${LD_LIBRARY_PATH:-}

check_examples() {
    check "find_package(pleach) builds the examples" by_cmake
    check "the host example runs" runs_right "$work/cmake/ordered_index"
    check "the example of a graph runs" finds_the_ring "$work/cmake/fraud_stream"
}

check_kernel_examples() {
    check "CMake built the kernel example too" test -x "$work/cmake/device_side"
    check "$runs" runs_or_says_no_gpu "$work/cmake/device_side"
    check "so does the search of a graph" searches_or_says_no_gpu "$work/cmake/bfs"
}

if [ -n "$only_gpu" ]; then
    check_examples
    check_kernel_examples
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
fi

check "the shared library is there" test -e "$library"
check "it exports pleach_* and nothing else" exports_only_pleach
check "it has a soname" has_soname
check "it needs no CUDA library to load" needs_no_driver

for header in status.h map.h hash.h graph.h triangles.h pleach.h; do
    check "pleach/$header compiles by itself as C" public_header_stands_alone $header c
done
have c++ && CC=c++ check "pleach/pleach.h compiles as C++" public_header_stands_alone pleach.h cc

check "pkg-config and cc compile the example" by_pkg_config shared cc
check "it runs" runs_right "$work/shared"
check "pkg-config --static and cc compile the example" by_pkg_config_static
check "it runs" runs_right "$work/static"
if have clang; then
    check "pkg-config and clang compile the example" by_pkg_config with_clang clang
    check "it runs" runs_right "$work/with_clang"
fi

check_examples
check_pages
if with_cuda && have nvcc; then
    check "nvcc compiles the kernel example" by_nvcc
    check "$runs" runs_or_says_no_gpu "$work/device_side_nvcc"
    check_kernel_examples
fi

[ -x "$prefix/bin/pleach" ] && check "the installed command runs" "$prefix/bin/pleach" info

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
