#include "ad/tensor/files.hpp"

#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// A folder of its own that goes with the test.
class Files : public testing::Test {
 protected:
  Files()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("tare_files_" + std::to_string(::getpid()) + "_" +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
  }
  ~Files() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::filesystem::path at(const char* name) const { return folder_ / name; }

  std::filesystem::path folder_;
};

std::vector<Tensor> one_of_each_type() {
  Generator generator(3);
  return {Tensor::of({true, false, true}, {3}),
          Tensor::of({std::uint8_t{0}, std::uint8_t{255}}, {2, 1}),
          Tensor::of({std::int8_t{-128}, std::int8_t{127}}, {1, 2}),
          Tensor::of({INT64_MIN, INT64_MAX, std::int64_t{0}}, {3}),
          Tensor::randn({2, 3, 4}, generator),
          Tensor::randn({5}, generator, DType::f64),
          Tensor::scalar(2.5),
          Tensor::zeros({0, 7})};
}

void expect_same(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.dtype(), b.dtype());
  EXPECT_EQ(a.shape(), b.shape());
  EXPECT_EQ(a.to_vector(), b.to_vector());
}

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::vector<std::byte> npy(std::string header, std::string_view data, int version = 1) {
  std::string text("\x93NUMPY");
  text += static_cast<char>(version);
  text += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    text += static_cast<char>((header.size() >> (8 * i)) & 0xFF);
  text += header;
  text += data;
  return bytes_of(text);
}

TEST_F(Files, NpyGivesBackWhatWasSaved) {
  for (const Tensor& tensor : one_of_each_type()) {
    save_npy(at("x.npy"), tensor);
    expect_same(load_npy(at("x.npy")), tensor);
  }
}

