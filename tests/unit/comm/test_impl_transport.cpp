// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/transport/transport.hpp>
#include <distview/core/error.hpp>

#include <distview_testing/environment.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

namespace distview::testing {

namespace {

using distview::impl::check_available;
using distview::impl::required_transport;
using distview::impl::to_string;
using distview::impl::Transport;

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
    for (const Transport transport : {Transport::direct, Transport::ipc, Transport::message,
                                      Transport::gpu_message, Transport::staged}) {
        const std::string name(to_string(transport));
        const TransportVariable variable(name.c_str());
        EXPECT_EQ(required_transport(), transport) << name;
    }
}

TEST(Transport, MustBeOneThatExists) {
    const std::string expected = "DISTVIEW_TRANSPORT: expected direct, ipc, message, "
                                 "gpu_message or staged, got '";
    for (const std::string name : {"self", "cma", "Message", "message ", "tcp"}) {
        const TransportVariable variable(name.c_str());
        EXPECT_EQ(error_of_required_transport(), expected + name + "'");
    }
}

TEST(Transport, MustBeOneThatThisBuildHas) {
    check_available(std::nullopt);
    check_available(Transport::direct);
    check_available(Transport::message);
    try {
        check_available(Transport::ipc);
        ADD_FAILURE() << "nothing thrown";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "DISTVIEW_TRANSPORT: 'ipc' is not available here, only "
                                   "'direct' and 'message' are");
    }
}

} // namespace

} // namespace distview::testing
