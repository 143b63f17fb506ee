// A run as comma-separated values (RFC 4180: CRLF, quotes doubled, a header row). The names of the columns
// are those of the model and of --format json. Numbers are written with all their digits; undefined is an
// empty field, never 0. Texts keep their whole length, with control characters escaped as \xNN. Nothing
// guards against a spreadsheet that takes a text starting with "=" for a formula.
#pragma once

#include <string>
#include <vector>

#include "bench/model/run.hpp"

namespace tare {

/// One row per benchmark and metric. A benchmark that was not measured has one row without metric and values;
/// one whose answer was wrong keeps no time either.
std::string csv_report(const Run& run);
std::vector<std::string> csv_columns();

/// One row per raw sample, as it was read ("total", "iterations") and per iteration with the overhead taken
/// off
/// ("value").
std::string csv_samples(const Run& run);
std::vector<std::string> csv_sample_columns();

}  // namespace tare
