#include "wright/provider.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <thread>
#include <tuple>

namespace wright {
namespace {

Catalogue with_rows(std::string_view toml) {
  Catalogue catalogue = Catalogue::built_in();
  const auto added = catalogue.add(toml, "rows.toml");
  EXPECT_TRUE(added) << added.error().message;
  return catalogue;
}

std::string refusal_of(std::string_view toml) {
  Catalogue catalogue = Catalogue::built_in();
  const auto added = catalogue.add(toml, "rows.toml");
  if (added) return "accepted";
  EXPECT_EQ(added.error().code, ErrorCode::invalid_argument);
  return added.error().message;
}

Endpoint found(const Catalogue& catalogue, std::string_view id) {
  const auto endpoint = catalogue.find(id);
  EXPECT_TRUE(endpoint) << endpoint.error().message;
  return endpoint.value_or(Endpoint{});
}

void expect_same(const Catalogue& left, const Catalogue& right) {
  ASSERT_EQ(left.vendors().size(), right.vendors().size());
  for (std::size_t i = 0; i < left.vendors().size(); ++i) {
    const VendorInfo& a = left.vendors()[i];
    const VendorInfo& b = right.vendors()[i];
    const auto texts = [](const VendorInfo& vendor) {
      return std::tie(vendor.name, vendor.title, vendor.base_url, vendor.api_version,
                      vendor.alternative_base_url, vendor.alternative_setting, vendor.key_setting,
                      vendor.key_page, vendor.batches, vendor.models_of);
    };
    const auto lists = [](const VendorInfo& vendor) {
      return std::tie(vendor.aliases, vendor.base_url_variables, vendor.base_url_values,
                      vendor.address_variables, vendor.key_variables, vendor.key_command,
                      vendor.headers);
    };
    EXPECT_EQ(texts(a), texts(b));
    EXPECT_EQ(lists(a), lists(b)) << a.name;
    EXPECT_EQ(a.protocol, b.protocol) << a.name;
    EXPECT_EQ(a.platform, b.platform) << a.name;
    EXPECT_EQ(a.needs_key, b.needs_key) << a.name;
    EXPECT_EQ(a.quirks, b.quirks) << a.name;
    EXPECT_EQ(a.pace, b.pace) << a.name;
  }
  ASSERT_EQ(left.models().size(), right.models().size());
  for (std::size_t i = 0; i < left.models().size(); ++i) {
    const auto all = [](const ModelInfo& model) {
      return std::tie(model.vendor, model.name, model.context_tokens, model.max_output_tokens,
                      model.price, model.quirks, model.protocol, model.pace, model.is_listed);
    };
    EXPECT_EQ(all(left.models()[i]), all(right.models()[i])) << left.models()[i].name;
  }
}

// What is compiled into the program is what the file says.
TEST(BuiltInCatalogue, is_read_without_a_complaint) {
  std::ifstream file(WRIGHT_CATALOGUE_FILE);
  std::ostringstream text;
  text << file.rdbuf();
  Catalogue catalogue;
  const auto added = catalogue.add(text.str(), "catalogue.toml");
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_GE(catalogue.models().size(), 100U);
  expect_same(catalogue, Catalogue::built_in());
  // Also in what a model's row says for itself.
  Catalogue built_in = Catalogue::built_in();
  for (const VendorInfo& vendor : Catalogue::built_in().vendors()) {
    for (Catalogue* changed : {&catalogue, &built_in}) {
      const auto turned = changed->add(
          fmt::format("[vendors.{}]\nsupports_temperature = {}\nreasoning_request = \"level\"\n",
                      vendor.name, !vendor.quirks.supports_temperature),
          "rows.toml");
      ASSERT_TRUE(turned) << turned.error().message;
    }
  }
  expect_same(catalogue, built_in);
}

TEST(BuiltInCatalogue, is_made_once_however_many_threads_ask_first) {
  std::vector<const Catalogue*> seen(8);
  {
    std::vector<std::jthread> threads;
    for (auto& place : seen) threads.emplace_back([&place] { place = &Catalogue::built_in(); });
  }
  for (const Catalogue* one : seen) EXPECT_EQ(one, &Catalogue::built_in());
}

TEST(BuiltInCatalogue, knows_every_vendor_that_is_promised) {
  const std::vector<std::string> promised{
      "openai",           "anthropic", "gemini",    "openrouter",  "zai",       "xai",
      "deepseek",         "groq",      "mistral",   "cerebras",    "together",  "ollama",
      "llamacpp",         "vllm",      "lmstudio",  "azure",       "bedrock",   "vertex",
      "vertex_anthropic", "moonshot",  "qwen",      "minimax",     "fireworks", "perplexity",
      "cohere",           "nvidia",    "sambanova", "huggingface", "github",    "cloudflare"};
  std::vector<std::string> known;
  for (const VendorInfo& vendor : Catalogue::built_in().vendors()) known.push_back(vendor.name);
  EXPECT_EQ(known, promised);  // in the order of the file
}

TEST(BuiltInCatalogue, names_a_setting_a_variable_and_a_page_for_every_key) {
  std::set<std::string> settings;
  for (const VendorInfo& vendor : Catalogue::built_in().vendors()) {
    EXPECT_EQ(vendor.key_setting, vendor.name + "_api_key");
    EXPECT_TRUE(settings.insert(vendor.key_setting).second) << vendor.key_setting;
    EXPECT_FALSE(vendor.key_variables.empty()) << vendor.name;
    EXPECT_TRUE(vendor.key_page.starts_with("https://")) << vendor.name;
  }
}

TEST(BuiltInCatalogue, wants_no_key_for_servers_on_the_own_machine_only) {
  for (const VendorInfo& vendor : Catalogue::built_in().vendors()) {
    // Two clouds have credentials of their own in place of a key.
    const bool has_others = vendor.platform == Platform::aws || vendor.platform == Platform::google;
    EXPECT_EQ(vendor.needs_key, !vendor.base_url.starts_with("http://localhost:") && !has_others)
        << vendor.name;
    EXPECT_EQ(vendor.needs_key, vendor.base_url.starts_with("https://") && !has_others)
        << vendor.name;
  }
}

TEST(BuiltInCatalogue, has_models_whose_figures_can_be_true) {
  for (const ModelInfo& model : Catalogue::built_in().models()) {
    const std::string id = model.vendor + ":" + model.name;
    if (Catalogue::built_in().find_vendor(model.vendor)->needs_key) {
      EXPECT_GE(model.context_tokens, 4096) << id;
    }
    EXPECT_LE(model.max_output_tokens, model.context_tokens) << id;
    if (!model.price) continue;
    EXPECT_LE(model.price->input, model.price->output) << id;
    EXPECT_LE(model.price->cached_input.value_or(0), model.price->input) << id;
    EXPECT_LE(model.price->output, 1000) << id;
  }
}

// The lines of a vendor's own block.
std::string_view block_of(const VendorInfo& vendor) {
  static const std::string text = [] {
    std::ifstream file(WRIGHT_CATALOGUE_FILE);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  const std::string_view all = text;
  const std::size_t begin = all.find("[vendors." + vendor.name + "]\n");
  if (begin == std::string_view::npos) return {};
  return all.substr(begin, all.find("\n[", begin) - begin);
}

TEST(BuiltInCatalogue, says_of_when_its_prices_are_and_where_the_vendor_says_them) {
  const Catalogue& catalogue = Catalogue::built_in();
  int vendors = 0;
  for (const VendorInfo& vendor : catalogue.vendors()) {
    const bool has_prices = std::ranges::any_of(catalogue.models(), [&](const ModelInfo& model) {
      return model.vendor == vendor.name && model.price;
    });
    if (!has_prices) continue;
    ++vendors;
    const std::string_view block = block_of(vendor);
    const std::size_t source = block.find("\n# Rows of 20");
    ASSERT_NE(source, std::string_view::npos) << vendor.name;
    const std::string_view line =
        block.substr(source + 1, block.find('\n', source + 1) - source - 1);
    constexpr std::string_view kForm = "# Rows of 2026-11-16; the vendor's own figures: https://";
    ASSERT_GT(line.size(), kForm.size()) << line;
    for (std::size_t i = 0; i < kForm.size(); ++i) {
      const bool is_digit = kForm[i] >= '0' && kForm[i] <= '9';
      EXPECT_TRUE(is_digit ? line[i] >= '0' && line[i] <= '9' : line[i] == kForm[i]) << line;
    }
  }
  EXPECT_GE(vendors, 10);
}

TEST(BuiltInCatalogue, tries_images_with_models_that_it_does_not_know) {
  for (const VendorInfo& vendor : Catalogue::built_in().vendors()) {
    EXPECT_TRUE(vendor.quirks.supports_images) << vendor.name;
  }
  EXPECT_FALSE(
      found(Catalogue::built_in(), "groq:openai/gpt-oss-120b").model.quirks.supports_images);
  const Catalogue blind = with_rows("[vendors.groq]\nsupports_images = false\n");
  EXPECT_FALSE(found(blind, "groq:unknown-vision").model.quirks.supports_images);
}

TEST(BuiltInCatalogue, speaks_responses_with_models_that_reason_and_chat_with_older_ones) {
  const Catalogue& catalogue = Catalogue::built_in();
  EXPECT_EQ(found(catalogue, "openai:gpt-5-mini").protocol(), Protocol::openai_responses);
  EXPECT_EQ(found(catalogue, "openai:o3").protocol(), Protocol::openai_responses);
  EXPECT_EQ(found(catalogue, "openai:gpt-9").protocol(), Protocol::openai_responses);
  const Endpoint older = found(catalogue, "openai:gpt-4o-mini");
  EXPECT_EQ(older.protocol(), Protocol::openai_chat);
  EXPECT_TRUE(older.model.quirks.supports_temperature);
  EXPECT_EQ(older.model.quirks.max_tokens_field, "max_completion_tokens");
  EXPECT_EQ(older.vendor.base_url, "https://api.openai.com/v1");
}

TEST(BuiltInCatalogue, has_a_second_address_for_coding_plans) {
  const VendorInfo* zai = Catalogue::built_in().find_vendor("zai");
  ASSERT_NE(zai, nullptr);
  EXPECT_EQ(zai->base_url, "https://api.z.ai/api/paas/v4");
  EXPECT_EQ(zai->alternative_base_url, "https://api.z.ai/api/coding/paas/v4");
  EXPECT_EQ(zai->alternative_setting, "zai_coding_plan");
}

TEST(Catalogue, finds_models_whose_names_have_colons_slashes_and_dates) {
  const Catalogue& catalogue = Catalogue::built_in();
  const Endpoint local = found(catalogue, "ollama:qwen3:8b");
  EXPECT_EQ(local.model.name, "qwen3:8b");
  EXPECT_EQ(local.vendor.base_url, "http://localhost:11434/api");
  EXPECT_EQ(found(catalogue, "openrouter:deepseek/deepseek-v3.2").model.context_tokens, 128000);
  const Endpoint dated = found(catalogue, "anthropic:claude-sonnet-4-5-20250929");
  EXPECT_EQ(dated.model.name, "claude-sonnet-4-5-20250929");
  EXPECT_EQ(dated.model.max_output_tokens, 64000);
  EXPECT_EQ(found(catalogue, "openai:gpt-5-2025-08-07").model.context_tokens, 400000);
}

TEST(Catalogue, finds_vendors_by_their_other_names) {
  EXPECT_EQ(found(Catalogue::built_in(), "llama.cpp:any").vendor.name, "llamacpp");
  EXPECT_EQ(found(Catalogue::built_in(), "llama.cpp:any").model.vendor, "llamacpp");
  EXPECT_EQ(found(Catalogue::built_in(), "google:gemini-2.5-pro").model.context_tokens, 1048576);
}

TEST(Catalogue, gives_a_model_that_it_does_not_know_the_quirks_of_its_vendor) {
  const Endpoint endpoint = found(Catalogue::built_in(), "mistral:brand-new");
  EXPECT_EQ(endpoint.model.quirks.call_ids, Quirks::CallIds::nine_alphanumeric);
  EXPECT_EQ(endpoint.model.context_tokens, std::nullopt);
  EXPECT_FALSE(endpoint.model.price);
}

TEST(Catalogue, says_what_was_probably_meant) {
  const auto message = [](std::string_view id) {
    const auto endpoint = Catalogue::built_in().find(id);
    return endpoint ? std::string("found") : endpoint.error().message;
  };
  EXPECT_EQ(message("opnai:gpt-5"),
            "there is no vendor 'opnai'; did you mean 'openai'? `wright models` lists what there "
            "is");
  EXPECT_EQ(message("nowhere-near:x"),
            "there is no vendor 'nowhere-near'; `wright models` lists what there is");
  EXPECT_EQ(message("gpt-5-mini"),
            "'gpt-5-mini' is not of the form 'vendor:model'; did you mean 'openai:gpt-5-mini'? "
            "`wright models` lists what there is");
  EXPECT_EQ(message("ollama"),
            "'ollama' is not of the form 'vendor:model'; did you mean 'ollama:' and a model's "
            "name? `wright models` lists what there is");
}

TEST(Catalogue, refuses_names_that_could_do_harm_in_a_request) {
  for (const std::string_view id :
       {"", ":", "openai:", "openai: ", "openai:a\nb", "openai:a\r\nHost: x", "openai:\xFF\xFE",
        "\xFF:x", "openai:a "}) {
    const auto endpoint = Catalogue::built_in().find(id);
    ASSERT_FALSE(endpoint) << id;
    EXPECT_TRUE(is_valid_utf8(endpoint.error().message));
  }
  EXPECT_FALSE(Catalogue::built_in().find("openai:" + std::string(100'000, 'x')));
  EXPECT_FALSE(Catalogue::built_in().find(std::string(100'000, 'x')));
}

TEST(CatalogueRows, need_no_more_than_an_address_and_a_protocol) {
  const Catalogue catalogue = with_rows(
      "[vendors.my-gateway]\nbase_url = 'https://gateway.example/v1/'\nprotocol = "
      "'openai-chat'\n");
  const Endpoint endpoint = found(catalogue, "my-gateway:some/model");
  EXPECT_EQ(endpoint.vendor.base_url, "https://gateway.example/v1");
  EXPECT_EQ(endpoint.protocol(), Protocol::openai_chat);
  EXPECT_EQ(endpoint.vendor.title, "my-gateway");
  EXPECT_EQ(endpoint.vendor.key_setting, "my_gateway_api_key");
  EXPECT_EQ(endpoint.vendor.key_variables, std::vector<std::string>{"MY_GATEWAY_API_KEY"});
  EXPECT_FALSE(endpoint.vendor.needs_key);
}

TEST(CatalogueRows, want_a_key_where_they_say_where_it_is) {
  const Catalogue catalogue =
      with_rows("[vendors.gate]\nbase_url='http://gate'\nkey_variables=['GATE_KEY']\n");
  EXPECT_TRUE(catalogue.find_vendor("gate")->needs_key);
}

TEST(CatalogueRows, change_field_by_field_what_is_there) {
  const Catalogue catalogue = with_rows(R"(
    [vendors.openai]
    base_url = "http://localhost:9000"
    [models."openai:gpt-5-mini"]
    context_tokens = 1234
  )");
  const Endpoint endpoint = found(catalogue, "openai:gpt-5-mini");
  EXPECT_EQ(endpoint.vendor.base_url, "http://localhost:9000/v1");
  EXPECT_EQ(endpoint.vendor.title, "OpenAI");
  EXPECT_EQ(endpoint.model.context_tokens, 1234);
  EXPECT_EQ(endpoint.model.max_output_tokens, 128000);
  EXPECT_EQ(catalogue.vendors().size(), Catalogue::built_in().vendors().size());
  EXPECT_EQ(catalogue.models().size(), Catalogue::built_in().models().size());
}

TEST(CatalogueRows, may_set_every_field) {
  const Catalogue catalogue = with_rows(R"(
    [vendors.full]
    title = "Full"
    aliases = ["fuller"]
    protocol = "anthropic-messages"
    base_url = "https://full.example/api"
    alternative_base_url = "https://full.example/other"
    alternative_setting = "full_other"
    key_variables = ["FULL_A", "FULL_B"]
    key_setting = "full_key"
    key_page = "https://full.example/keys"
    needs_key = false
    batches = "jobs"
    headers = { X-Team = "blue", X-Auth-Token = "hush" }
    requests_per_minute = 60
    tokens_per_minute = 9000000000
    max_tokens_field = "limit"
    supports_temperature = false
    supports_tools = false
    supports_images = false
    supports_parallel_calls = false
    supports_stream_usage = false
    supports_response_schema = false
    strict_schemas = true
    supports_schema_refs = false
    system_as_developer = true
    tool_choice = "automatic_only"
    call_ids = "nine_alphanumeric"
    reasoning_field = "thoughts"
    return_reasoning = "within_turn"
    split_reasoning = true
    preserve_thinking = "keep"
    reasoning_request = "thinking"
    reasoning_off = "disabled"
    [models."full:m"]
    context_tokens = 10
    max_output_tokens = 5
    price = { input = 1, output = 2.5, cached_input = 0.1, cache_write = 1.25 }
    protocol = "openai-chat"
    supports_images = true
  )");
  const VendorInfo& vendor = *catalogue.find_vendor("fuller");
  EXPECT_EQ(vendor.title, "Full");
  EXPECT_EQ(vendor.base_url, "https://full.example/api/v1");
  EXPECT_EQ(vendor.alternative_base_url, "https://full.example/other/v1");
  EXPECT_EQ(vendor.alternative_setting, "full_other");
  EXPECT_EQ(vendor.key_variables, (std::vector<std::string>{"FULL_A", "FULL_B"}));
  EXPECT_EQ(vendor.key_setting, "full_key");
  EXPECT_EQ(vendor.key_page, "https://full.example/keys");
  EXPECT_FALSE(vendor.needs_key);
  EXPECT_EQ(vendor.batches, "jobs");
  EXPECT_EQ(vendor.headers,
            (std::vector<HttpHeader>{{"X-Auth-Token", "hush", true}, {"X-Team", "blue", false}}));
  EXPECT_EQ(vendor.pace, (Pace{60, 9'000'000'000}));
  Quirks quirks{.max_tokens_field = "limit",
                .supports_temperature = false,
                .supports_tools = false,
                .supports_images = false,
                .supports_parallel_calls = false,
                .supports_stream_usage = false,
                .supports_response_schema = false,
                .strict_schemas = true,
                .supports_schema_refs = false,
                .system_as_developer = true,
                .tool_choice = Quirks::ToolChoiceSupport::automatic_only,
                .call_ids = Quirks::CallIds::nine_alphanumeric,
                .reasoning_field = "thoughts",
                .return_reasoning = Quirks::ReturnReasoning::within_turn,
                .split_reasoning = true,
                .preserve_thinking = "keep",
                .reasoning_request = "thinking",
                .reasoning_off = "disabled"};
  EXPECT_EQ(vendor.quirks, quirks);
  const Endpoint endpoint = found(catalogue, "full:m");
  quirks.supports_images = true;
  EXPECT_EQ(endpoint.model.quirks, quirks);
  EXPECT_EQ(endpoint.protocol(), Protocol::openai_chat);
  EXPECT_EQ(endpoint.model.price, (Price{1, 2.5, 0.1, 1.25}));
}

TEST(CatalogueRows, change_a_vendor_below_what_its_models_say) {
  const Catalogue catalogue = with_rows("[vendors.openai]\nsupports_images = false\n");
  const Endpoint endpoint = found(catalogue, "openai:gpt-4o");
  EXPECT_FALSE(endpoint.model.quirks.supports_images);
  EXPECT_TRUE(endpoint.model.quirks.supports_temperature);  // the model's own row says so
}

TEST(CatalogueRows, name_the_line_the_key_and_what_was_meant) {
  EXPECT_EQ(refusal_of("[vendors.openai]\n\nbase_ulr = 'http://x'\n"),
            "rows.toml:3: vendors.openai.base_ulr: unknown key; did you mean 'base_url'?");
  EXPECT_EQ(refusal_of("[models.\"openai:gpt-5\"]\ncontext = 1\n"),
            "rows.toml:2: models.\"openai:gpt-5\".context: unknown key; did you mean "
            "'context_tokens'?");
  EXPECT_EQ(refusal_of("[vendor.openai]\n").substr(0, 60),
            "rows.toml:1: vendor: unknown section; did you mean 'vendors'");
  EXPECT_EQ(refusal_of("[models.\"opnai:x\"]\n"),
            "rows.toml:1: models.\"opnai:x\": there is no vendor 'opnai'; did you mean 'openai'?");
  EXPECT_EQ(refusal_of("[vendors.new]\ntitle='New'\n"),
            "rows.toml:1: vendors.new.base_url: must say where the vendor is");
  EXPECT_EQ(refusal_of("[vendors.openai\n").substr(0, 32), "rows.toml:1: not valid TOML: Err");
}

TEST(CatalogueRows, may_not_use_a_name_twice) {
  EXPECT_EQ(refusal_of("\n[vendors.x]\nbase_url='http://a'\naliases=['openai']\n"),
            "rows.toml:2: vendors.x: 'openai' would be a name of both openai and x");
  EXPECT_EQ(refusal_of("\n\n[vendors.google]\nbase_url='http://a'\n"),
            "rows.toml:3: vendors.google: 'google' would be a name of both google and gemini");
}

TEST(CatalogueRows, tell_everything_that_is_wrong_at_once) {
  EXPECT_EQ(refusal_of("[vendors.openai]\nneeds_key = 1\nprotocol = 'smtp'\n"),
            "rows.toml:2: vendors.openai.needs_key: must be true or false, not an integer\n"
            "rows.toml:3: vendors.openai.protocol: must be openai-chat, openai-responses, "
            "anthropic-messages, gemini-generate, ollama-chat or bedrock-converse, not 'smtp'");
}

TEST(CatalogueRows, refuse_bad_values) {
  const std::vector<std::string> rows{
      "vendors = 1",
      "vendors = []",
      "[vendors]\nopenai = 'x'",
      "[vendors.Big]\nbase_url='http://x'",
      "[vendors.'a:b']\nbase_url='http://x'",
      "[vendors.'']\nbase_url='http://x'",
      "[vendors.x]\nbase_url='x'",
      "[vendors.x]\nbase_url=''",
      "[vendors.x]\nbase_url=3",
      "[vendors.x]\nbase_url=\"http://a\\nb\"",
      "[vendors.x]\nbase_url='http://a'\naliases=['openai']",
      "[vendors.x]\nbase_url='http://a'\naliases=[1]",
      "[vendors.openai]\nheaders=['a']",
      "[vendors.openai]\nheaders={'a b'='c'}",
      "[vendors.openai]\nheaders={a=1}",
      "[vendors.openai]\nheaders={a=\"b\\r\\nc: d\"}",
      "[vendors.openai]\nrequests_per_minute=-1",
      "[vendors.openai]\nrequests_per_minute=3000000000",
      "[vendors.openai]\nrequests_per_minute=1.5",
      "[vendors.openai]\nkey_variables='A'",
      "[vendors.openai]\ntool_choice='some'",
      "[vendors.openai]\nreasoning_request='please'",
      "[models]\n\"openai:x\" = 1",
      "[models.openai.gpt-5]\ncontext_tokens=1",
      "[models.\"openai:\"]\ncontext_tokens=1",
      "[models.\"openai:x\"]\ncontext_tokens='many'",
      "[models.\"openai:x\"]\ncontext_tokens=-5",
      "[models.\"openai:x\"]\nprice=3",
      "[models.\"openai:x\"]\nprice={input=1}",
      "[models.\"openai:x\"]\nprice={input=1,output=-1}",
      "[models.\"openai:x\"]\nprice={input=nan,output=1}",
      "[models.\"openai:x\"]\nprice={input=inf,output=1}",
      "[models.\"openai:x\"]\nprice={input=1,output=1,tax=1}",
      "[models.\"openai:x\"]\nbase_url='http://x'",
      "\xFF\xFE",
      std::string("a = \"\0\"", 8),
      "[vendors.openai]\ntitle='a'\ntitle='b'",
  };
  for (const std::string& row : rows) {
    const std::string message = refusal_of(row);
    EXPECT_TRUE(message.starts_with("rows.toml:")) << row << " → " << message;
  }
}

TEST(CatalogueRows, change_nothing_when_one_of_them_is_bad) {
  Catalogue catalogue = Catalogue::built_in();
  ASSERT_FALSE(catalogue.add("[vendors.openai]\ntitle='Mine'\n[vendors.new]\n", "rows.toml"));
  EXPECT_EQ(catalogue.find_vendor("openai")->title, "OpenAI");
  EXPECT_EQ(catalogue.find_vendor("new"), nullptr);
}

TEST(CatalogueRows, never_repeat_a_value_that_may_be_secret) {
  EXPECT_EQ(refusal_of("[vendors.x]\nbase_url='https://me:hush@host'\n").find("hush"),
            std::string::npos);
  EXPECT_EQ(refusal_of("[vendors.openai]\nheaders={X-Key=\"hush\\n\"}\n").find("hush"),
            std::string::npos);
}

TEST(CatalogueRows, may_stand_in_a_file_with_other_sections) {
  Catalogue catalogue = Catalogue::built_in();
  EXPECT_TRUE(catalogue.add("[agent]\nmodel='x'\n[vendors.openai]\ntitle='Mine'\n", "config.toml",
                            Catalogue::OtherSections::ignore));
  EXPECT_EQ(catalogue.find_vendor("openai")->title, "Mine");
}

TEST(Protocol, has_names_that_can_be_read_back) {
  for (const Protocol protocol :
       {Protocol::openai_chat, Protocol::openai_responses, Protocol::anthropic_messages,
        Protocol::gemini_generate, Protocol::ollama_chat}) {
    EXPECT_EQ(protocol_from(to_string(protocol)), protocol);
  }
  EXPECT_FALSE(protocol_from("OpenAI"));
}

TEST(Cost, counts_cached_and_written_tokens_at_their_own_prices) {
  const Usage usage{.input_tokens = 1'000'000,
                    .output_tokens = 100'000,
                    .cached_tokens = 600'000,
                    .cache_write_tokens = 100'000};
  EXPECT_DOUBLE_EQ(
      cost_usd({.input = 3, .output = 15, .cached_input = 0.3, .cache_write = 3.75}, usage),
      0.3 * 3 + 0.6 * 0.3 + 0.1 * 3.75 + 0.1 * 15);
  EXPECT_DOUBLE_EQ(cost_usd({.input = 3, .output = 15}, usage), 3 + 1.5);
}

TEST(Cost, is_never_negative_when_a_vendor_counts_oddly) {
  EXPECT_GE(cost_usd({.input = 3, .output = 15, .cached_input = 0},
                     {.input_tokens = 10, .cached_tokens = 500}),
            0);
}

}  // namespace
}  // namespace wright
