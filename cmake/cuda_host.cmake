# PLEACH_CUDA=HOST: the GPU backend on an emulated GPU (verify/cuda_host/README.md), for tests. Stands for the CUDA
# toolkit: its headers, its runtime library, and the compilation of .cu files.

if(PLEACH_INSTALL AND NOT PROJECT_IS_TOP_LEVEL)
    message(FATAL_ERROR "PLEACH_CUDA=HOST is for tests; nothing of it may be installed")
endif()
set(PLEACH_INSTALL OFF)
enable_language(CXX)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(cuda_host ${PROJECT_SOURCE_DIR}/verify/cuda_host)
set(CUDAToolkit_INCLUDE_DIRS ${cuda_host}/include)

# Named as the driver, in which device_pointer.c looks for a function.
file(GLOB cuda_host_sources CONFIGURE_DEPENDS ${cuda_host}/*.c)
add_library(pleach_cuda_host SHARED ${cuda_host_sources} ${PROJECT_SOURCE_DIR}/verify/sim/fiber.c)
set_target_properties(pleach_cuda_host PROPERTIES OUTPUT_NAME cuda SOVERSION 1 C_VISIBILITY_PRESET default)
target_include_directories(pleach_cuda_host PRIVATE ${cuda_host}/include)
target_compile_definitions(pleach_cuda_host PRIVATE _GNU_SOURCE)
target_compile_options(pleach_cuda_host PRIVATE -Wall -Wextra -ftls-model=initial-exec)
# The sanitizers watch kernels and the host. What is emulated only tells them what it does: of fibers, of memory that
# nobody may use, and of what is in order.
if(PLEACH_SANITIZE STREQUAL address)
    target_compile_definitions(pleach_cuda_host PRIVATE __SANITIZE_ADDRESS__=1)
elseif(PLEACH_SANITIZE STREQUAL thread)
    target_compile_definitions(pleach_cuda_host PRIVATE __SANITIZE_THREAD__=1 FIBER_IS_A_THREAD=1)
endif()
add_library(CUDA::cudart_static ALIAS pleach_cuda_host)

# pleach_translate_kernels(LIST [INTO FOLDER] [INCLUDE_DIR...] [DEFINITION...]): puts the C++ that stands for the .cu
# files of a list in their place. They are preprocessed here, so the include directories and definitions apply to them
# alone. A file that is compiled several times, once per key width for example, has a folder for each.
function(pleach_translate_kernels list)
    cmake_parse_arguments(PARSE_ARGV 1 of "" "INTO" "")
    set(translated)
    set(sanitizer) # as the compiler itself would say it to the preprocessor
    if(PLEACH_SANITIZE STREQUAL thread)
        set(sanitizer -D__SANITIZE_THREAD__=1)
    endif()
    set(includes -I${cuda_host}/include -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
        -I${PROJECT_BINARY_DIR}/include -I${PROJECT_SOURCE_DIR} ${of_UNPARSED_ARGUMENTS})
    foreach(source IN LISTS ${list})
        if(NOT source MATCHES "\\.cu$")
            list(APPEND translated ${source})
            continue()
        endif()
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
        set(out ${PROJECT_BINARY_DIR}/cuda_host/${name}.cpp)
        if(of_INTO)
            set(out ${PROJECT_BINARY_DIR}/cuda_host/${of_INTO}/${name}.cpp)
        endif()
        list(APPEND translated ${out})
        get_source_file_property(known ${out} GENERATED)
        if(known) # another program's too
            continue()
        endif()
        get_filename_component(folder ${out} DIRECTORY)
        file(MAKE_DIRECTORY ${folder})
        add_custom_command(OUTPUT ${out} DEPFILE ${out}.d
            COMMAND ${Python3_EXECUTABLE} ${cuda_host}/launches.py ${source} ${out} ${out}.d ${CMAKE_CXX_COMPILER}
                -std=gnu++17 -D_GNU_SOURCE -D__CUDACC__=1 -DPLEACH_HAVE_CUDA=1 -DPLEACH_BUILDING=1
                -DPLEACH_TOOLS_CUDA=1 ${sanitizer} -include cuda_runtime.h ${includes}
            DEPENDS ${source} ${cuda_host}/launches.py VERBATIM)
        # The preprocessor has spoken; what is written for nvcc is not ours to warn about as C++.
        set_source_files_properties(${out} PROPERTIES COMPILE_OPTIONS "-w;-std=gnu++17")
    endforeach()
    set(${list} ${translated} PARENT_SCOPE)
endfunction()
