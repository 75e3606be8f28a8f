# What examines the library: the checker of histories and the simulator. In no installed library; the pleach command and
# the tests link it.

file(GLOB verify_sources CONFIGURE_DEPENDS verify/history/*.c verify/sim/*.c)

# The structures' own source, compiled for the simulator (src/port/port_sim.h): once per key width and set of node verbs.
set(variant_sources verify/sim/map_variant.c)

set(verify_objects)
foreach(source IN LISTS variant_sources)
    list(REMOVE_ITEM verify_sources ${PROJECT_SOURCE_DIR}/${source})
    get_filename_component(name ${source} NAME_WE)
    foreach(isa plain x86 cuda)
        foreach(bits 32 64)
            set(target pleach_sim_${name}_${isa}_${bits})
            add_library(${target} OBJECT ${source})
            target_compile_definitions(${target} PRIVATE
                PLEACH_SIM=1 PLEACH_KEY_BITS=${bits} PLEACH_NODE_ISA_${isa}=1)
            target_link_libraries(${target} PRIVATE pleach_options)
            list(APPEND verify_objects $<TARGET_OBJECTS:${target}>)
        endforeach()
    endforeach()
endforeach()

add_library(pleach_verify STATIC ${verify_sources} ${verify_objects})
target_include_directories(pleach_verify PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(pleach_verify PRIVATE pleach_options PUBLIC pleach_static)
