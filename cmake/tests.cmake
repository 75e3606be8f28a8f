# Every tests/test_NAME.c is a program tests/test_NAME in the build folder. test_NAME_cuda.c and test_NAME.cu need a
# GPU and are built with CUDA only. A program that takes --device, by name or through the harness's run_cases,
# runs on the GPU as well.

# .deps is where scripts/setup unpacks it if it may not install it.
find_path(CMOCKA_INCLUDE_DIR cmocka.h HINTS ${PROJECT_SOURCE_DIR}/.deps/usr PATH_SUFFIXES include)
find_library(CMOCKA_LIBRARY cmocka HINTS ${PROJECT_SOURCE_DIR}/.deps/usr
             PATH_SUFFIXES lib lib/${CMAKE_LIBRARY_ARCHITECTURE})
mark_as_advanced(CMOCKA_INCLUDE_DIR CMOCKA_LIBRARY)
if(NOT CMOCKA_INCLUDE_DIR OR NOT CMOCKA_LIBRARY)
    message(STATUS "no cmocka, so no tests are built: scripts/setup gets it")
    return()
endif()
if(PLEACH_GPU_TESTS AND NOT PLEACH_WITH_CUDA)
    message(FATAL_ERROR "PLEACH_GPU_TESTS needs a build with CUDA")
endif()

file(GLOB test_sources CONFIGURE_DEPENDS tests/test_*.c)
if(PLEACH_WITH_CUDA)
    file(GLOB cuda_test_sources CONFIGURE_DEPENDS tests/test_*.cu)
    pleach_translate_kernels(cuda_test_sources -I${PROJECT_SOURCE_DIR}/tests -I${PROJECT_SOURCE_DIR}/tests/support
                             -I${CMOCKA_INCLUDE_DIR})
    list(APPEND test_sources ${cuda_test_sources})
    if(PLEACH_CUDA STREQUAL HOST) # compares with triangles by CUB
        list(FILTER test_sources EXCLUDE REGEX "/test_triangles_cuda\\.c$")
    endif()
else()
    list(FILTER test_sources EXCLUDE REGEX "_cuda\\.c$")
endif()

set(test_libraries pleach_options pleach_verify pleach_static)
file(GLOB support_sources CONFIGURE_DEPENDS tests/support/*.c)
set(support_objects)
if(support_sources)
    add_library(pleach_test_support OBJECT ${support_sources})
    target_include_directories(pleach_test_support PRIVATE tests tests/support)
    target_include_directories(pleach_test_support SYSTEM PRIVATE ${CMOCKA_INCLUDE_DIR})
    target_link_libraries(pleach_test_support PRIVATE ${test_libraries})
    set(support_objects $<TARGET_OBJECTS:pleach_test_support>)
endif()

foreach(source IN LISTS test_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source} ${support_objects})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_include_directories(${name} PRIVATE tests tests/support)
    target_include_directories(${name} SYSTEM PRIVATE ${CMOCKA_INCLUDE_DIR})
    target_link_libraries(${name} PRIVATE ${test_libraries} ${CMOCKA_LIBRARY})

    set(needs_gpu OFF)
    if(source MATCHES "(_cuda\\.c|\\.cu)$")
        set(needs_gpu ON)
    endif()
    if(NOT needs_gpu)
        add_test(NAME ${name} COMMAND ${name})
        set_tests_properties(${name} PROPERTIES LABELS cpu TIMEOUT 900 PROCESSORS 2)
    endif()
    if(PLEACH_GPU_TESTS)
        file(STRINGS ${source} mentions REGEX "--device|run_cases|run_graph_cases\\(" LIMIT_COUNT 1)
        if(mentions)
            add_test(NAME ${name}.cuda COMMAND ${name} --device cuda)
        elseif(needs_gpu)
            add_test(NAME ${name}.cuda COMMAND ${name})
        else()
            continue()
        endif()
        set_tests_properties(${name}.cuda PROPERTIES LABELS gpu TIMEOUT 900 RUN_SERIAL ON)
    endif()
endforeach()

# A program with ThreadSanitizer and the library without: scripts/test runs it in the release build.
if(PLEACH_SANITIZE STREQUAL "none")
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
    check_c_source_compiles("int main(void) { return 0; }" PLEACH_CAN_WATCH_THREADS)
    unset(CMAKE_REQUIRED_FLAGS)
    if(PLEACH_CAN_WATCH_THREADS)
        add_executable(watched_handover tests/test_handover.c ${support_sources})
        set_target_properties(watched_handover PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
        target_include_directories(watched_handover PRIVATE tests tests/support)
        target_include_directories(watched_handover SYSTEM PRIVATE ${CMOCKA_INCLUDE_DIR})
        target_compile_options(watched_handover PRIVATE -fsanitize=thread -g)
        target_link_options(watched_handover PRIVATE -fsanitize=thread)
        target_link_libraries(watched_handover PRIVATE ${test_libraries} ${CMOCKA_LIBRARY})
    endif()
endif()

target_sources(test_cell_set PRIVATE tools/cell_set.c)
target_link_options(test_batch_steps PRIVATE LINKER:--wrap=pleach_map_apply)
target_sources(test_baselines PRIVATE tools/crew.c tools/cli.c)
target_include_directories(test_baselines PRIVATE tools)
target_link_libraries(test_baselines PRIVATE pleach_baselines pleach_static)
target_sources(test_ablations PRIVATE tools/ablations/variants.c tools/ablations/tree_host.c
    tools/ablations/palm.c)
if(TARGET test_triangles_cuda)
    target_sources(test_triangles_cuda PRIVATE tools/triangles_merge_cuda.cu)
    target_link_options(test_batch_streams_cuda PRIVATE
        LINKER:--wrap=cudaEventRecord,--wrap=cudaStreamWaitEvent,--wrap=cudaStreamSynchronize)
endif()

# What reads, makes and measures edges is in tools/, and tested without the command around it.
file(GLOB edge_sources CONFIGURE_DEPENDS tools/edge_*.c tools/graph_baseline_*.c)
foreach(name test_edges test_edge_make test_graph_info test_graph_baseline)
    target_sources(${name} PRIVATE tests/support/edges/edge_files.c ${edge_sources} tools/graph_files.c
                                   tools/graph_info.c tools/graph_gen.c tools/cli.c tools/crew.c tools/text_out.c
                                   tools/out_file.c tools/memory_limit.c)
    target_link_libraries(${name} PRIVATE pleach_compression)
endforeach()

# Something to compare triangles with, where it is: Debian's libgraphblas-dev. Its own header is not ours to warn about.
find_path(GRAPHBLAS_INCLUDE_DIR GraphBLAS.h PATH_SUFFIXES suitesparse)
find_library(GRAPHBLAS_LIBRARY graphblas)
mark_as_advanced(GRAPHBLAS_INCLUDE_DIR GRAPHBLAS_LIBRARY)
if(GRAPHBLAS_INCLUDE_DIR AND GRAPHBLAS_LIBRARY)
    target_compile_definitions(test_graph_graphblas PRIVATE PLEACH_TEST_GRAPHBLAS=1)
    target_include_directories(test_graph_graphblas SYSTEM PRIVATE ${GRAPHBLAS_INCLUDE_DIR})
    target_link_libraries(test_graph_graphblas PRIVATE ${GRAPHBLAS_LIBRARY})
endif()
