# Libraries, command, headers, pkg-config file and CMake package. All of it may be moved after the install: the
# package files find the prefix from where they are.

include(CMakePackageConfigHelpers)

install(TARGETS pleach_static pleach_shared
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(PLEACH_TOOLS)
    install(TARGETS pleach_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# The public headers, and beside them what those for kernels include: the algorithms, which a user's kernel compiles in.
install(DIRECTORY include/pleach DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh")
install(DIRECTORY src/base src/port src/node src/pool src/epoch src/version src/level
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pleach/detail
        FILES_MATCHING PATTERN "*.h" PATTERN "pool_cuda.h" EXCLUDE)
install(DIRECTORY src/blink src/versioned src/skiplist src/hash
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pleach/detail
        FILES_MATCHING PATTERN "*.h"
        REGEX "_(cpu|cuda|kernels|launch|prefetch)\\.h$|/hash/hash_" EXCLUDE)
install(FILES src/graph/graph_device.h src/graph/graph_device_kind.h src/graph/graph_edge.h src/graph/graph_vertex.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pleach/detail/graph)
install(FILES src/graph/base/graph_format.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pleach/detail/graph/base)
install(FILES src/graph/ids/dictionary.h src/graph/ids/dictionary_kind.h src/graph/ids/numbers.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pleach/detail/graph/ids)

# What a program must name besides libpleach.a.
set(private_libs "-lpthread -lm")
set(cudart_dir)
if(PLEACH_WITH_CUDA)
    get_filename_component(cudart_dir ${CUDA_cudart_static_LIBRARY} DIRECTORY)
    string(APPEND private_libs " -L${cudart_dir} -lcudart_static -ldl -lrt -lstdc++")
endif()

if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
    file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "/$" "" up ${up})
    set(pc_prefix "\${pcfiledir}/${up}")
endif()
configure_file(cmake/pleach.pc.in pleach.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/pleach.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pleach)
configure_package_config_file(cmake/pleachConfig.cmake.in pleachConfig.cmake
    INSTALL_DESTINATION ${package_dir}
    PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(pleachConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pleachConfig.cmake ${PROJECT_BINARY_DIR}/pleachConfigVersion.cmake
        DESTINATION ${package_dir})
