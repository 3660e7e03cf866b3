// The catalogue and the search in it. How rows are read is in catalogue_rows.cpp.
#include "wright/provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/enum_names.h"
#include "core/nearest.h"
#include "core/try.h"
#include "providers/base_url.h"
#include "providers/catalogue_rows.h"

namespace wright {

// By hand, because of the hyphens.
constexpr auto wright_enumerators(Of<Protocol>) {
  using Named = std::pair<Protocol, std::string_view>;
  return std::array{Named{Protocol::openai_chat, "openai-chat"},
                    Named{Protocol::openai_responses, "openai-responses"},
                    Named{Protocol::anthropic_messages, "anthropic-messages"},
                    Named{Protocol::gemini_generate, "gemini-generate"},
                    Named{Protocol::ollama_chat, "ollama-chat"},
                    Named{Protocol::bedrock_converse, "bedrock-converse"}};
}

namespace {

constexpr std::string_view kWhereTheyAreListed = "`wright models` lists what there is";

// A name that somebody typed, safe to show in a message.
std::string shown(std::string_view name) {
  return to_valid_utf8(std::string(utf8_prefix(name, 100)));
}

// The length of a model's name without a date or "-latest" at its end.
std::size_t length_without_date(std::string_view name) {
  if (name.ends_with("-latest")) return name.size() - 7;
  for (const std::string_view date : {"-00000000", "-0000-00-00"}) {
    if (name.size() <= date.size()) continue;
    const std::string_view end = name.substr(name.size() - date.size());
    const bool is_date = std::ranges::equal(end, date, [](char c, char pattern) {
      return pattern == '0' ? c >= '0' && c <= '9' : c == pattern;
    });
    if (is_date) return name.size() - date.size();
  }
  return name.size();
}

}  // namespace

std::string_view to_string(Protocol protocol) {
  return enum_name(protocol);
}

Result<Protocol> protocol_from(std::string_view name) {
  if (const auto protocol = enum_named<Protocol>(name)) return *protocol;
  return fail(ErrorCode::invalid_argument,
              fmt::format("must be {}, not '{}'", enum_names<Protocol>(), name));
}

double cost_usd(const Price& price, const Usage& usage) {
  const auto cached = static_cast<double>(usage.cached_tokens);
  const auto written = static_cast<double>(usage.cache_write_tokens);
  const double plain = std::max(0.0, static_cast<double>(usage.input_tokens) - cached - written);
  const double dollars_for_a_million = plain * price.input +
                                       cached * price.cached_input.value_or(price.input) +
                                       written * price.cache_write.value_or(price.input) +
                                       static_cast<double>(usage.output_tokens) * price.output;
  return dollars_for_a_million / 1e6;
}

const Catalogue& Catalogue::built_in() {
  static const Catalogue catalogue = CatalogueRows::built_in();
  return catalogue;
}

Result<void> Catalogue::add(std::string_view toml, std::string_view origin,
                            OtherSections other_sections) {
  auto added = TRY(CatalogueRows::added(*this, toml, origin, other_sections));
  *this = std::move(added);
  return {};
}

const VendorInfo* Catalogue::find_vendor(std::string_view name) const {
  const auto found = std::ranges::find_if(vendors_, [&](const VendorInfo& vendor) {
    return vendor.name == name || std::ranges::find(vendor.aliases, name) != vendor.aliases.end();
  });
  return found == vendors_.end() ? nullptr : &*found;
}

const ModelInfo* Catalogue::find_model(const VendorInfo& vendor, std::string_view name) const {
  const auto row_of = [&](std::string_view wanted) {
    const auto found = std::ranges::find_if(models_, [&](const ModelInfo& model) {
      return model.vendor == vendor.name && model.name == wanted;
    });
    return found == models_.end() ? nullptr : &*found;
  };
  if (const ModelInfo* exact = row_of(name)) return exact;
  return row_of(name.substr(0, length_without_date(name)));
}

// The row of the vendor that made the model, for one that others run: "azure:gpt-5-mini",
// "vertex-anthropic:claude-sonnet-4-5@20250929".
std::optional<ModelInfo> Catalogue::row_of_maker(const VendorInfo& vendor,
                                                 std::string_view name) const {
  const VendorInfo* maker = vendor.models_of.empty() ? nullptr : find_vendor(vendor.models_of);
  if (maker == nullptr) return {};
  const ModelInfo* row = find_model(*maker, name.substr(0, name.find('@')));
  if (row == nullptr) return {};
  ModelInfo model = *row;
  if (!model.protocol) model.protocol = maker->protocol;
  return model;
}

Result<Endpoint> Catalogue::find(std::string_view id) const {
  const std::size_t colon = id.find(':');
  const std::string_view vendor_name = id.substr(0, colon);
  const VendorInfo* vendor = find_vendor(vendor_name);
  if (colon == std::string_view::npos) {
    const auto model = std::ranges::find(models_, id, &ModelInfo::name);
    std::string hint = ";";
    if (vendor != nullptr) {
      hint = fmt::format("; did you mean '{}:' and a model's name?", vendor->name);
    } else if (model != models_.end()) {
      hint = fmt::format("; did you mean '{}:{}'?", model->vendor, id);
    }
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' is not of the form 'vendor:model'{} {}", shown(id), hint,
                            kWhereTheyAreListed));
  }
  if (vendor == nullptr) {
    std::vector<std::string_view> names;
    for (const VendorInfo& known : vendors_) {
      names.push_back(known.name);
      names.insert(names.end(), known.aliases.begin(), known.aliases.end());
    }
    const std::string hint = did_you_mean(vendor_name, names);
    return fail(ErrorCode::not_found,
                fmt::format("there is no vendor '{}'{} {}", shown(vendor_name),
                            hint.empty() ? ";" : hint, kWhereTheyAreListed));
  }
  const std::string_view name = id.substr(colon + 1);
  if (!is_model_name(name)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}:' must be followed by a model's name; {}", vendor->name,
                            kWhereTheyAreListed));
  }
  Endpoint endpoint{.vendor = *vendor, .model = {.vendor = vendor->name, .quirks = vendor->quirks}};
  const ModelInfo* model = find_model(*vendor, name);
  endpoint.model.is_listed = false;
  if (model != nullptr) {
    endpoint.model = *model;
  } else if (auto made_elsewhere = row_of_maker(*vendor, name)) {
    endpoint.model = std::move(*made_elsewhere);
    endpoint.model.vendor = vendor->name;
  }
  endpoint.model.name = name;
  endpoint.vendor.base_url = TRY(providers::canonical_base_url(
      endpoint.vendor.platform, endpoint.protocol(), endpoint.vendor.base_url));
  return endpoint;
}

}  // namespace wright
