# pleach_rivals: what pleach-bench ycsb --rivals measures beside pleach's structures. Nothing of others is required, and
# none of it is in a library of pleach's. PLEACH_RIVALS=OFF leaves out all but what is in the project itself.

option(PLEACH_RIVALS "Have stores of others to compare with, where they are found" ON)
add_library(pleach_rivals STATIC bench/third_party/rivals.c bench/third_party/rival_sorted.c)
target_link_libraries(pleach_rivals PRIVATE pleach_options pleach_common)
target_link_libraries(pleach_bench PRIVATE pleach_rivals)
set(rivals_found sorted)

# A macro, so that it adds to the caller's list.
macro(pleach_have_rival name id source)
    target_sources(pleach_rivals PRIVATE ${PROJECT_SOURCE_DIR}/bench/third_party/${source})
    target_compile_definitions(pleach_rivals PRIVATE PLEACH_HAVE_${id}=1)
    target_link_libraries(pleach_rivals PRIVATE ${ARGN})
    list(APPEND rivals_found ${name})
endmacro()

if(PLEACH_RIVALS)
    set(libraries Judy)
    if(NOT PLEACH_SANITIZE STREQUAL thread) # it does not see what LMDB orders its accesses by
        list(PREPEND libraries lmdb)
    endif()
    foreach(rival IN LISTS libraries)
        string(TOUPPER ${rival} id)
        string(TOLOWER ${rival} name)
        find_path(PLEACH_${id}_INCLUDE_DIR ${rival}.h)
        find_library(PLEACH_${id}_LIBRARY ${rival})
        mark_as_advanced(PLEACH_${id}_INCLUDE_DIR PLEACH_${id}_LIBRARY)
        if(PLEACH_${id}_INCLUDE_DIR AND PLEACH_${id}_LIBRARY)
            target_include_directories(pleach_rivals SYSTEM PRIVATE ${PLEACH_${id}_INCLUDE_DIR})
            pleach_have_rival(${name} ${id} rival_${name}.c ${PLEACH_${id}_LIBRARY})
        endif()
    endforeach()

    # GLib has one of its headers in a folder of the machine's own, which pkg-config knows; trees can be gone through
    # since 2.68.
    find_package(PkgConfig QUIET)
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(PLEACH_GLIB QUIET IMPORTED_TARGET glib-2.0>=2.68)
    endif()
    if(PLEACH_GLIB_FOUND)
        pleach_have_rival(gtree GLIB rival_gtree.c PkgConfig::PLEACH_GLIB)
    endif()

    include(CheckLanguage)
    check_language(CXX)
    if(CMAKE_CXX_COMPILER)
        enable_language(CXX)
    endif()
    # Two compilers have two sanitizers, which do not go together.
    if(CMAKE_CXX_COMPILER AND (PLEACH_SANITIZE STREQUAL none OR CMAKE_CXX_COMPILER_ID STREQUAL CMAKE_C_COMPILER_ID))
        pleach_have_rival(std-map CXX rivals_cxx.cpp)
        if(CMAKE_CUDA_COMPILER_LOADED) # whose linker knows C++ as well
            set_target_properties(pleach_bench PROPERTIES LINKER_LANGUAGE CUDA)
        endif()
        target_compile_features(pleach_rivals PRIVATE cxx_std_17)
        target_compile_options(pleach_rivals PRIVATE
            $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra $<$<BOOL:${PLEACH_WERROR}>:-Werror>>)
        find_package(absl CONFIG QUIET)
        if(TARGET absl::btree)
            target_link_libraries(pleach_rivals PRIVATE absl::btree)
            target_compile_definitions(pleach_rivals PRIVATE PLEACH_HAVE_ABSL=1)
            list(APPEND rivals_found absl-btree)
        endif()
    endif()
endif()

string(REPLACE ";" ", " rivals_text "${rivals_found}")
message(STATUS "pleach-bench ycsb --rivals: ${rivals_text}")