TEST_F(Files, NpyHeaderIsNumpysOwn) {
  const auto bytes = npy_bytes(Tensor::of({1.0F, 2.0F}, {2}));
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_EQ(text.size(), 128U + 8U);
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\1\0v\0", 10));
  EXPECT_THAT(text, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"));
  EXPECT_EQ(text[127], '\n');
}

TEST_F(Files, NpyReadsLaterVersionsAndFortranOrder) {
  const auto values = std::string_view("\0\1\2\3\4\5", 6);
  for (const int version : {1, 2, 3}) {
    const Tensor x =
        parse_npy(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", values, version), "x");
    EXPECT_EQ(x.shape(), (Shape{2, 3}));
    EXPECT_TRUE(x.is_contiguous());
    EXPECT_EQ(x.to_vector(), (std::vector<double>{0, 2, 4, 1, 3, 5}));
  }
}

TEST_F(Files, NpyTakesAnyByteAsABool) {
  const Tensor x = parse_npy(
      npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", std::string_view("\0\1\x7F", 3)), "x");
  EXPECT_EQ(x.to_vector(), (std::vector<double>{0, 1, 1}));
}

TEST_F(Files, SavingAViewSavesItsElements) {
  const Tensor view = transpose(reshape(Tensor::arange(6), {2, 3}));
  save_npy(at("v.npy"), view);
  EXPECT_EQ(load_npy(at("v.npy")).to_vector(), (std::vector<double>{0, 3, 1, 4, 2, 5}));
}

TEST_F(Files, SafetensorsGivesBackWhatWasSaved) {
  std::map<std::string, Tensor> tensors;
  int number = 0;
  for (const Tensor& tensor : one_of_each_type()) tensors["t" + std::to_string(number++)] = tensor;
  save_safetensors(at("m.safetensors"), tensors, {{"made by", "a \"test\"\n"}});
  const auto content = load_safetensors(at("m.safetensors"));
  ASSERT_EQ(content.tensors.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) expect_same(content.tensors.at(name), tensor);
  EXPECT_EQ(content.metadata, (std::map<std::string, std::string>{{"made by", "a \"test\"\n"}}));
}

TEST_F(Files, SafetensorsOfNothingIsAFileToo) {
  save_safetensors(at("none"), {});
  EXPECT_TRUE(load_safetensors(at("none")).tensors.empty());
}

TEST_F(Files, SafetensorsKeepsDataAlignedAndNamesSorted) {
  const auto bytes = safetensors_bytes(
      {{{"b", Tensor::of({true}, {1})}, {"c", Tensor::ones({1}, DType::f64)}, {"a", Tensor::ones({1})}}, {}});
  const std::string text(reinterpret_cast<const char*>(bytes.data()) + 8, bytes.size() - 8);
  EXPECT_EQ(text.substr(0, text.find("}}") + 2), R"({"a":{"data_offsets":[8,12],"dtype":"F32","shape":[1]},)"
                                                 R"("b":{"data_offsets":[12,13],"dtype":"BOOL","shape":[1]},)"
                                                 R"("c":{"data_offsets":[0,8],"dtype":"F64","shape":[1]}})");
  EXPECT_EQ((bytes.size() - 13) % 8, 0U);
}

TEST_F(Files, AFailedWriteLeavesTheOldFileAndNothingElse) {
  save_npy(at("x.npy"), Tensor::arange(3));
  std::filesystem::create_directory(at("taken.npy"));
  EXPECT_THAT([&] { save_npy(at("taken.npy"), Tensor::arange(4)); },
              ThrowsMessage<AdError>(HasSubstr("taken.npy")));
  EXPECT_THAT([&] { save_npy(at("no/such/folder.npy"), Tensor::arange(4)); },
              ThrowsMessage<AdError>(HasSubstr("No such file")));
  EXPECT_EQ(load_npy(at("x.npy")).count(), 3);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    (void)entry;
    ++files;
  }
  EXPECT_EQ(files, 2U);
}

TEST_F(Files, MissingFilesAndFoldersAreNamed) {
  EXPECT_THAT([&] { load_npy(at("absent.npy")); }, ThrowsMessage<AdError>(HasSubstr("absent.npy")));
  EXPECT_THAT([&] { load_safetensors(folder_); }, ThrowsMessage<AdError>(HasSubstr("not a regular file")));
}

struct Bad {
  const char* what;
  std::vector<std::byte> bytes;
  const char* message;
};

TEST_F(Files, BadNpyIsRefusedByName) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}";
  auto cut = npy(good, "abcd");
  cut.resize(40);
  const std::vector<Bad> all{
      {"empty", {}, "does not begin"},
      {"magic", bytes_of("\x93NUMPX\1\0\0\0{}"), "does not begin"},
      {"version", npy(good, "abcd", 4), "version is 4"},
      {"header cut", cut, "cut off"},
      {"data cut", npy(good, "abc"), "needs 4 bytes of data, it has 3: it was cut off"},
      {"data too long", npy(good, "abcde"), "it has 5"},
      {"half", npy("{'descr': '<f2', 'fortran_order': False, 'shape': (1,)}", "ab"), "'<f2'"},
      {"i32", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (1,)}", "abcd"), "'<i4'"},
      {"big endian", npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "abcd"), "big endian"},
      {"records", npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd"), "records"},
      {"missing", npy("{'descr': '<f4', 'shape': (1,)}", "abcd"), "lacks one of"},
      {"twice", npy("{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}", "abcd"), "'descr' twice"},
      {"unknown", npy("{'other': 1}", ""), "unknown entry 'other'"},
      {"negative", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "abcd"), "no size"},
      {"axes", npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "a"), "8 axes"},
      {"overflow", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", "abcd"),
       "too many elements"},
      {"no end", npy("{'descr': '<f4", "abcd"), "does not end"},
      {"after", npy(good + "x", "abcd"), "goes on"},
      {"truth", npy("{'descr': '<f4', 'fortran_order': 1, 'shape': ()}", "abcd"), "neither True nor False"}};
  for (const auto& bad : all) {
    EXPECT_THAT([&] { parse_npy(bad.bytes, "x.npy"); }, ThrowsMessage<AdError>(HasSubstr(bad.message)))
        << bad.what;
    EXPECT_THAT([&] { parse_npy(bad.bytes, "x.npy"); }, ThrowsMessage<AdError>(HasSubstr("x.npy")))
        << bad.what;
  }
}

