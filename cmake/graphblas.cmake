# SuiteSparse:GraphBLAS, which pleach-bench graph counts triangles with, to compare. Never required, and in no library of
# pleach's. .deps is where it may be unpacked instead of installed.

set(deps ${PROJECT_SOURCE_DIR}/.deps/usr)
find_path(GRAPHBLAS_INCLUDE_DIR GraphBLAS.h HINTS ${deps} PATH_SUFFIXES include include/suitesparse)
find_library(GRAPHBLAS_LIBRARY graphblas HINTS ${deps} PATH_SUFFIXES lib lib/${CMAKE_LIBRARY_ARCHITECTURE})
mark_as_advanced(GRAPHBLAS_INCLUDE_DIR GRAPHBLAS_LIBRARY)
if(GRAPHBLAS_INCLUDE_DIR AND GRAPHBLAS_LIBRARY AND PLEACH_SANITIZE STREQUAL none)
    target_include_directories(pleach_bench SYSTEM PRIVATE ${GRAPHBLAS_INCLUDE_DIR})
    target_link_libraries(pleach_bench PRIVATE ${GRAPHBLAS_LIBRARY})
    target_compile_definitions(pleach_bench PRIVATE PLEACH_HAVE_GRAPHBLAS=1)
endif()
