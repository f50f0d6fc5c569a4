// What a hostile message can reach: parse, check, store, every kind of answer. Used by the fuzzer and by
// the replay of its corpus.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "collector/ingest/check.h"
#include "collector/query/query.h"
#include "collector/store/store.h"
#include "hotlatch/v1/window.pb.h"

namespace hotlatch::collector {

enum class WindowFate { kNotAMessage, kRefused, kStored };

// A window that passed the check must be stored and must be answered for.
inline void Require(bool held) {
  if (!held) std::abort();
}

inline void AskEverything(Store& store, const v1::Window& window) {
  for (const v1::Profile& profile : window.profiles()) {
    v1::TreeRequest tree;
    tree.set_profile(profile.name());
    tree.add_by("role");
    tree.set_max_nodes(16);
    const bool has_columns = profile.values_size() > 0;
    Require(AnswerTree(store, tree).has_value() == has_columns);
    tree.set_inverted(true);
    Require(AnswerTree(store, tree).has_value() == has_columns);
    v1::RowsRequest rows;
    rows.set_profile(profile.name());
    rows.add_by("wait");
    Require(AnswerRows(store, rows).has_value());
  }
  for (const v1::Table& table : window.tables()) {
    v1::RowsRequest rows;
    rows.set_table(table.name());
    rows.set_per_window(true);
    for (const v1::Column& column : table.columns()) rows.add_by(column.name());
    Require(AnswerRows(store, rows).has_value());
  }
  Require(AnswerHosts(store, {}).has_value());
  Require(AnswerStatus(store, {}).has_value());
}

inline WindowFate TryWindow(std::string_view bytes) {
  v1::Window window;
  if (!window.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return WindowFate::kNotAMessage;
  }
  if (!CheckWindow(window)) return WindowFate::kRefused;
  auto store = OpenSqliteStore(":memory:", OpenMode::kReadWrite);
  Require(store.has_value());
  const auto put = (*store)->Put(window);
  Require(put.has_value() && *put == PutOutcome::kStored);
  AskEverything(**store, window);
  return WindowFate::kStored;
}

}  // namespace hotlatch::collector
