# What examines the library, in no installed library: the checker of histories (pleach_verify), which the tests link, and
# the simulator (pleach_simulator) of the pleach command and of test_sim.

file(GLOB history_sources CONFIGURE_DEPENDS verify/history/*.c)
add_library(pleach_verify STATIC ${history_sources})
target_include_directories(pleach_verify PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(pleach_verify PRIVATE pleach_options PUBLIC pleach_static)

file(GLOB simulator_sources CONFIGURE_DEPENDS verify/sim/*.c verify/sim/*/*.c)

# The structures' own source, compiled for the simulator (src/port/port_sim.h): once per set of node verbs and width,
# and of slab hashes once per kind.
set(variants_map_variant plain.32 plain.64 x86.32 x86.64 cuda.32 cuda.64)
set(variants_versioned_variant ${variants_map_variant})
set(variants_skiplist_variant ${variants_map_variant})
set(variants_skiplist_wide_variant cuda.32)
set(variants_hash_variant plain.map32 plain.set32 plain.map64 plain.set64 cuda.map32 cuda.set32 cuda.map64 cuda.set64)
set(variants_graph_variant plain.map32 plain.set32 cuda.map32 cuda.set32)
set(variants_pool_variant plain.32 cuda.32)
set(variants_gate_variant plain.32)
set(variants_epoch_variant plain.32 cuda.32)
set(variants_team_variant plain.32 plain.64 x86.32 x86.64)

file(GLOB variant_sources CONFIGURE_DEPENDS verify/sim/*/*_variant.c)
list(REMOVE_ITEM simulator_sources ${variant_sources} ${PROJECT_SOURCE_DIR}/verify/sim/main.c)
set(variant_objects)
foreach(source IN LISTS variant_sources)
    get_filename_component(name ${source} NAME_WE)
    foreach(variant IN LISTS variants_${name})
        string(REGEX MATCH "[a-z0-9]+" isa ${variant})
        string(REGEX MATCH "[0-9]+$" bits ${variant})
        string(REPLACE "." "_" target pleach_sim_${name}_${variant})
        add_library(${target} OBJECT ${source})
        target_compile_definitions(${target} PRIVATE PLEACH_SIM=1 PLEACH_KEY_BITS=${bits} PLEACH_NODE_ISA_${isa}=1)
        if(variant MATCHES map)
            target_compile_definitions(${target} PRIVATE SLAB_VALUES=1)
        elseif(variant MATCHES set)
            target_compile_definitions(${target} PRIVATE SLAB_VALUES=0)
        endif()
        target_link_libraries(${target} PRIVATE pleach_options)
        if(name STREQUAL team_variant AND PLEACH_SANITIZE STREQUAL none)
            # The calls before plain accesses; what they call is in verify/sim/plain.c, not in ThreadSanitizer.
            target_compile_options(${target} PRIVATE -fsanitize=thread)
        endif()
        list(APPEND variant_objects $<TARGET_OBJECTS:${target}>)
    endforeach()
endforeach()

add_library(pleach_simulator STATIC ${simulator_sources} ${variant_objects})
if(PLEACH_SANITIZE STREQUAL none)
    target_compile_definitions(pleach_simulator PRIVATE SIM_WATCHES=1)
endif()
target_link_libraries(pleach_simulator PRIVATE pleach_options PUBLIC pleach_verify)

# "pleach sim" alone, for verify/plants/run.py: linked as it is, and with one planted variant of a structure.
add_library(pleach_sim_main STATIC verify/sim/main.c tools/sim.c tools/common/cli.c)
target_link_libraries(pleach_sim_main PRIVATE pleach_options PUBLIC pleach_simulator)
add_executable(pleach_sim verify/sim/main.c)
target_link_libraries(pleach_sim PRIVATE pleach_options pleach_sim_main)
set_target_properties(pleach_sim_main pleach_simulator pleach_verify PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set_target_properties(pleach_sim PROPERTIES OUTPUT_NAME sim RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
