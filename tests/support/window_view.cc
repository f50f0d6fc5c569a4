#include "tests/support/window_view.h"

#include <algorithm>

namespace hotlatch {
namespace {

template <typename Indexable>
auto At(const Indexable& column, uint64_t index) {
  return column.Get(static_cast<int>(index));
}

std::string FrameText(const v1::Dictionary& dictionary, uint32_t frame) {
  const std::string& name =
      dictionary.strings(static_cast<int>(At(dictionary.frame_name(), frame)));
  if (!name.empty()) return name;
  const uint32_t module = At(dictionary.frame_module(), frame);
  return "[" + dictionary.strings(static_cast<int>(At(dictionary.module_path(), module))) + "]";
}

}  // namespace

bool ProfileRow::Has(const std::string& function) const {
  return std::find(frames.begin(), frames.end(), function) != frames.end();
}

std::vector<TableRow> RowsOf(const v1::Window& window, const std::string& name) {
  std::vector<TableRow> rows;
  for (const v1::Table& table : window.tables()) {
    if (table.name() != name) continue;
    for (const v1::Column& column : table.columns()) {
      const bool is_text = column.unit() == "text";
      const int count = is_text ? column.strings_size() : column.numbers_size();
      rows.resize(std::max(rows.size(), static_cast<size_t>(count)));
      for (int i = 0; i < count; i++) {
        auto& row = rows[static_cast<size_t>(i)];
        if (is_text) {
          row.texts[column.name()] =
              window.dictionary().strings(static_cast<int>(column.strings(i)));
        } else {
          row.numbers[column.name()] = column.numbers(i);
        }
      }
    }
  }
  return rows;
}

std::vector<ProfileRow> ProfileOf(const v1::Window& window, const std::string& name) {
  const v1::Dictionary& dictionary = window.dictionary();
  std::vector<size_t> first_frame = {0};
  for (const uint32_t depth : dictionary.stack_depth()) {
    first_frame.push_back(first_frame.back() + depth);
  }
  std::vector<ProfileRow> rows;
  for (const v1::Profile& profile : window.profiles()) {
    if (profile.name() != name) continue;
    for (int i = 0; i < profile.dims_size(); i++) {
      const uint32_t dims = profile.dims(i);
      const uint32_t stack = profile.stack(i);
      ProfileRow row;
      row.service = dictionary.strings(static_cast<int>(At(dictionary.dim_service(), dims)));
      row.role = dictionary.strings(static_cast<int>(At(dictionary.dim_role(), dims)));
      row.node = At(dictionary.dim_node(), dims);
      row.stack_flags = At(dictionary.stack_flags(), stack);
      for (size_t f = first_frame[stack]; f < first_frame[stack + 1]; f++) {
        row.frames.push_back(FrameText(dictionary, At(dictionary.stack_frames(), f)));
      }
      for (const v1::ValueColumn& values : profile.values())
        row.values[values.name()] = values.values(i);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

uint64_t CounterOf(const v1::Window& window, const std::string& name) {
  uint64_t sum = 0;
  for (const v1::Counter& counter : window.fidelity().counters()) {
    if (counter.name() == name) sum += counter.value();
  }
  return sum;
}

uint64_t LossOf(const v1::Window& window, const std::string& probe, const std::string& reason) {
  uint64_t sum = 0;
  for (const v1::Loss& loss : window.fidelity().losses()) {
    if (loss.probe() == probe && loss.reason() == reason) sum += loss.count();
  }
  return sum;
}

}  // namespace hotlatch
