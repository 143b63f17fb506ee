# How every target of the project is compiled, and the functions the folders use:
#   tare_unity(TARGET)           compiles its sources in groups
#   tare_sources(TARGET file…)   adds a folder's sources to a library
#   tare_tests(NAME file…)       one GoogleTest executable per folder, each test known to ctest; with WHOLE the
#                                executable is one test, where starting it anew for thousands would take longest
# Sanitizers, ccache and what is compiled together are decided here and nowhere else.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(TARE_CCACHE ccache)
if(TARE_CCACHE)
  # Paths relative to the project: another clone finds what this one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
                                  CCACHE_SLOPPINESS=pch_defines,time_macros ${TARE_CCACHE})
endif()

if(PROJECT_IS_TOP_LEVEL)
  add_compile_options(-Wall -Wextra -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 sees ghosts in aggregates that hold strings, and in "text" + string; the sanitizers and clang watch
    # over the real thing.
    add_compile_options(-Wno-maybe-uninitialized -Wno-restrict)
  else()
    # std::stable_sort of libstdc++ 12 uses what it deprecates itself.
    add_compile_options(-Wno-deprecated-declarations)
  endif()
endif()
if(TARE_SANITIZE)
  add_compile_options(-fsanitize=${TARE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TARE_SANITIZE})
endif()

if(TARE_FUZZ)
  # The fuzzer follows what it covers in the libraries as well.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Intel's CPUs from Skylake to Cascade Lake run a loop up to twice as slowly when one of its branches touches a
# 32-byte boundary (their erratum on jumps), so that where code happens to be placed decides. What is measured or
# compared keeps its branches off them, whoever wrote it.
include(CheckCXXCompilerFlag)
set(TARE_EVEN_BRANCHES "")
foreach(flag -mbranches-within-32B-boundaries -Wa,-mbranches-within-32B-boundaries)
  string(MAKE_C_IDENTIFIER "TARE_HAS${flag}" has)
  check_cxx_compiler_flag(${flag} ${has})
  if(${has} AND NOT TARE_EVEN_BRANCHES)
    set(TARE_EVEN_BRANCHES ${flag})
  endif()
endforeach()

include(GNUInstallDirs)

if(TARE_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

# Where parsing headers takes longer than compiling what is in a file, several files are compiled as one. Off
# where files are looked at one by one.
option(TARE_UNITY "Compile several sources of bench/ at once" ON)
function(tare_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TARE_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

function(tare_sources target)
  foreach(file IN LISTS ARGN)
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
endfunction()

function(tare_tests name)
  if(NOT TARE_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "WHOLE" "LABEL" "LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gmock GTest::gtest_main)
  # The libraries are tested as users get them; optimising the tests themselves only takes time, simulations aside.
  if(NOT ARG_LABEL STREQUAL "slow")
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  # What was measured or compiled for a user of this machine is none of a test's business.
  set(properties TIMEOUT 300 ENVIRONMENT XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/test-cache)
  if(ARG_LABEL)
    list(APPEND properties LABELS ${ARG_LABEL})
  endif()
  if(ARG_WHOLE)
    add_test(NAME ${name}.all COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name}.all PROPERTIES ${properties} TIMEOUT 900)
    return()
  endif()
  gtest_discover_tests(${name} TEST_PREFIX ${name}. NO_PRETTY_VALUES PROPERTIES ${properties} DISCOVERY_TIMEOUT 60)
endfunction()
