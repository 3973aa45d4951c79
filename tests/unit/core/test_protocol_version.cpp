// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/protocol/version.hpp>

#include "protocol_cases.hpp"

#include <distview/core/error.hpp>
#include <distview/core/protocol/rules.hpp>
#include <distview/core/text.hpp>

#include <string>
#include <string_view>

namespace distview::testing {

using protocol::supported_version;
using protocol::Version;

// E3: three ASCII decimal numbers without leading zeros, joined by dots.
TEST(ProtocolVersion, E3_reads_three_dotted_numbers) {
    EXPECT_EQ(Version::parse("0.10.0"), (Version{0, 10, 0}));
    EXPECT_EQ(Version::parse("0.9.0"), (Version{0, 9, 0}));
    EXPECT_EQ(Version::parse("12.345.6789"), (Version{12, 345, 6789}));
    EXPECT_EQ(Version::parse("0.0.0"), (Version{0, 0, 0}));
}

// E3: the whole string, without any other character.
TEST(ProtocolVersion, E3_refuses_everything_else) {
    using namespace std::string_view_literals;
    for (const std::string_view text :
         {""sv,         "0"sv,        "0.10"sv,     "0.10."sv,         "0.10.0."sv,
          "0.10.0.0"sv, ".10.0"sv,    "0..0"sv,     "0.10.0a1"sv,      "0.10.0rc1"sv,
          "v0.10.0"sv,  "0.010.0"sv,  "00.10.0"sv,  "0.10.00"sv,       "+0.10.0"sv,
          "0.-10.0"sv,  "0.10.0\n"sv, " 0.10.0"sv,  "0.10.0 "sv,       "0.10.0\0"sv,
          "0,10,0"sv,   "0.1_0.0"sv,  "0x0.10.0"sv, "\xd9\xa0.10.0"sv, "0.10.\xef\xbc\x90"sv}) {
        EXPECT_FALSE(Version::parse(text).has_value()) << '"' << text << '"';
        try {
            supported_version(text, 3);
            ADD_FAILURE() << "accepted \"" << text << '"';
        } catch (const ProtocolError& error) {
            EXPECT_EQ(error.code(), "version_format");
            EXPECT_EQ(error.key(), "__version__");
            EXPECT_EQ(error.process(), 3);
        }
    }
}

TEST(ProtocolVersion, E3_message) {
    expect_violation(protocol::rules::version_is_three_numbers("0.10", 0), "version_format", -1,
                     "__version__", 0, "'__version__' is '0.10', expected three dotted numbers");
}

// E4: 0.9.z and 0.10.z, any z; compared by equality, not by order.
TEST(ProtocolVersion, E4_any_patch_of_0_9_and_0_10) {
    for (const char* text : {"0.9.0", "0.9.7", "0.10.0", "0.10.12", "0.10.2147483648",
                             "0.9.99999999999999999999999999"})
        EXPECT_TRUE(supported_version(text).is_supported()) << text;
    EXPECT_TRUE(supported_version("0.9.3").is_0_9());
    EXPECT_TRUE(supported_version("0.10.3").is_0_10());
}

// E4: all other versions are refused, including those between and beyond.
TEST(ProtocolVersion, E4_refuses_other_versions) {
    for (const char* text :
         {"0.8.0", "0.8.9", "0.11.0", "0.1.0", "0.90.0", "0.100.0", "1.0.0", "1.9.0", "1.10.0",
          "9.0.0", "10.0.0", "0.0.9", "4294967296.10.0", "0.4294967306.0"}) {
        try {
            supported_version(text, 1);
            ADD_FAILURE() << "accepted " << text;
        } catch (const ProtocolError& error) {
            EXPECT_EQ(error.code(), "version_unsupported") << text;
        }
    }
    expect_violation(protocol::rules::version_is_supported(Version{0, 11, 0}, 2),
                     "version_unsupported", -1, "__version__", 2,
                     "DAP version 0.11.0 is not supported; this importer reads 0.9.z and 0.10.z");
}

TEST(ProtocolVersion, prints_what_it_reads) {
    for (const char* text : {"0.10.0", "0.9.0", "0.10.7", "1.22.333"})
        EXPECT_EQ(to_string(*Version::parse(text)), text);
    EXPECT_EQ(to_string(v0_9_0), "0.9.0");
    EXPECT_EQ(to_string(v0_10_0), "0.10.0");
}

// The requested version must be supported for export; a long text is shortened in the message.
TEST(ProtocolVersion, of_an_export) {
    EXPECT_EQ(protocol::writable_version("0.9.7"), (Version{0, 9, 7}));
    const auto refused = [](const std::string& wanted, const char* code) {
        try {
            protocol::writable_version(wanted);
            ADD_FAILURE() << wanted;
        } catch (const ProtocolError& error) {
            const std::string message = error.what();
            EXPECT_EQ(error.code(), code);
            EXPECT_EQ(message.find("DAP export: "), 0U) << message;
            EXPECT_LT(message.size(), 200U);
            return message;
        }
        return std::string();
    };
    EXPECT_EQ(refused("0.8.0", "version_unsupported"),
              "DAP export: version 0.8.0 is not supported; this exporter writes 0.9.z and 0.10.z");
    EXPECT_EQ(refused("0.10", "version_format"),
              "DAP export: the version is '0.10', expected three dotted numbers");
    refused(std::string(1'000'000, '\n'), "version_format");
}

// UTF-8 is not cut within a character.
TEST(Text, shortened) {
    EXPECT_EQ(shortened("abc", 3), "abc");
    EXPECT_EQ(shortened("abcd", 3), "abc...");
    EXPECT_EQ(shortened("a\u00e4\u00e4", 4), "a\u00e4...");
    EXPECT_EQ(shortened("\u20ac\u20ac", 2), "...");
    EXPECT_EQ(shortened("", 0), "");
}

} // namespace distview::testing
