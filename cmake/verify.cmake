# What examines the library: the checker of histories and the simulator. In no installed library; the pleach command and
# the tests link it.

file(GLOB verify_sources CONFIGURE_DEPENDS verify/history/*.c)
add_library(pleach_verify STATIC ${verify_sources})
target_include_directories(pleach_verify PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(pleach_verify PRIVATE pleach_options)
