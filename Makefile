# A thin front for CMake and scripts/. "make help" lists the targets.

PREFIX ?= /usr/local
DESTDIR ?=
# Arguments of "make bench", such as BENCH="find --bits 32 --json find.json".
BENCH ?=
PRODUCTS = pleach_static pleach_shared pleach_tool

.DEFAULT_GOAL := build
.PHONY: build demo check test verify test-gpu sanitize-gpu bench install clean help

build:      ## libraries and the pleach command, in build/
	@scripts/setup build
	@PLEACH_TARGETS="$(PRODUCTS)" scripts/build build -DPLEACH_CUDA_HERE=OFF

demo:       ## build for this machine's GPU only, then run the demonstration (a minute or two)
	@scripts/setup build
	@PLEACH_TARGETS="$(PRODUCTS)" scripts/build build -DPLEACH_CUDA_HERE=ON
	@build/pleach demo

check:      ## three minutes: one build, and the tests of what has changed since the last commit
	@scripts/setup test
	@scripts/check

test:       ## all tests that need no GPU, with sanitizers; last line "N passed, N failed"
	@scripts/setup test
	@scripts/test

verify:     ## the long form, for hours: longer cases, millions of schedules, fuzzing, stress, coverage
	@scripts/setup test
	@scripts/verify

test-gpu:   ## all tests and tools on an NVIDIA GPU, or an emulated one; or FOR="map graph", as in scripts/gpu
	@scripts/gpu test

sanitize-gpu: ## compute-sanitizer's memcheck, racecheck and synccheck over small tests on an NVIDIA GPU
	@scripts/gpu sanitize

bench:      ## build pleach-bench, measure for a few minutes, and make a page of it; or BENCH="its arguments"
	@scripts/setup bench
	@PLEACH_TARGETS="pleach_tool pleach_bench" scripts/build build
ifeq ($(strip $(BENCH)),)
	@scripts/bench
else
	@build/pleach-bench $(BENCH)
endif

install: build ## install to PREFIX (/usr/local), under DESTDIR
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

clean:      ## remove every build folder
	rm -rf build build-*

help:       ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20
