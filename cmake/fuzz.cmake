# Every verify/fuzz/fuzz_NAME.c is a program fuzz/fuzz_NAME in the build folder; scripts/fuzz runs them. With clang's
# libFuzzer where it is there, else with verify/fuzz/standalone.c.

if(NOT PLEACH_SANITIZE STREQUAL address)
    message(FATAL_ERROR "PLEACH_FUZZ needs PLEACH_SANITIZE=address")
endif()

include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize=fuzzer)
check_c_source_compiles(
    "#include <stddef.h>
     int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) { return data && size > 9 ? 0 : 0; }"
    PLEACH_HAVE_LIBFUZZER)
unset(CMAKE_REQUIRED_FLAGS)

set(engine_sources)
set(engine_link)
if(PLEACH_HAVE_LIBFUZZER)
    # Coverage guides it. Traced comparisons do not: keys come of bytes in too many ways, and texts have dictionaries.
    target_compile_options(pleach_options INTERFACE -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
    set(engine_link -fsanitize=fuzzer)
else()
    set(engine_sources verify/fuzz/standalone.c)
endif()

# What a target is made of beside its own file, by name.
set(fuzz_parts_map verify/fuzz/map_updates.c verify/fuzz/map_queries.c verify/fuzz/map_whole.c
                   verify/fuzz/map_snapshots.c verify/fuzz/map_refusals.c)
file(GLOB replay_sources CONFIGURE_DEPENDS tools/replay/*.c)
set(fuzz_parts_replay ${replay_sources})
set(fuzz_parts_cli ${replay_sources})

set(fuzz_targets map replay cli edges)
if(PLEACH_WITH_XXHASH)
    list(APPEND fuzz_targets file)
endif()
foreach(name IN LISTS fuzz_targets)
    add_executable(fuzz_${name} verify/fuzz/fuzz_${name}.c ${fuzz_parts_${name}} verify/fuzz/fuzz.c verify/fuzz/model.c
                   ${engine_sources})
    set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
    target_link_libraries(fuzz_${name} PRIVATE pleach_options pleach_common)
    target_link_options(fuzz_${name} PRIVATE ${engine_link})
endforeach()
