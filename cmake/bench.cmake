# pleach-bench (bench/): the benchmarks, and the structures that they compare pleach's with. Nothing of it is in a
# library of pleach's.

# pleach_baselines: what pleach-bench baselines measures beside pleach's maps. The tests link it too.
file(GLOB baseline_sources CONFIGURE_DEPENDS bench/baselines/baseline_*.c)
if(PLEACH_WITH_CUDA)
    file(GLOB baseline_kernels CONFIGURE_DEPENDS bench/baselines/*.cu)
    pleach_translate_kernels(baseline_kernels)
    list(APPEND baseline_sources ${baseline_kernels})
else()
    list(FILTER baseline_sources EXCLUDE REGEX "_cuda\\.c$")
endif()
add_library(pleach_baselines STATIC ${baseline_sources})
target_link_libraries(pleach_baselines PRIVATE pleach_options PUBLIC pleach_common)
target_compile_options(pleach_baselines PRIVATE ${every_case})

if(NOT PLEACH_BENCH)
    return()
endif()
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.c bench/ablations/*.c bench/baselines/bench_*.c bench/gfsl/*.c
     bench/graph/*.c bench/harness/*.c bench/limits/*.c bench/map/*.c bench/page/*.c bench/paper/*.c bench/ycsb/*.c)
if(PLEACH_WITH_CUDA)
    file(GLOB bench_kernels CONFIGURE_DEPENDS bench/ablations/*.cu bench/gfsl/*.cu bench/graph/*.cu bench/limits/*.cu
         bench/map/*.cu)
    pleach_translate_kernels(bench_kernels)
    list(APPEND bench_sources ${bench_kernels})
endif()
add_executable(pleach_bench ${bench_sources})
set_target_properties(pleach_bench PROPERTIES
    OUTPUT_NAME pleach-bench
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(pleach_bench PRIVATE pleach_options pleach_common pleach_baselines)
target_compile_options(pleach_bench PRIVATE ${every_case})
target_link_options(pleach_bench PRIVATE LINKER:--as-needed)
include(cmake/graphblas.cmake)
include(cmake/third_party.cmake)
