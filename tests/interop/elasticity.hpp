// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/make_dist_view.hpp>
#include <distview/interop/matrix_rows.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace distview::testing {

/// A bar of elastic material under its weight: linear elements on unit cells, with n[d] nodes along axis d. The bar is
/// clamped at nodes of index -1 along the first axis, which arrays do not contain; all other sides are free. The last
/// axis of arrays counts displacements.
template <int Dim>
class ElasticBar {
public:
    using Data = std::conditional_t<Dim == 2, double***, double****>;
    using Field = DistView<Data, Kokkos::LayoutRight, Kokkos::HostSpace>;
    using Node = std::array<std::int64_t, Dim>;

    ElasticBar(const Communicator& over, const Node& nodes, int unknowns_per_cell)
        : comm(over), n(nodes),
          rows(over, layout_of(over, nodes), {.unknowns_per_cell = unknowns_per_cell}) {}

    static ArrayLayout layout_of(const Communicator& comm, const Node& n) {
        const ProcessGrid balanced = ProcessGrid::balanced(comm.size(), Dim);
        std::vector<int> grid;
        std::vector<AxisSpec> axes;
        for (int d = 0; d < Dim; ++d) {
            grid.push_back(balanced.extent(d));
            axes.push_back(block(n[static_cast<std::size_t>(d)]));
        }
        grid.push_back(1);
        axes.push_back(block(Dim));
        return {ProcessGrid(std::span<const int>(grid)), axes};
    }

    Field make(const char* label) const {
        return make_dist_view<Data, Kokkos::LayoutRight, Kokkos::HostSpace>(
            Kokkos::DefaultHostExecutionSpace(), label, comm, rows.layout());
    }
    /// An array of value(node, displacement).
    template <class Value>
    Field make(const char* label, const Value& value) const {
        const Field field = make(label);
        Kokkos::DefaultHostExecutionSpace().fence("distview::testing::ElasticBar: zeros are there");
        for (std::int64_t r = 0; r < rows.local_rows(); ++r) {
            const auto [node, c] = at(rows.row_of_cell(r));
            field.view().data()[r] = value(node, c);
        }
        return field;
    }
    Field weight() const {
        return make("weight", [](const Node&, std::int64_t c) { return load(c); });
    }

    /// Assembles row by row from the elements around each node.
    MatrixRows assembled() const {
        return assemble(
            rows, [&](MatrixRow& row, std::same_as<GlobalIndex> auto... index)
                requires(sizeof...(index) == Dim + 1)
            {
                const std::array<std::int64_t, sizeof...(index)> here{index.value()...};
                const std::int64_t c = here[Dim];
                for (int s = 0; s < corners; ++s) {
                    Node lowest{};
                    for (std::size_t d = 0; d < Dim; ++d) lowest[d] = here[d] - bit(s, d);
                    if (!is_element(lowest)) continue;
                    for (int t = 0; t < corners; ++t)
                        for (std::int64_t e = 0; e < Dim; ++e) {
                            const auto step = [&](std::size_t d) { return bit(t, d) - bit(s, d); };
                            if constexpr (Dim == 2)
                                row.add(stiffness(s, c, t, e), {step(0), step(1), e - c});
                            else
                                row.add(stiffness(s, c, t, e), {step(0), step(1), step(2), e - c});
                        }
                }
            });
    }

