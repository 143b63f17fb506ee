# The report's script and style, for the command to embed: bundled from web/ where node and npm are installed; otherwise the
# style as it is written and no script, and the report says that it has no charts. Defines:
#   TARE_REPORT_ASSETS         the folder with report.js, report.css and report.hash
#   TARE_REPORT_ASSET_FILES    the three files
option(TARE_CHARTS "Bundle the report's charts (needs node, npm and the packages of web/)" ON)
find_program(TARE_NODE NAMES node nodejs)
find_program(TARE_NPM npm)

set(TARE_REPORT_ASSETS ${CMAKE_CURRENT_BINARY_DIR}/report)
set(TARE_REPORT_ASSET_FILES ${TARE_REPORT_ASSETS}/report.js ${TARE_REPORT_ASSETS}/report.css ${TARE_REPORT_ASSETS}/report.hash)
set(web ${PROJECT_SOURCE_DIR}/web)
if(TARE_CHARTS AND TARE_NODE AND TARE_NPM)
  set(TARE_HAS_CHARTS ON PARENT_SCOPE)
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web}/src/*.ts ${web}/src/*.css)
  add_custom_command(OUTPUT ${TARE_REPORT_ASSET_FILES}
    COMMAND ${TARE_NODE} ${web}/build.mjs ${TARE_REPORT_ASSETS}
    DEPENDS ${web_sources} ${web}/build.mjs ${web}/package-lock.json ${web}/tsconfig.json
    COMMENT "Bundling the report" VERBATIM)
else()
  set(TARE_HAS_CHARTS OFF PARENT_SCOPE)
  message(STATUS "node or npm is absent, or TARE_CHARTS is off: tare report has tables and no charts")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/report/empty "")
  configure_file(${CMAKE_CURRENT_BINARY_DIR}/report/empty ${TARE_REPORT_ASSETS}/report.js COPYONLY)
  configure_file(${CMAKE_CURRENT_BINARY_DIR}/report/empty ${TARE_REPORT_ASSETS}/report.hash COPYONLY)
  configure_file(${web}/src/report.css ${TARE_REPORT_ASSETS}/report.css COPYONLY)
endif()
