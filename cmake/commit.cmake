# The commit that results of benchmarks name: what git says of this folder when it is configured, and again after each
# commit; or what PLEACH_COMMIT says, for a copy without its history.

set(PLEACH_COMMIT "" CACHE STRING "Commit to name in results; empty: git is asked")
set(commit "${PLEACH_COMMIT}")

# A copy inside another project's history is not of that project's commit: its prefix there is not empty.
find_program(PLEACH_GIT git)
mark_as_advanced(PLEACH_GIT)
if(NOT commit AND PLEACH_GIT)
    execute_process(COMMAND ${PLEACH_GIT} rev-parse --show-prefix WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                    OUTPUT_VARIABLE prefix RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT failed AND prefix STREQUAL "")
        execute_process(COMMAND ${PLEACH_GIT} describe --always --dirty --abbrev=12
                        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        execute_process(COMMAND ${PLEACH_GIT} rev-parse --path-format=absolute --git-path logs/HEAD
                        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                        OUTPUT_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        if(log AND EXISTS "${log}")
            set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${log}")
        endif()
    endif()
endif()
if(NOT commit)
    set(commit unknown)
endif()
