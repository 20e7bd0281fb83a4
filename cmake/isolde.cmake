# Helpers that every folder's CMakeLists.txt uses, so that flags and layering live in one place.

set(ISOLDE_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor
                    -Wold-style-cast)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms on strings in GCC 12 (GCC bug 105651), all but the first where headers are precompiled.
  list(APPEND ISOLDE_WARNINGS -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                              -Wno-stringop-overread)
endif()
# Most of a build goes into templates that many files instantiate. Compiled together they take half
# the time. The presets dev and apart compile each file by itself.
option(ISOLDE_UNITY "Compile the files of a library or test program together, 8 at a time (unity build)" OFF)
if(ISOLDE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # It takes a source that another one includes for a header.
  list(APPEND ISOLDE_WARNINGS -Wno-subobject-linkage)
endif()
if(ISOLDE_WERROR)
  list(APPEND ISOLDE_WARNINGS -Werror)
endif()
# Sanitizers describe each global variable and each type to their runtime, so that a program that can be loaded
# anywhere has 1.6 million addresses to correct whenever it starts: a sixth of a start.
if(ISOLDE_SANITIZE MATCHES "address")
  add_link_options(-no-pie)
endif()
# Sanitizers make programs so large that linking them takes a seventh of a build.
find_program(ISOLDE_LLD ld.lld)
mark_as_advanced(ISOLDE_LLD)
if(ISOLDE_LLD AND ISOLDE_SANITIZE)
  add_link_options(-fuse-ld=lld)
  if(ISOLDE_SANITIZE STREQUAL "thread")
    # Its runtime has an operator new that a test may not replace otherwise (failing_memory.hpp).
    add_link_options(LINKER:-z,muldefs)
  endif()
endif()

# What was compiled before, also in another clone, is taken from ccache where it is installed: paths are
# taken relative to the clone. Precompiled headers need its consent and these flags
# (https://ccache.dev/manual/4.7.5.html#_precompiled_headers), and with clang a script.
find_program(ISOLDE_CCACHE ccache)
mark_as_advanced(ISOLDE_CCACHE)
set(ISOLDE_CACHE_OPTIONS)
if(ISOLDE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND CMAKE_CXX_COMPILER_LAUNCHER ${ISOLDE_CCACHE})
    set(ISOLDE_CACHE_OPTIONS -fpch-preprocess)
  else()
    list(APPEND CMAKE_CXX_COMPILER_LAUNCHER
         CCACHE_PCH_EXTSUM=1 sh ${PROJECT_SOURCE_DIR}/cmake/ccache_clang.sh)
    set(ISOLDE_CACHE_OPTIONS "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()

function(isolde_flags target)
  # The same object files go into the program and into the shared library, which shows its public
  # functions only (isolde/export.h). Not by CMake's property, which has other flags for programs:
  # precompiled headers are for both.
  target_compile_options(${target} PRIVATE -fPIC -fvisibility=hidden -fvisibility-inlines-hidden)
  target_compile_options(${target} PRIVATE ${ISOLDE_WARNINGS} ${ISOLDE_CACHE_OPTIONS})
  # Assertions name files as the repository does, so that another clone's object files are the same.
  target_compile_options(${target} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  # Asserts stay on in every build type: a wrong verdict costs more than the few percent they do.
  target_compile_options(${target} PRIVATE -UNDEBUG)
  target_compile_definitions(${target} PRIVATE $<$<CONFIG:Debug>:ISOLDE_INVARIANTS>)
  # hiredis asks for this of all that include it, and precompiled headers fit equal macros only.
  target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64)
  if(ISOLDE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${ISOLDE_SANITIZE}
                                             -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${ISOLDE_SANITIZE})
  endif()
endfunction()

# For tests, the command line, and the libraries that no check waits for, which call what is
# optimised: they compile in two thirds of the time. So they do once more without any optimisation
# where clang adds sanitizers.
set(ISOLDE_CALLER_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-O1>)
if(ISOLDE_SANITIZE)
  set(ISOLDE_CALLER_OPTIONS -O0)
elseif(ISOLDE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms on variants, the more the less is optimised.
  list(APPEND ISOLDE_CALLER_OPTIONS -Wno-maybe-uninitialized)
endif()

# Headers that most sources include, compiled once for each kind of target. Half the time of a
# build went into reading them. Sources still name all that they use; the preset apart shows one that
# does not.
set(ISOLDE_COMMON_HEADERS
    <algorithm> <array> <atomic> <charconv> <chrono> <cstdint> <cstdio> <cstring> <filesystem>
    <fstream> <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <string>
    <string_view> <thread> <unordered_map> <utility> <variant> <vector>)

# isolde_precompiled(<name> [LINK <target>...] [HEADERS ...] [OPTIONS ...])
# What targets of one kind, which all have the same OPTIONS, share by REUSE_FROM.
function(isolde_precompiled name)
  cmake_parse_arguments(ARG "" "" "LINK;HEADERS;OPTIONS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  isolde_flags(${name})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${ISOLDE_COMMON_HEADERS} ${ARG_HEADERS})
endfunction()

function(isolde_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${ISOLDE_UNITY})
endfunction()

# isolde_library(<folder> SOURCES ... [DEPENDS <folder>...] [LINK <external target>...]
#                [CALLER] [PRECOMPILED <target>] [NO_UNITY])
# One static library for each folder of src/. DEPENDS is the layer rule made checkable:
# tools/tidy.py holds includes to it. CALLER: compiled with ISOLDE_CALLER_OPTIONS. NO_UNITY: its files
# have names of their own in common, and are never compiled together.
function(isolde_library name)
  cmake_parse_arguments(ARG "CALLER;NO_UNITY" "PRECOMPILED" "SOURCES;DEPENDS;LINK" ${ARGN})
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED isolde_common_headers)
    if(ARG_CALLER)
      set(ARG_PRECOMPILED isolde_caller_headers)
    endif()
  endif()
  if(ARG_SOURCES)
    add_library(isolde_${name} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    isolde_flags(isolde_${name})
    if(ARG_CALLER)
      target_compile_options(isolde_${name} PRIVATE ${ISOLDE_CALLER_OPTIONS})
    endif()
    target_precompile_headers(isolde_${name} REUSE_FROM ${ARG_PRECOMPILED})
    if(NOT ARG_NO_UNITY)
      isolde_unity(isolde_${name})
    endif()
  else()
    add_library(isolde_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(isolde_${name} ${scope} ${PROJECT_SOURCE_DIR}/include
                                                     ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM ARG_DEPENDS PREPEND isolde_)
  target_link_libraries(isolde_${name} ${scope} ${ARG_DEPENDS} ${ARG_LINK})
endfunction()

# isolde_table(<variable> NAMESPACE <namespace> HEADER <header> TYPE <type> FUNCTION <function> ROWS <row>...)
# For what is one file and one row: <function>() of the header returns the rows in this order, each of them
# what `const <type>& <row>()` returns, which its file defines. <variable>: the source with the table.
function(isolde_table variable)
  cmake_parse_arguments(ARG "" "NAMESPACE;HEADER;TYPE;FUNCTION" "ROWS" ${ARGN})
  file(RELATIVE_PATH where ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_LIST_FILE})
  list(LENGTH ARG_ROWS count)
  list(TRANSFORM ARG_ROWS REPLACE "(.+)" "const ${ARG_TYPE}& \\1()" OUTPUT_VARIABLE declarations)
  list(JOIN declarations ";\n" declarations)
  string(APPEND declarations ";")
  list(TRANSFORM ARG_ROWS REPLACE "(.+)" "&\\1()" OUTPUT_VARIABLE rows)
  list(JOIN rows ",\n      " rows)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${ARG_FUNCTION}_table.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/table.cpp.in ${source} @ONLY)
  set(${variable} ${source} PARENT_SCOPE)
endfunction()

# isolde_test(<name> SOURCES ... DEPENDS <folder>... [LINK <target>...] [TIMEOUT s] [SHARDS n]
#             [NO_UNITY] [OPTIMISED])
# A GoogleTest program; every TEST in it becomes one ctest test. With sanitizers, where a process
# takes long to begin, the program is one test, or SHARDS of them side by side. OPTIMISED: compiled as
# the libraries are, because it spends its time in loops of its own.
function(isolde_test name)
  cmake_parse_arguments(ARG "NO_UNITY;OPTIMISED" "TIMEOUT;SHARDS" "SOURCES;DEPENDS;LINK" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  isolde_flags(${name})
  if(ARG_OPTIMISED AND ISOLDE_SANITIZE)
    target_precompile_headers(${name} REUSE_FROM isolde_optimised_test_headers)
  else()
    target_compile_options(${name} PRIVATE ${ISOLDE_CALLER_OPTIONS})
    target_precompile_headers(${name} REUSE_FROM isolde_test_headers)
  endif()
  if(NOT ARG_NO_UNITY)
    isolde_unity(${name})
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/test)
  list(TRANSFORM ARG_DEPENDS PREPEND isolde_)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} ${ARG_LINK} GTest::gtest_main)
  if(NOT ISOLDE_SANITIZE)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${ARG_TIMEOUT})
    return()
  endif()
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${name}.${shard} COMMAND ${name})
    set_tests_properties(${name}.${shard} PROPERTIES TIMEOUT 900 COST ${ARG_SHARDS}
      ENVIRONMENT "GTEST_BRIEF=1;GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