    /// The same matrix, dense, assembled element by element; rows and columns are in the order of number().
    std::vector<std::vector<double>> dense() const {
        const auto size = static_cast<std::size_t>(rows.rows());
        std::vector<std::vector<double>> a(size, std::vector<double>(size));
        std::int64_t elements = 1;
        for (const std::int64_t along : n) elements *= along + 1;
        for (std::int64_t number = 0; number < elements; ++number) {
            Node lowest{};
            std::int64_t rest = number;
            for (std::size_t d = 0; d < Dim; ++d)
                lowest[d] = rest % (n[d] + 1) - 1, rest /= n[d] + 1;
            if (!is_element(lowest)) continue;
            for (int s = 0; s < corners; ++s)
                for (int t = 0; t < corners; ++t) {
                    const Node p = corner(lowest, s), q = corner(lowest, t);
                    if (p[0] < 0 || q[0] < 0) continue; // clamped
                    for (std::int64_t c = 0; c < Dim; ++c)
                        for (std::int64_t e = 0; e < Dim; ++e)
                            a[this->number(p, c)][this->number(q, e)] += stiffness(s, c, t, e);
                }
        }
        return a;
    }
    /// The displacements, computed by elimination, in the order of number().
    std::vector<double> displacements() const {
        auto a = dense();
        std::vector<double> x(a.size());
        for (std::size_t r = 0; r < x.size(); ++r) x[r] = load(static_cast<std::int64_t>(r) % Dim);
        for (std::size_t k = 0; k < x.size(); ++k)
            for (std::size_t r = k + 1; r < x.size(); ++r) {
                const double factor = a[r][k] / a[k][k];
                if (factor == 0) continue;
                for (std::size_t m = k; m < x.size(); ++m) a[r][m] -= factor * a[k][m];
                x[r] -= factor * x[k];
            }
        for (std::size_t r = x.size(); r-- > 0;) {
            for (std::size_t m = r + 1; m < x.size(); ++m) x[r] -= a[r][m] * x[m];
            x[r] /= a[r][r];
        }
        return x;
    }
    /// The greatest difference from those displacements on this rank, relative to the greatest displacement.
    double error(const Field& u) const {
        const std::vector<double> expected = displacements();
        double most = 0, greatest = 0;
        for (const double value : expected) greatest = std::max(greatest, std::abs(value));
        for (std::int64_t r = 0; r < rows.local_rows(); ++r) {
            const auto [node, c] = at(rows.row_of_cell(r));
            most = std::max(most, std::abs(u.view().data()[r] - expected[number(node, c)]));
        }
        return most / greatest;
    }

    /// Position of a displacement in the C order of the whole array.
    std::size_t number(const Node& node, std::int64_t c) const {
        std::int64_t result = 0;
        for (std::size_t d = 0; d < Dim; ++d) result = result * n[d] + node[d];
        return static_cast<std::size_t>(result * Dim + c);
    }
    std::pair<Node, std::int64_t> at(std::int64_t row) const {
        const auto index = rows.index(row);
        Node node{};
        for (std::size_t d = 0; d < Dim; ++d) node[d] = index[d].value();
        return {node, index[Dim].value()};
    }

    Communicator comm;
    Node n;
    RowNumbering rows;

private:
    static constexpr int corners = 1 << Dim;
    static std::int64_t bit(int corner, std::size_t axis) { return corner >> axis & 1; }
    static double load(std::int64_t c) { return c == Dim - 1 ? -1 : 0; }
    static Node corner(Node node, int s) {
        for (std::size_t d = 0; d < Dim; ++d) node[d] += bit(s, d);
        return node;
    }
    bool is_element(const Node& lowest) const {
        for (std::size_t d = 0; d < Dim; ++d)
            if (lowest[d] < (d == 0 ? -1 : 0) || lowest[d] + 1 >= n[d]) return false;
        return true;
    }
    /// Stiffness between displacement c at corner s and e at corner t; Young's modulus 1, Poisson's ratio 0.3.
    static double stiffness(int s, std::int64_t c, int t, std::int64_t e) {
        constexpr double lambda = 0.3 / (1.3 * 0.4), mu = 1 / 2.6;
        const auto slopes = [&](std::int64_t p, std::int64_t q) { // the integral of d_p N_s d_q N_t
            double product = 1;
            for (std::int64_t d = 0; d < Dim; ++d) {
                const auto a = bit(s, static_cast<std::size_t>(d)),
                           b = bit(t, static_cast<std::size_t>(d));
                if (d == p && d == q)
                    product *= a == b ? 1 : -1;
                else if (d == p || d == q)
                    product *= (d == p ? a : b) != 0 ? 0.5 : -0.5;
                else
                    product *= a == b ? 1. / 3 : 1. / 6;
            }
            return product;
        };
        double sum = lambda * slopes(c, e) + mu * slopes(e, c);
        for (std::int64_t p = 0; c == e && p < Dim; ++p) sum += mu * slopes(p, p);
        return sum;
    }
};

} // namespace distview::testing
