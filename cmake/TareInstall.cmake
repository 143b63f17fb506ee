# cmake --install: the command, the two libraries a benchmark links, the public headers, and find_package(tare).
include(CMakePackageConfigHelpers)

install(TARGETS tare_bench tare_pipeline tare_bench_main EXPORT tareTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET tare)
  install(TARGETS tare RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES bench/bench.hpp DESTINATION include/tare/bench)
foreach(folder support model define)
  install(DIRECTORY bench/${folder} DESTINATION include/tare/bench FILES_MATCHING PATTERN "*.hpp" PATTERN "*json*.hpp" EXCLUDE PATTERN "toml.hpp" EXCLUDE)
endforeach()
install(EXPORT tareTargets NAMESPACE tare:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tare)
configure_package_config_file(cmake/tareConfig.cmake.in ${PROJECT_BINARY_DIR}/tareConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tare)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tareConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tareConfig.cmake ${PROJECT_BINARY_DIR}/tareConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tare)
