# The pleach command (tools/), and what it shares with pleach-bench, the fuzz targets and the tests.

# pleach_common: options, files, threads, the machine; edge files and what is done with them.
include(cmake/commit.cmake) # sets commit
file(GLOB common_sources CONFIGURE_DEPENDS tools/common/*.c tools/edges/*.c tools/graph/*.c)
if(NOT PLEACH_WITH_CUDA)
    list(FILTER common_sources EXCLUDE REGEX "_cuda\\.c$")
endif()
add_library(pleach_common STATIC ${common_sources})
set_property(SOURCE tools/common/machine.c APPEND PROPERTY COMPILE_DEFINITIONS
             "PLEACH_BUILD_TYPE=\"$<CONFIG>\"" "PLEACH_COMMIT=\"${commit}\"")
target_include_directories(pleach_common PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(pleach_common PRIVATE pleach_options PUBLIC pleach_compression pleach_static)
target_compile_options(pleach_common PRIVATE ${every_case})
if(PLEACH_WITH_CUDA)
    target_compile_definitions(pleach_common PUBLIC PLEACH_TOOLS_CUDA=1)
endif()

if(PLEACH_TOOLS)
    file(GLOB tool_sources CONFIGURE_DEPENDS tools/*.c tools/replay/*.c tools/stress/*.c)
    add_executable(pleach_tool ${tool_sources})
    set_target_properties(pleach_tool PROPERTIES
        OUTPUT_NAME pleach
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_link_libraries(pleach_tool PRIVATE pleach_options pleach_common pleach_simulator)
    target_compile_options(pleach_tool PRIVATE ${every_case})
    target_link_options(pleach_tool PRIVATE LINKER:--as-needed)
endif()
