# Helpers that every folder's CMakeLists.txt uses, so that flags and layering live in one place.

set(ISOLDE_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor
                    -Wold-style-cast)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms on string concatenation in GCC 12 (GCC bug 105651).
  list(APPEND ISOLDE_WARNINGS -Wno-restrict)
endif()
if(ISOLDE_WERROR)
  list(APPEND ISOLDE_WARNINGS -Werror)
endif()

function(isolde_flags target)
  target_compile_options(${target} PRIVATE ${ISOLDE_WARNINGS})
  # Asserts stay on in every build type: a wrong verdict costs more than the few percent they do.
  target_compile_options(${target} PRIVATE -UNDEBUG)
  if(ISOLDE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${ISOLDE_SANITIZE}
                                             -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${ISOLDE_SANITIZE})
  endif()
endfunction()

# isolde_library(<folder> SOURCES ... [DEPENDS <folder>...] [LINK <external target>...])
# One static library for each folder of src/. DEPENDS is the layer rule made checkable: what is
# not listed there does not link.
function(isolde_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  if(ARG_SOURCES)
    add_library(isolde_${name} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    isolde_flags(isolde_${name})
  else()
    add_library(isolde_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(isolde_${name} ${scope} ${PROJECT_SOURCE_DIR}/include
                                                     ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM ARG_DEPENDS PREPEND isolde_)
  target_link_libraries(isolde_${name} ${scope} ${ARG_DEPENDS} ${ARG_LINK})
endfunction()

# isolde_test(<name> SOURCES ... DEPENDS <folder>... [LINK <target>...] [ARGS ...] [TIMEOUT s])
# A GoogleTest program; every TEST in it becomes one ctest test.
function(isolde_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPENDS;LINK" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  isolde_flags(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/test)
  list(TRANSFORM ARG_DEPENDS PREPEND isolde_)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} ${ARG_LINK} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE ISOLDE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()
