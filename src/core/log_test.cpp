#include "wright/log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "wright/json.h"

namespace wright {
namespace {

constexpr std::int64_t kNoon = 1760097600123;  // 2025-10-10T12:00:00.123Z

LogRecord record(std::string_view message, std::span<const LogField> fields = {}) {
  return {LogLevel::warning, kNoon, message, fields};
}

TEST(Log, writes_text_lines) {
  const std::vector<LogField> fields{{"tool", "weather"},    {"ms", 1.5},
                                     {"n", std::int64_t{3}}, {"ok", true},
                                     {"say", "a \"b\""},     {"empty", ""}};
  EXPECT_EQ(to_line(record("[X] Done", fields), LogFormat::text),
            "2025-10-10T12:00:00.123Z WARNING [X] Done tool=weather ms=1.5 n=3 ok=true "
            "say=\"a \\\"b\\\"\" empty=\"\"");
}

TEST(Log, writes_json_lines_that_parse_whatever_they_hold) {
  const std::string nasty("quote\" back\\ line\n tab\t nul\0 bell\a bad\xFF é\x7F", 44);
  const std::vector<LogField> fields{{"text", nasty},
                                     {"nan", std::nan("")},
                                     {"far", std::numeric_limits<double>::infinity()},
                                     {"min", std::numeric_limits<std::int64_t>::min()}};
  const std::string line = to_line(record(nasty, fields), LogFormat::json);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto parsed = parse_json(line);
  ASSERT_TRUE(parsed) << line;
  EXPECT_EQ(parsed->at("time"), Json("2025-10-10T12:00:00.123Z"));
  EXPECT_EQ(parsed->at("level"), Json("warning"));
  EXPECT_EQ(parsed->at("text"), Json(to_valid_utf8(nasty)));
  EXPECT_EQ(parsed->at("message"), parsed->at("text"));
  EXPECT_EQ(parsed->at("nan"), Json(nullptr));
  EXPECT_EQ(parsed->at("min"), Json(std::numeric_limits<std::int64_t>::min()));
}

TEST(Log, keeps_a_text_record_on_one_line) {
  const std::vector<LogField> fields{{"a", "x\n2025-10-10 ERROR forged"}};
  const std::string line = to_line(record("first\nsecond\x1b[31m", fields), LogFormat::text);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
}

TEST(Log, keeps_to_its_level_and_is_off_without_a_sink) {
  std::vector<std::string> lines;
  const Logger logger = line_logger(LogFormat::text, LogLevel::warning,
                                    [&](std::string_view line) { lines.emplace_back(line); });
  logger.log(LogLevel::info, "quiet");
  logger.log(LogLevel::error, "loud", {{"why", "because"}});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].ends_with("ERROR loud why=because\n"));
  EXPECT_FALSE(logger.is_on(LogLevel::off));
  for (const Logger& silent : {Logger(), Logger(nullptr, LogLevel::debug),
                               line_logger(LogFormat::json, LogLevel::debug, nullptr)}) {
    EXPECT_FALSE(silent.is_on(LogLevel::error));
    silent.log(LogLevel::error, "nobody hears it");
  }
}

TEST(Log, reads_the_names_of_levels_and_formats) {
  for (const LogLevel level :
       {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error, LogLevel::off}) {
    EXPECT_EQ(log_level_from(to_string(level)), level);
  }
  EXPECT_NE(log_level_from("loud").error().message.find("debug, info"), std::string::npos);
  EXPECT_EQ(log_format_from("json"), LogFormat::json);
  EXPECT_FALSE(log_format_from("xml"));
}

TEST(Log, never_mixes_the_lines_of_several_threads) {
  std::vector<std::string> lines;
  const Logger logger = line_logger(LogFormat::json, LogLevel::debug,
                                    [&](std::string_view line) { lines.emplace_back(line); });
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&logger] {
        for (int n = 0; n < 200; ++n) logger.log(LogLevel::info, std::string(100, 'x'));
      });
    }
  }
  ASSERT_EQ(lines.size(), 800U);
  for (const std::string& line : lines) {
    EXPECT_TRUE(parse_json(std::string_view(line).substr(0, line.size() - 1)));
  }
}

TEST(Log, knows_the_calendar) {
  EXPECT_EQ(iso_time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(iso_time(951782400000), "2000-02-29T00:00:00.000Z");
  EXPECT_EQ(iso_time(-1), "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace wright
