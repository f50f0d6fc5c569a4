// Files that are missing, foreign, cut short or damaged.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collector/store/store.h"
#include "tests/unit/collector/store_fixture.h"

namespace hotlatch::collector {
namespace {

namespace fs = std::filesystem;

class StoreDamageTest : public StoreTest {};

TEST_F(StoreDamageTest, AMissingRecordingIsNotMade) {
  EXPECT_EQ(OpenError(Path(), OpenMode::kReadOnly).kind, ErrorKind::kNotFound);
  EXPECT_FALSE(fs::exists(Path()));
}

TEST_F(StoreDamageTest, FilesThatAreNotOursAreRefused) {
  const auto refused = [&](const std::string& bytes) {
    std::ofstream(Path(), std::ios::trunc) << bytes;
    const Error error = OpenError(Path(), OpenMode::kReadOnly);
    EXPECT_EQ(error.kind, ErrorKind::kCorrupt) << error.text;
    EXPECT_EQ(ExitCode(error), 1);
    EXPECT_NE(error.text.find(Path()), std::string::npos) << error.text;
  };
  refused("");
  refused("short");
  refused(std::string(5000, 'x'));
  fs::remove(Path());
  Sql("CREATE TABLE other(a)");
  EXPECT_EQ(OpenError(Path(), OpenMode::kReadOnly).kind, ErrorKind::kCorrupt);
  EXPECT_EQ(OpenError(Path(), OpenMode::kReadWrite).kind, ErrorKind::kCorrupt);
  EXPECT_EQ(OpenError(dir_.path(), OpenMode::kReadOnly).kind, ErrorKind::kCorrupt);
}

TEST_F(StoreDamageTest, ATruncatedRecordingIsRefused) {
  WriteStore(20);
  const auto size = fs::file_size(Path());
  for (const auto bytes : {size - 1, size / 2, uintmax_t{4096}, uintmax_t{150}}) {
    fs::copy_file(Path(), Path("cut"), fs::copy_options::overwrite_existing);
    fs::resize_file(Path("cut"), bytes);
    const Error error = OpenError(Path("cut"), OpenMode::kReadOnly);
    EXPECT_EQ(error.kind, ErrorKind::kCorrupt) << bytes << ": " << error.text;
    EXPECT_NE(error.text.find("truncated"), std::string::npos) << error.text;
  }
}

TEST_F(StoreDamageTest, ANewerSchemaIsRefused) {
  WriteStore(1);
  Sql("PRAGMA user_version=99");
  const Error error = OpenError(Path(), OpenMode::kReadOnly);
  EXPECT_EQ(error.kind, ErrorKind::kCorrupt);
  EXPECT_NE(error.text.find("newer"), std::string::npos) << error.text;
}

TEST_F(StoreDamageTest, DamagedBlobsAreFoundWhenRead) {
  const std::vector<std::string> damages = {
      "UPDATE blocks SET data=x'00'",
      "UPDATE blocks SET data=substr(data,1,length(data)-3)",
      "UPDATE blocks SET data=(SELECT data FROM tables LIMIT 1)",
      "UPDATE blocks SET dims=12345",
      "UPDATE blocks SET shape=12345",
      "UPDATE shapes SET shape=x'ffffff'",
      "DELETE FROM stacks",
      "DELETE FROM frames",
      "DELETE FROM strings WHERE value='work'",
      "UPDATE stacks SET frames=x'ff'",
      "UPDATE tables SET data=x'28b52ffd'",
      "UPDATE tables SET data=(SELECT data FROM blocks LIMIT 1)",
      "UPDATE windows SET header=x'0102'"};
  for (const std::string& damage : damages) {
    fs::remove(Path());
    WriteStore(1);
    EXPECT_TRUE(ReadAll(*OpenReader()));
    Sql(damage);
    const auto reader = OpenReader();
    const auto read = ReadAll(*reader);
    ASSERT_FALSE(read) << damage;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << damage << ": " << read.error().text;
  }
}

TEST_F(StoreDamageTest, AnyFlippedByteIsAnErrorOrHarmlessButNeverMore) {
  WriteStore(2);
  std::string bytes;
  {
    std::ifstream in(Path(), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (size_t at = 0; at < bytes.size(); at += 331) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    std::ofstream(Path("flipped"), std::ios::binary | std::ios::trunc) << damaged;
    auto store = OpenSqliteStore(Path("flipped"), OpenMode::kReadOnly);
    if (!store) continue;
    (void)ReadAll(**store).has_value();
  }
}

}  // namespace
}  // namespace hotlatch::collector
