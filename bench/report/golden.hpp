// For the tests of this folder: compares a report with the file of that name under testdata/. With
// UPDATE_GOLDEN=1 in the environment the file is written instead; look at the difference before committing
// it.
#pragma once

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace tare::testing_report {

inline void expect_golden(const std::string& name, const std::string& actual) {
  const auto path = std::string(TARE_REPORT_TESTDATA) + "/" + name;
  if (const char* update = std::getenv("UPDATE_GOLDEN"); update != nullptr && std::string(update) == "1") {
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing: run this test with UPDATE_GOLDEN=1";
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(actual, expected.str()) << "differs from " << path;
}

}  // namespace tare::testing_report
