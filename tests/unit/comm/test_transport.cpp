// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/transport.hpp>
#include <distview/core/error.hpp>

#include <distview_testing/environment.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

namespace distview::testing {

namespace {

struct TransportVariable : VariableSetting {
    explicit TransportVariable(std::optional<std::string> value)
        : VariableSetting("DISTVIEW_TRANSPORT", value) {}
};

std::string error_of_required_transport() {
    try {
        required_transport();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "nothing thrown";
}

TEST(Transport, NamesItself) {
    EXPECT_EQ(to_string(Transport::self), "self");
    EXPECT_EQ(to_string(Transport::direct), "direct");
    EXPECT_EQ(to_string(Transport::ipc), "ipc");
    EXPECT_EQ(to_string(Transport::cma), "cma");
    EXPECT_EQ(to_string(Transport::message), "message");
    EXPECT_EQ(to_string(Transport::gpu_message), "gpu_message");
    EXPECT_EQ(to_string(Transport::staged), "staged");
}

TEST(Transport, IsFreeUnlessTheEnvironmentNamesOne) {
    const TransportVariable unset(std::nullopt);
    EXPECT_EQ(required_transport(), std::nullopt);
    const TransportVariable empty("");
    EXPECT_EQ(required_transport(), std::nullopt);
}

TEST(Transport, IsWhatTheEnvironmentNames) {
    for (const Transport transport :
         {Transport::direct, Transport::ipc, Transport::cma, Transport::message,
          Transport::gpu_message, Transport::staged}) {
        const std::string name(to_string(transport));
        const TransportVariable variable(name.c_str());
        EXPECT_EQ(required_transport(), transport) << name;
    }
}

TEST(Transport, MustBeOneThatExists) {
    const std::string expected = "DISTVIEW_TRANSPORT: expected direct, ipc, cma, message, "
                                 "gpu_message or staged, got '";
    for (const std::string name : {"self", "Message", "message ", "tcp"}) {
        const TransportVariable variable(name.c_str());
        EXPECT_EQ(error_of_required_transport(), expected + name + "'");
    }
}

TEST(LongRun, IsWhatTheEnvironmentSays) {
    const VariableSetting unset("DISTVIEW_LONG_RUN", std::nullopt);
    const std::int64_t measured = long_run_bytes();
    EXPECT_GE(measured, 1024);
    const VariableSetting empty("DISTVIEW_LONG_RUN", "");
    EXPECT_EQ(long_run_bytes(), measured);
    const VariableSetting set("DISTVIEW_LONG_RUN", "123456789012");
    EXPECT_EQ(long_run_bytes(), 123456789012);
}

TEST(LongRun, MustBeAPositiveNumber) {
    for (const std::string value : {"0", "-1", "8k", " 8", "8 ", "1e3", "99999999999999999999"}) {
        const VariableSetting variable("DISTVIEW_LONG_RUN", value.c_str());
        try {
            long_run_bytes();
            ADD_FAILURE() << "nothing thrown for '" << value << "'";
        } catch (const UsageError& error) {
            EXPECT_EQ(error.what(),
                      "DISTVIEW_LONG_RUN: expected a positive number of bytes, got '" + value +
                          "'");
        }
    }
}

TEST(MessageDatatypes, AreWhatTheEnvironmentSays) {
    const VariableSetting unset("DISTVIEW_MESSAGE_DATATYPES", std::nullopt);
    EXPECT_EQ(messages_by_datatype(), std::nullopt);
    const VariableSetting empty("DISTVIEW_MESSAGE_DATATYPES", "");
    EXPECT_EQ(messages_by_datatype(), std::nullopt);
    const VariableSetting off("DISTVIEW_MESSAGE_DATATYPES", "0");
    EXPECT_EQ(messages_by_datatype(), false);
    const VariableSetting on("DISTVIEW_MESSAGE_DATATYPES", "1");
    EXPECT_EQ(messages_by_datatype(), true);
}

TEST(MessageDatatypes, MustBeZeroOrOne) {
    for (const std::string value : {"yes", "2", "01", " 1"}) {
        const VariableSetting variable("DISTVIEW_MESSAGE_DATATYPES", value.c_str());
        try {
            messages_by_datatype();
            ADD_FAILURE() << "nothing thrown for '" << value << "'";
        } catch (const UsageError& error) {
            EXPECT_EQ(error.what(),
                      "DISTVIEW_MESSAGE_DATATYPES: expected 0 or 1, got '" + value + "'");
        }
    }
}

TEST(Transport, MustBeOneThatThisBuildHas) {
    check_available(std::nullopt);
    check_available(Transport::direct);
    check_available(Transport::cma);
    check_available(Transport::message);
    try {
        check_available(Transport::ipc);
        ADD_FAILURE() << "nothing thrown";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "DISTVIEW_TRANSPORT: 'ipc' is not available here, only "
                                   "'direct', 'cma' and 'message' are");
    }
}

} // namespace

} // namespace distview::testing
