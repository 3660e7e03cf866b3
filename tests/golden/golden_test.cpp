// Runs every case of every protocol in this folder.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <random>

#include "golden/golden_case.h"

namespace wright::golden {
namespace {

std::vector<std::filesystem::path> case_folders() {
  std::vector<std::filesystem::path> folders;
  for (const auto& protocol : std::filesystem::directory_iterator(WRIGHT_GOLDEN)) {
    if (!protocol.is_directory()) continue;
    for (const auto& folder : std::filesystem::directory_iterator(protocol)) {
      if (folder.is_directory()) folders.push_back(folder.path());
    }
  }
  std::ranges::sort(folders);
  return folders;
}

struct Decoded {
  Result<Response> response = fail(ErrorCode::internal, "not decoded");
  std::string text = {};     // all that on_text got, in order
  std::string remarks = {};  // what of it was a remark
  bool has_split_character = false;
};

// Feeds `answer` in pieces of the sizes that `next_size` gives.
template <class NextSize>
Decoded decode(const Case& golden, std::string_view answer, NextSize next_size) {
  Decoded decoded;
  const auto decoder = make_decoder(golden.endpoint, golden.request());
  const ResponseDecoder::TextSink on_text = [&](TextPiece piece) {
    decoded.has_split_character |= !is_valid_utf8(piece.text);
    decoded.text += piece.text;
    if (piece.phase == Text::Phase::commentary) decoded.remarks += piece.text;
  };
  while (!answer.empty()) {
    const std::string_view piece = answer.substr(0, next_size());
    answer.remove_prefix(piece.size());
    if (auto fed = decoder->feed(piece, on_text); !fed) {
      decoded.response = std::unexpected(std::move(fed).error());
      return decoded;
    }
  }
  decoded.response = decoder->finish(on_text);
  return decoded;
}

Decoded decode_at_once(const Case& golden, std::string_view answer) {
  return decode(golden, answer, [] { return std::string_view::npos; });
}

template <class Value>
Json json_of(const Result<Value>& result) {
  return result ? to_json(*result) : to_json(result.error());
}

Json json_of(const Decoded& decoded) {
  Json json = json_of(decoded.response);
  if (!decoded.remarks.empty()) json.as_object()["told_as_remarks"] = decoded.remarks;
  return json;
}

void write_down(const std::filesystem::path& path, const Json& json) {
  std::ofstream(path) << to_pretty_text(json) << '\n';
}

bool writes_expectations() {
  return std::getenv("WRIGHT_GOLDEN_WRITE") != nullptr;
}

class Golden : public ::testing::TestWithParam<std::filesystem::path> {
 protected:
  void SetUp() override {
    auto read = read_case(GetParam());
    ASSERT_TRUE(read) << read.error().message;
    golden_ = std::move(*read);
  }

  Case golden_;
};

TEST_P(Golden, has_something_to_compare) {
  EXPECT_TRUE(golden_.expected_request || golden_.answer);
  EXPECT_EQ(golden_.answer.has_value(), golden_.expected_response.has_value());
}

TEST_P(Golden, sends_the_expected_bytes) {
  const auto request = encode(golden_.endpoint, golden_.request(), golden_.delivery);
  if (writes_expectations()) write_down(golden_.folder / "request.json", json_of(request));
  if (!golden_.expected_request) return;
  EXPECT_EQ(to_pretty_text(json_of(request)), to_pretty_text(*golden_.expected_request));
  if (!request) return;
  EXPECT_EQ(request->method, "POST");
  EXPECT_EQ(request->body, to_text(golden_.expected_request->at("body")));
  for (const HttpHeader& header : request->headers) {
    if (!golden_.endpoint.key.empty() && header.value.contains(golden_.endpoint.key)) {
      EXPECT_TRUE(header.is_secret) << header.name;
    }
  }
}

TEST_P(Golden, reads_the_expected_answer) {
  if (!golden_.answer) return;
  const Decoded decoded = decode_at_once(golden_, *golden_.answer);
  if (writes_expectations()) write_down(golden_.folder / "response.json", json_of(decoded));
  ASSERT_TRUE(golden_.expected_response);
  EXPECT_EQ(to_pretty_text(json_of(decoded)), to_pretty_text(*golden_.expected_response));
  if (decoded.response) {
    EXPECT_EQ(decoded.text, decoded.response->text());
  }
}

TEST_P(Golden, reads_the_same_however_the_bytes_are_cut) {
  if (!golden_.answer) return;
  const Decoded whole = decode_at_once(golden_, *golden_.answer);
  const auto expect_same = [&](const Decoded& cut) {
    EXPECT_EQ(cut.response, whole.response);
    EXPECT_EQ(cut.text, whole.text);
    EXPECT_EQ(cut.remarks, whole.remarks);
    EXPECT_FALSE(cut.has_split_character);
  };
  expect_same(decode(golden_, *golden_.answer, [] { return 1; }));
  std::mt19937 random(7);
  for (const std::size_t largest : {3, 17, 200}) {
    std::uniform_int_distribution<std::size_t> size(1, largest);
    for (int round = 0; round < 5; ++round) {
      expect_same(decode(golden_, *golden_.answer, [&] { return size(random); }));
    }
  }
}

// Whatever was cut off: an error, or the content of the complete answer. Only what comes behind the
// content, such as the usage, may be missing.
TEST_P(Golden, gives_no_part_of_an_answer_for_the_whole) {
  if (!golden_.answer) return;
  const std::string_view answer = *golden_.answer;
  const Decoded whole = decode_at_once(golden_, answer);
  constexpr std::size_t kMostPrefixes = 1'000;
  const std::size_t step = answer.size() / kMostPrefixes + 1;
  for (std::size_t length = 0; length < answer.size(); length += step) {
    const Decoded cut = decode_at_once(golden_, answer.substr(0, length));
    if (!cut.response) {
      EXPECT_FALSE(cut.response.error().message.empty());
      continue;
    }
    ASSERT_TRUE(whole.response) << "complete at " << length << " bytes, but fails as a whole";
    EXPECT_EQ(cut.response->content, whole.response->content) << "at " << length << " bytes";
    EXPECT_EQ(cut.response->stop_reason, whole.response->stop_reason) << "at " << length;
  }
}

std::string case_name(const ::testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name =
      info.param.parent_path().filename().string() + "_" + info.param.filename().string();
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Exchanges, Golden, ::testing::ValuesIn(case_folders()), case_name);

}  // namespace
}  // namespace wright::golden
