# Decides whether the GPU backend is built, and enables the language. Sets PLEACH_WITH_CUDA to ON or OFF.

if(NOT PLEACH_CUDA MATCHES "^(AUTO|ON|OFF|HOST)$")
    message(FATAL_ERROR "PLEACH_CUDA is ${PLEACH_CUDA}; it must be AUTO, ON, OFF or HOST")
endif()

# Only the emulated GPU has something to do here.
function(pleach_translate_kernels list)
endfunction()
if(PLEACH_CUDA STREQUAL HOST)
    include(cmake/cuda_host.cmake)
    set(PLEACH_WITH_CUDA ON CACHE INTERNAL "the GPU backend is built")
    return()
endif()

# The architecture of this machine's first GPU. Without one, PTX of the oldest GPUs, which is what compiles fastest.
function(pleach_architecture_here result)
    set(capability)
    find_program(PLEACH_NVIDIA_SMI nvidia-smi)
    if(PLEACH_NVIDIA_SMI)
        execute_process(COMMAND ${PLEACH_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                        OUTPUT_VARIABLE capability ERROR_QUIET)
    endif()
    if(capability MATCHES "^([0-9]+)\\.([0-9]+)")
        set(${result} ${CMAKE_MATCH_1}${CMAKE_MATCH_2}-real PARENT_SCOPE)
    else()
        set(${result} 75-virtual PARENT_SCOPE)
    endif()
endfunction()

set(wanted ${PLEACH_CUDA})
if(wanted STREQUAL AUTO AND NOT PLEACH_SANITIZE STREQUAL none)
    set(wanted OFF) # the host sanitizers and the CUDA runtime do not go together
endif()

set(with_cuda OFF)
if(NOT wanted STREQUAL OFF)
    # The toolkit's usual place is often not in PATH.
    if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
        find_program(PLEACH_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
        if(PLEACH_NVCC)
            set(CMAKE_CUDA_COMPILER ${PLEACH_NVCC})
        endif()
    endif()
    # Else CMake fills it with the compiler's default.
    set(CMAKE_CUDA_ARCHITECTURES ${PLEACH_CUDA_ARCHITECTURES})
    if(PLEACH_CUDA_HERE)
        pleach_architecture_here(CMAKE_CUDA_ARCHITECTURES)
    endif()

    if(wanted STREQUAL ON)
        enable_language(CUDA)
        set(with_cuda ON)
    else()
        include(CheckLanguage)
        check_language(CUDA) # a trial project: nvcc may be there and refuse the host compiler
        if(CMAKE_CUDA_COMPILER)
            enable_language(CUDA)
            set(with_cuda ON)
        elseif(PLEACH_NVCC)
            message(WARNING "${PLEACH_NVCC} does not work with this host compiler: building without CUDA")
        endif()
    endif()
endif()

if(with_cuda)
    # The runtime is linked statically and finds the driver by itself, so that the library loads where there is none.
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    set(CMAKE_CUDA_SEPARABLE_COMPILATION OFF)
    find_package(CUDAToolkit REQUIRED)
endif()
set(PLEACH_WITH_CUDA ${with_cuda} CACHE INTERNAL "the GPU backend is built")
