// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.hpp"
#include "report.hpp"

#include <distview/io.hpp>

#include <memory>

namespace shallow_water {

/// The checkpoint from which a run continues, and the files that it writes: checkpoints and a film for ParaView.
///
/// Collective: restart() and write_due(), over the communicator of construction
/// Errors:     those of distview::Checkpoint and Hdf5Series; the same on all ranks
template <class Real, class Space = Exec>
class RunFiles {
public:
    RunFiles(const distview::Communicator& comm, const Options& options)
        : m_comm(comm), m_options(options) {}

    /// Continues from the requested checkpoint, if any; call it after model.initialize().
    ///
    /// Errors: distview::UsageError if the checkpoint is of another run, or of a later step than the last
    void restart(Model<Real, Space>& model);
    /// Writes the files that are due after the model's last step.
    void write_due(const Model<Real, Space>& model);

    const FileReport& report() const noexcept { return m_report; }

private:
    distview::Communicator m_comm;
    Options m_options;
    FileReport m_report;
    std::unique_ptr<distview::Hdf5Series> m_movie;
};

} // namespace shallow_water
