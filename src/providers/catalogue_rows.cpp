#include "providers/catalogue_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <ranges>

#include "core/nearest.h"
#include "core/try.h"
#include "providers/base_url.h"
#include "providers/catalogue_document.h"
#include "providers/catalogue_fields.h"

namespace wright {
namespace {

using providers::CatalogueField;
using providers::CatalogueValue;
using Kind = CatalogueValue::Kind;

constexpr std::string_view kVendors = "vendors";
constexpr std::string_view kModels = "models";

template <class Row>
const CatalogueField<Row>* find_field(std::span<const CatalogueField<Row>> fields,
                                      std::string_view name) {
  const auto found = std::ranges::find(fields, name, &CatalogueField<Row>::name);
  return found == fields.end() ? nullptr : &*found;
}

template <class Row>
void append_names(std::vector<std::string_view>& names,
                  std::span<const CatalogueField<Row>> fields) {
  for (const auto& field : fields) names.push_back(field.name);
}

// What settings and variables of a vendor without any are called: "my-gateway" has the setting
// my_gateway_api_key and the variable MY_GATEWAY_API_KEY.
std::string setting_name(std::string_view vendor) {
  std::string name(vendor);
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name + "_api_key";
}

std::string in_capitals(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

}  // namespace

bool is_vendor_name(std::string_view name) {
  const auto is_letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= 64 && is_letter_or_digit(name[0]) &&
         std::ranges::all_of(name, [&](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

bool is_model_name(std::string_view name) {
  return !name.empty() && name.size() <= 256 && name.front() != ' ' && name.back() != ' ' &&
         std::ranges::none_of(name, [](unsigned char c) { return c < ' ' || c == 0x7F; }) &&
         is_valid_utf8(name);
}

// Changes its own copy of the catalogue and collects everything that is wrong.
class CatalogueRows::Reader {
 public:
  Reader(Catalogue catalogue, std::string_view origin)
      : catalogue_(std::move(catalogue)), origin_(origin) {}

  Result<Catalogue> read(const CatalogueValue& document, Catalogue::OtherSections other_sections) {
    for (const CatalogueValue& section : document.elements()) {
      if (section.name == kVendors || section.name == kModels) {
        if (section.kind != Kind::table) {
          report(section.line, section.name,
                 fmt::format("must be a section, not {}", providers::kind_of(section)));
        }
      } else if (other_sections == Catalogue::OtherSections::refuse) {
        const std::array known{kVendors, kModels};
        report(section.line, section.name,
               fmt::format("unknown section{}; there are [vendors.NAME] and "
                           "[models.\"VENDOR:NAME\"]",
                           did_you_mean(section.name, known)));
      }
    }
    // Vendors first, wherever they are: models refer to them.
    read_rows(document, kVendors, &Reader::read_vendor);
    refuse_names_used_twice();
    read_rows(document, kModels, &Reader::read_model);
    if (!problems_.empty()) return fail(ErrorCode::invalid_argument, all_problems());
    say_quirks_again();
    return std::move(catalogue_);
  }

 private:
  void read_rows(const CatalogueValue& document, std::string_view section,
                 void (Reader::*read_row)(const CatalogueValue&)) {
    const CatalogueValue* rows = document.find(section);
    if (rows == nullptr || rows->kind != Kind::table) return;
    for (const CatalogueValue& row : rows->elements()) (this->*read_row)(row);
  }

  void report(int line, std::string_view key, std::string_view what) {
    problems_.emplace(line, fmt::format("{}:{}: {}: {}", origin_, line, key, what));
  }

  std::string all_problems() const {
    return fmt::format("{}", fmt::join(std::views::values(problems_), "\n"));
  }

  void report_unknown_key(const CatalogueValue& key, std::string_view row,
                          const std::vector<std::string_view>& known) {
    report(
        key.line, fmt::format("{}.{}", row, key.name),
        fmt::format("unknown key{}", nearest(key.name, known)
                                         ? did_you_mean(key.name, known)
                                         : fmt::format("; there are {}", fmt::join(known, ", "))));
  }

  // Applies the key to `row` if it is one of `fields`.
  template <class Row>
  bool apply(std::span<const CatalogueField<Row>> fields, const CatalogueValue& key,
             std::string_view row_name,
             const std::function<void(std::function<void(Row&)>)>& take) {
    const CatalogueField<Row>* field = find_field(fields, key.name);
    if (field == nullptr) return false;
    if (auto change = field->read(key)) {
      take(std::move(*change));
    } else {
      report(key.line, fmt::format("{}.{}", row_name, key.name), change.error());
    }
    return true;
  }

  void read_vendor(const CatalogueValue& entry) {
    const std::string row = fmt::format("{}.{}", kVendors, entry.name);
    if (!is_vendor_name(entry.name)) {
      return report(entry.line, row,
                    "a vendor's name is made of small letters, digits, '-', '_' and '.'");
    }
    if (entry.kind != Kind::table) {
      return report(entry.line, row,
                    fmt::format("must be a section [{}], not {}", row, providers::kind_of(entry)));
    }
    lines_.emplace(entry.name, entry.line);
    VendorInfo& vendor = vendor_to_change(entry.name, entry);
    for (const CatalogueValue& key : entry.elements()) {
      const bool is_known = apply<VendorInfo>(providers::vendor_fields(), key, row,
                                              [&](auto change) { change(vendor); }) ||
                            apply<Quirks>(providers::quirk_fields(), key, row,
                                          [&](auto change) { change(vendor.quirks); });
      if (is_known) continue;
      std::vector<std::string_view> known;
      append_names(known, providers::vendor_fields());
      append_names(known, providers::quirk_fields());
      report_unknown_key(key, row, known);
    }
    make_canonical(vendor.base_url, vendor, "base_url", entry);
    if (!vendor.alternative_base_url.empty()) {
      make_canonical(vendor.alternative_base_url, vendor, "alternative_base_url", entry);
    }
  }

  // The vendor of that name, or a new one.
  VendorInfo& vendor_to_change(std::string_view name, const CatalogueValue& table) {
    const auto found = std::ranges::find(catalogue_.vendors_, name, &VendorInfo::name);
    if (found != catalogue_.vendors_.end()) return *found;
    VendorInfo vendor{.name = std::string(name), .title = std::string(name)};
    vendor.key_setting = setting_name(name);
    vendor.key_variables = {in_capitals(vendor.key_setting)};
    // Many gateways need no key. One whose row says where the key is needs one.
    vendor.needs_key =
        table.find("key_setting") != nullptr || table.find("key_variables") != nullptr;
    return catalogue_.vendors_.emplace_back(std::move(vendor));
  }

  void make_canonical(std::string& url, const VendorInfo& vendor, std::string_view key,
                      const CatalogueValue& entry) {
    const CatalogueValue* node = entry.find(key);
    const int line = node == nullptr ? entry.line : node->line;
    const std::string name = fmt::format("{}.{}.{}", kVendors, entry.name, key);
    if (url.empty()) {
      if (node == nullptr || node->kind == Kind::string)
        report(line, name, "must say where the vendor is");
      return;
    }
    auto canonical = providers::canonical_base_url(vendor.platform, vendor.protocol, url);
    if (!canonical) return report(line, name, canonical.error().message);
    url = std::move(*canonical);
  }

  void refuse_names_used_twice() {
    std::map<std::string_view, std::string_view> owners;
    for (const VendorInfo& vendor : catalogue_.vendors_) owners.emplace(vendor.name, vendor.name);
    for (const VendorInfo& vendor : catalogue_.vendors_) {
      for (const std::string& alias : vendor.aliases) {
        const auto [owner, is_new] = owners.emplace(alias, vendor.name);
        if (is_new || owner->second == vendor.name) continue;
        // One of the two was there before: the row in this text is at fault.
        const std::string_view blamed = lines_.contains(vendor.name) ? vendor.name : owner->second;
        report(lines_[std::string(blamed)], fmt::format("{}.{}", kVendors, blamed),
               fmt::format("'{}' would be a name of both {} and {}", alias, owner->second,
                           vendor.name));
      }
    }
  }

  void read_model(const CatalogueValue& entry) {
    const std::string row = fmt::format("{}.\"{}\"", kModels, entry.name);
    const std::size_t colon = entry.name.find(':');
    const std::string_view vendor_name = entry.name.substr(0, colon);
    if (colon == std::string_view::npos || !is_model_name(entry.name.substr(colon + 1))) {
      return report(entry.line, row, "must be written as [models.\"VENDOR:NAME\"]");
    }
    if (entry.kind != Kind::table) {
      return report(entry.line, row,
                    fmt::format("must be a section [{}], not {}", row, providers::kind_of(entry)));
    }
    const VendorInfo* vendor = catalogue_.find_vendor(vendor_name);
    if (vendor == nullptr) {
      std::vector<std::string_view> names;
      for (const VendorInfo& known : catalogue_.vendors_) names.push_back(known.name);
      return report(
          entry.line, row,
          fmt::format("there is no vendor '{}'{}", vendor_name, did_you_mean(vendor_name, names)));
    }
    read_model_keys(row, entry, model_to_change(*vendor, entry.name.substr(colon + 1)));
  }

  void read_model_keys(const std::string& row, const CatalogueValue& table, ModelInfo& model) {
    auto& quirks = catalogue_.model_quirks_[model.vendor + ":" + model.name];
    for (const CatalogueValue& key : table.elements()) {
      const bool is_known = apply<ModelInfo>(providers::model_fields(), key, row,
                                             [&](auto change) { change(model); }) ||
                            apply<Quirks>(providers::quirk_fields(), key, row, [&](auto change) {
                              quirks.push_back(std::move(change));
                            });
      if (is_known) continue;
      std::vector<std::string_view> known;
      append_names(known, providers::model_fields());
      append_names(known, providers::quirk_fields());
      report_unknown_key(key, row, known);
    }
  }

  ModelInfo& model_to_change(const VendorInfo& vendor, std::string_view name) {
    const auto found = std::ranges::find_if(catalogue_.models_, [&](const ModelInfo& model) {
      return model.vendor == vendor.name && model.name == name;
    });
    if (found != catalogue_.models_.end()) return *found;
    return catalogue_.models_.emplace_back(
        ModelInfo{.vendor = vendor.name, .name = std::string(name)});
  }

  void say_quirks_again() {
    for (ModelInfo& model : catalogue_.models_) {
      model.quirks = catalogue_.find_vendor(model.vendor)->quirks;
      for (const auto& change : catalogue_.model_quirks_[model.vendor + ":" + model.name]) {
        change(model.quirks);
      }
    }
  }

  Catalogue catalogue_;
  std::string_view origin_;
  std::map<std::string, int, std::less<>> lines_;  // of the vendors in this text
  std::multimap<int, std::string> problems_;       // by line
};

Result<Catalogue> CatalogueRows::added(Catalogue catalogue, std::string_view toml,
                                       std::string_view origin,
                                       Catalogue::OtherSections other_sections) {
  const auto document = TRY(providers::CatalogueDocument::from(toml, origin));
  return Reader(std::move(catalogue), origin).read(document.root(), other_sections);
}

Catalogue CatalogueRows::built_in() {
  // Cannot fail: a test reads the same rows.
  return Reader({}, "catalogue.toml")
      .read(providers::kBuiltInRows, Catalogue::OtherSections::refuse)
      .value_or(Catalogue{});
}

}  // namespace wright
