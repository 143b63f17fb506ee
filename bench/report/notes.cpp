#include "bench/report/notes.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "bench/report/layout.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

constexpr std::size_t texts_per_note = 3;
constexpr std::size_t names_shown = 3;

}  // namespace

void Footnotes::add(std::size_t row, const std::string& benchmark, const std::vector<Warning>& warnings,
                    const std::string& phase) {
  for (const auto& warning : warnings) {
    auto note = std::find_if(notes_.begin(), notes_.end(),
                             [&](const ViewNote& n) { return n.doubt == warning.doubt; });
    if (note == notes_.end()) note = notes_.insert(notes_.end(), ViewNote{0, warning.doubt, {}});
    auto text = std::find_if(note->texts.begin(), note->texts.end(),
                             [&](const ViewNote::Text& t) { return t.text == warning.text; });
    if (text == note->texts.end()) text = note->texts.insert(text, {warning.text, {}});
    // What is said of the whole benchmark need not be said of its phase again.
    if (std::find(text->names.begin(), text->names.end(), benchmark) == text->names.end()) {
      text->names.push_back(phase.empty() ? benchmark : fmt::format("{} of {}", phase, benchmark));
    }
    marks_.emplace(row, warning.doubt);
  }
}

std::vector<ViewNote> Footnotes::number(std::size_t measured,
                                        const std::function<void(std::size_t, std::size_t)>& mark) {
  std::size_t next = 0;
  for (auto& note : notes_) {
    const bool everywhere = measured > 1 && note.texts.size() == 1 && note.texts[0].names.size() == measured;
    if (everywhere) continue;
    note.number = ++next;
    for (const auto& [row, doubt] : marks_) {
      if (doubt == note.doubt) mark(row, note.number);
    }
  }
  std::stable_partition(notes_.begin(), notes_.end(), [](const ViewNote& note) { return note.number != 0; });
  return std::move(notes_);
}

std::string some_of(const std::vector<std::string>& all, std::size_t longest_name) {
  std::string names;
  for (std::size_t i = 0; i < std::min(names_shown, all.size()); ++i) {
    if (i > 0) names += ", ";
    names += shorten_middle(printable(all[i]), longest_name);
  }
  if (all.size() > names_shown) names += fmt::format(" and {} more", all.size() - names_shown);
  return names;
}

std::string names_of(const ViewNote& note, const ViewNote::Text& text, std::size_t longest_name) {
  return note.number == 0 ? "all benchmarks" : some_of(text.names, longest_name);
}

std::string notes_text(const std::vector<ViewNote>& notes, std::size_t width, const Style& style) {
  std::string all;
  const auto digits = std::to_string(notes.size()).size();
  for (const auto& note : notes) {
    // What holds of all benchmarks stands at the margin, so that it does not look like part of the note
    // above.
    auto mark =
        note.number == 0 ? std::string() : pad_left(fmt::format("[{}]", note.number), digits + 2) + " ";
    for (std::size_t i = 0; i < std::min(texts_per_note, note.texts.size()); ++i) {
      const auto sentence =
          fmt::format("{}: {}", names_of(note, note.texts[i]), printable(note.texts[i].text));
      auto lines = hanging(std::string(mark.size(), ' '), sentence, width);
      lines.replace(0, mark.size(), style.paint(note.number == 0 ? Ink::plain : Ink::caution, mark));
      all += lines;
      mark.assign(mark.size(), ' ');
    }
    if (note.texts.size() > texts_per_note) {
      all += hanging(mark,
                     fmt::format("… and {} more like these ({})", note.texts.size() - texts_per_note,
                                 name_of(note.doubt)),
                     width);
    }
  }
  return all;
}

}  // namespace tare