std::vector<std::byte> safetensors(std::string_view header, std::size_t data) {
  std::vector<std::byte> bytes(8 + header.size() + data);
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  return bytes;
}

TEST_F(Files, BadSafetensorsIsRefusedByName) {
  auto long_header = safetensors("{}", 0);
  long_header[4] = std::byte{1};
  auto cut_header = safetensors("{}", 0);
  cut_header[0] = std::byte{100};
  const auto one = [](const char* entry, std::size_t data = 4) {
    return safetensors(std::string("{\"a\":") + entry + "}", data);
  };
  const std::vector<Bad> all{
      {"empty", {}, "0 bytes"},
      {"huge header", long_header, "longer than"},
      {"cut header", cut_header, "cut off"},
      {"not JSON", safetensors("{\"a\"", 0), "no JSON"},
      {"a list", safetensors("[]", 0), "no JSON object"},
      {"twice",
       safetensors(
           R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
           2),
       "'a' twice"},
      {"field twice", one(R"({"dtype":"U8","dtype":"F32","shape":[1],"data_offsets":[0,4]})"), "twice"},
      {"metadata", safetensors(R"({"__metadata__":{"x":1}})", 0), "no string"},
      {"metadata list", safetensors(R"({"__metadata__":[]})", 0), "no object"},
      {"not described", one("{}"), "not described"},
      {"other field", one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4],"more":1})"), "not described"},
      {"half", one(R"({"dtype":"F16","shape":[2],"data_offsets":[0,4]})"), "dtype F16"},
      {"bfloat", one(R"({"dtype":"BF16","shape":[2],"data_offsets":[0,4]})"), "dtype BF16"},
      {"negative", one(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})"), "holds -1"},
      {"fraction", one(R"({"dtype":"F32","shape":[1.5],"data_offsets":[0,4]})"), "holds 1.5"},
      {"too large", one(R"({"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,4]})"), "2^63"},
      {"overflow", one(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]})"),
       "too many elements"},
      {"axes", one(R"({"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]})"), "9 axes"},
      {"out of range", one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})"),
       "of 4 bytes of data: the file was cut off"},
      {"backwards", one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})"), "at 4 to 0"},
      {"wrong size", one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})"), "needs 8 bytes"},
      {"gap", one(R"({"dtype":"U8","shape":[1],"data_offsets":[3,4]})"), "begins at byte 3"},
      {"left over", one(R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]})"), "end at byte 1 of 4"},
      {"overlap",
       safetensors(
           R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
           3),
       "begins at byte 1"}};
  for (const auto& bad : all) {
    EXPECT_THAT([&] { parse_safetensors(bad.bytes, "m.st"); }, ThrowsMessage<AdError>(HasSubstr(bad.message)))
        << bad.what;
    EXPECT_THAT([&] { parse_safetensors(bad.bytes, "m.st"); }, ThrowsMessage<AdError>(HasSubstr("m.st")))
        << bad.what;
  }
}

TEST_F(Files, UnwritableContentIsRefused) {
  EXPECT_THAT([&] { save_safetensors(at("m"), {{"__metadata__", Tensor::ones({1})}}); },
              ThrowsMessage<AdError>(HasSubstr("__metadata__")));
  EXPECT_THAT([&] { save_safetensors(at("m"), {{"x", Tensor()}}); },
              ThrowsMessage<AdError>(HasSubstr("'x' is undefined")));
  EXPECT_THAT([&] { save_safetensors(at("m"), {{"\xFF", Tensor::ones({1})}}); },
              ThrowsMessage<AdError>(HasSubstr("UTF-8")));
}

}  // namespace
}  // namespace tare::ad
