// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// distview-compare: which elements count as equal, and which differences between two files of any format it reports.
#include "comparison.hpp"

#include "../stored_fields.hpp"

#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <type_traits>

namespace distview::testing {

namespace {

using compare::Comparison;
using compare::Differences;
using compare::Tolerance;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The result for one pair of elements.
template <class T>
Differences differences(const T& a, const T& b, const Tolerance& tolerance = {},
                        const ElementType& type = element_type<T>()) {
    return compare::compare_elements(type, reinterpret_cast<const std::byte*>(&a),
                                     reinterpret_cast<const std::byte*>(&b), 1, tolerance);
}
template <class T>
bool differ(const T& a, const T& b, const Tolerance& tolerance = {}) {
    const Differences found = differences(a, b, tolerance);
    EXPECT_EQ(found.elements, 1);
    EXPECT_EQ(found.first, found.count > 0 ? 0 : -1);
    return found.count > 0;
}

constexpr Tolerance bits{.bits = true};

template <class T>
void check_floats() {
    const T one = 1;
    const T next = std::nextafter(one, T(2));
    const T tiny = std::numeric_limits<T>::denorm_min();
    const T large = std::numeric_limits<T>::max();
    const auto not_a_number = std::numeric_limits<T>::quiet_NaN();
    const auto infinite = std::numeric_limits<T>::infinity();
    EXPECT_FALSE(differ(one, one));
    EXPECT_TRUE(differ(one, next));
    EXPECT_TRUE(differ(tiny, T(0)));
    EXPECT_FALSE(differ(T(0), -T(0)));
    EXPECT_TRUE(differ(T(0), -T(0), bits));
    EXPECT_FALSE(differ(not_a_number, -not_a_number));
    EXPECT_TRUE(differ(not_a_number, -not_a_number, bits));
    EXPECT_TRUE(differ(not_a_number, one));
    EXPECT_TRUE(differ(one, not_a_number, {.absolute = 1e300, .relative = 1e300}));
    EXPECT_FALSE(differ(infinite, infinite));
    EXPECT_TRUE(differ(infinite, -infinite, {.absolute = 1e300, .relative = 1e300}));
    EXPECT_TRUE(differ(infinite, large));
    EXPECT_TRUE(differ(large, -large));
    const Differences opposite = differences(large, -large);
    EXPECT_EQ(opposite.relative, 2);
    const Differences ulp = differences(next, one);
    EXPECT_EQ(ulp.absolute, static_cast<double>(next - one));
    EXPECT_EQ(ulp.not_a_number, 0);
    EXPECT_EQ(differences(not_a_number, one).not_a_number, 1);
    EXPECT_EQ(differences(not_a_number, one).absolute, 0);
    EXPECT_EQ(differences(infinite, one).absolute, inf);
    EXPECT_EQ(differences(infinite, one).relative, inf);
    EXPECT_EQ(differences(T(2), T(-2)).absolute, 4);
    EXPECT_EQ(differences(T(2), T(-2)).relative, 2);
    EXPECT_FALSE(differ(T(4), T(5), {.absolute = 1}));
    EXPECT_TRUE(differ(T(4), T(5), {.absolute = 0.99}));
    EXPECT_FALSE(differ(T(4), T(5), {.relative = 0.21}));
    EXPECT_TRUE(differ(T(4), T(5), {.relative = 0.19}));
    EXPECT_FALSE(differ(T(4), T(5), {.absolute = 1, .relative = 0.01}));
    // The largest differences are reported even if they are within the tolerance.
    EXPECT_EQ(differences(T(4), T(5), {.absolute = 1}).absolute, 1);
}

TEST(CompareElements, floating_point_numbers) {
    check_floats<float>();
    check_floats<double>();
    check_floats<long double>();
}

TEST(CompareElements, small_floating_point_numbers) {
    const ElementType half{ElementKind::floating_point, 2};
    const ElementType bfloat{ElementKind::bfloat, 2};
    const auto of = [](const ElementType& type, unsigned a, unsigned b, const Tolerance& t = {}) {
        return differences(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b), t, type);
    };
    EXPECT_EQ(of(half, 0x3c00, 0x4000).absolute, 1); // 1 and 2
    EXPECT_EQ(of(half, 0x3c00, 0xbc00).absolute, 2); // 1 and -1
    EXPECT_EQ(of(half, 0x3c00, 0x3c01).absolute, 0x1p-10);
    EXPECT_EQ(of(half, 0x0001, 0x0000).absolute, 0x1p-24);
    EXPECT_EQ(of(half, 0x7bff, 0x0000).absolute, 65504);
    EXPECT_EQ(of(half, 0x7c00, 0x3c00).absolute, inf);
    EXPECT_EQ(of(half, 0x7e00, 0x3c00).not_a_number, 1);
    EXPECT_EQ(of(half, 0x7e00, 0xfe01).count, 0);
    EXPECT_EQ(of(half, 0x7e00, 0xfe01, bits).count, 1);
    EXPECT_EQ(of(half, 0x0000, 0x8000).count, 0);
    EXPECT_EQ(of(half, 0x0000, 0x8000, bits).count, 1);
    EXPECT_EQ(of(bfloat, 0x3f80, 0x4000).absolute, 1);
    EXPECT_EQ(of(bfloat, 0x3f80, 0xbf80).absolute, 2);
    EXPECT_EQ(of(bfloat, 0x7fc0, 0x3f80).not_a_number, 1);
    EXPECT_EQ(of(bfloat, 0x0000, 0x8000).count, 0);
}

template <class T>
void check_integers() {
    constexpr T least = std::numeric_limits<T>::min();
    constexpr T most = std::numeric_limits<T>::max();
    EXPECT_FALSE(differ(most, most));
    EXPECT_TRUE(differ(most, static_cast<T>(most - 1)));
    EXPECT_EQ(differences(most, static_cast<T>(most - 1)).absolute, 1);
    EXPECT_EQ(differences(least, most).absolute,
              static_cast<double>(std::numeric_limits<std::make_unsigned_t<T>>::max()));
    EXPECT_EQ(differences(T(1), T(4)).relative, 0.75);
    EXPECT_FALSE(differ(T(3), T(4), {.absolute = 1}));
    EXPECT_TRUE(differ(T(3), T(4), bits));
}

TEST(CompareElements, integers) {
    check_integers<std::int8_t>();
    check_integers<std::int16_t>();
    check_integers<std::int32_t>();
    check_integers<std::int64_t>();
    check_integers<std::uint8_t>();
    check_integers<std::uint16_t>();
    check_integers<std::uint32_t>();
    check_integers<std::uint64_t>();
}

TEST(CompareElements, complex_numbers_booleans_and_bytes) {
    using Complex = std::complex<double>;
    EXPECT_FALSE(differ(Complex(1, 0.0), Complex(1, -0.0)));
    EXPECT_TRUE(differ(Complex(1, 0.0), Complex(1, -0.0), bits));
    EXPECT_FALSE(differ(Complex(nan, 2), Complex(nan, 2)));
    EXPECT_TRUE(differ(Complex(nan, 2), Complex(nan, 3)));
    EXPECT_TRUE(differ(Complex(nan, 2), Complex(2, nan)));
    EXPECT_EQ(differences(Complex(1, nan), Complex(1, 2)).not_a_number, 1);
    EXPECT_EQ(differences(Complex(0, 0), Complex(3, 4)).absolute, 5);
    EXPECT_EQ(differences(Complex(0, 0), Complex(3, 4)).relative, 1);
    EXPECT_TRUE(differ(std::complex<float>(1, 2), std::complex<float>(1, 3)));
    EXPECT_FALSE(differ(std::complex<float>(1, 2), std::complex<float>(1, 3), {.absolute = 1}));

    EXPECT_TRUE(differ(true, false));
    EXPECT_EQ(differences(true, false).absolute, 1);
    const ElementType opaque{ElementKind::opaque, 4};
    EXPECT_EQ(differences(1, 2, {.absolute = 10}, opaque).count, 1);
    EXPECT_EQ(differences(1, 2, {}, opaque).absolute, 0);
    EXPECT_EQ(differences(2, 2, {}, opaque).count, 0);
    EXPECT_FALSE(compare::is_number(opaque));
    EXPECT_TRUE(compare::is_number({ElementKind::complex, 4}));
}

template <class T>
void check_complex_extremes() {
    using Complex = std::complex<T>;
    const auto infinite = std::numeric_limits<T>::infinity();
    const T large = std::numeric_limits<T>::max();
    const T tiny = std::numeric_limits<T>::denorm_min();
    // If one part is infinite or NaN, the parts are compared as separate numbers.
    EXPECT_FALSE(differ(Complex(infinite, 1), Complex(infinite, 1)));
    EXPECT_TRUE(differ(Complex(infinite, 1), Complex(infinite, 2)));
    EXPECT_TRUE(differ(Complex(infinite, 1), Complex(infinite, 2), {.relative = 0.49}));
    EXPECT_FALSE(differ(Complex(infinite, 1), Complex(infinite, 2), {.relative = 0.51}));
    EXPECT_TRUE(differ(Complex(1, -infinite), Complex(2, -infinite)));
    EXPECT_EQ(differences(Complex(infinite, 1), Complex(infinite, 2)).absolute, 1);
    EXPECT_EQ(differences(Complex(infinite, 1), Complex(infinite, 2)).relative, 0.5);
    EXPECT_TRUE(differ(Complex(infinite, 1), Complex(-infinite, 1), {.relative = 1e300}));
    EXPECT_TRUE(differ(Complex(infinite, 1), Complex(large, 1), {.relative = 1e300}));
    EXPECT_TRUE(differ(Complex(infinite, 1), Complex(infinite, std::numeric_limits<T>::quiet_NaN()),
                       {.relative = 1e300}));
    // The relative difference underflows to 0.
    EXPECT_TRUE(differ(Complex(2, 0), Complex(2, tiny)));
    EXPECT_TRUE(differ(Complex(large, tiny), Complex(large, 3 * tiny)));
    EXPECT_FALSE(differ(Complex(2, 0), Complex(2, tiny), {.relative = 1e-30}));
    EXPECT_TRUE(differ(Complex(tiny, tiny), Complex(tiny, 2 * tiny), {.relative = 0.1}));
    // The absolute value of the number overflows.
    EXPECT_TRUE(differ(Complex(large, large), Complex(large, large / 2), {.relative = 0.3}));
    EXPECT_FALSE(differ(Complex(large, large), Complex(large, large / 2), {.relative = 0.4}));
}

TEST(CompareElements, complex_numbers_that_are_large_or_small) {
    check_complex_extremes<float>();
    check_complex_extremes<double>();
    check_complex_extremes<long double>();
    using Complex = std::complex<double>;
    EXPECT_TRUE(differ(Complex(1e200, 1e-200), Complex(1e200, 3e-200)));
}

TEST(CompareElements, counts_and_finds_the_first) {
    const std::vector<double> a{1, 2, nan, 0.0, 5, inf, 7};
    const std::vector<double> b{1, 2, nan, -0.0, 6, 3, nan};
    const auto of = [&](const Tolerance& tolerance) {
        return compare::compare_elements(element_type<double>(),
                                         reinterpret_cast<const std::byte*>(a.data()),
                                         reinterpret_cast<const std::byte*>(b.data()),
                                         static_cast<std::int64_t>(a.size()), tolerance);
    };
    EXPECT_EQ(of({}).count, 3);
    EXPECT_EQ(of({}).first, 4);
    EXPECT_EQ(of({}).not_a_number, 1);
    EXPECT_EQ(of({}).absolute, inf);
    EXPECT_EQ(of(bits).count, 4);
    EXPECT_EQ(of(bits).first, 3);
    EXPECT_EQ(of({.absolute = 1}).first, 5);
}

template <class T>
std::string shown(const T& element, const ElementType& type = element_type<T>()) {
    return compare::element_text(type, reinterpret_cast<const std::byte*>(&element));
}

TEST(CompareElements, are_shown_with_all_digits) {
    EXPECT_EQ(shown(0.1), "0.10000000000000001");
    EXPECT_EQ(shown(0.1F), "0.100000001");
    EXPECT_EQ(shown(std::int8_t(-5)), "-5");
    EXPECT_EQ(shown(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
    EXPECT_EQ(shown(std::complex<double>(0.5, -2)), "(0.5, -2)");
    EXPECT_EQ(shown(std::uint16_t(0x3c00), {ElementKind::floating_point, 2}), "1");
    EXPECT_EQ(shown(std::uint32_t(0x04030201), {ElementKind::opaque, 4}), "0x01020304");
    EXPECT_EQ(shown(nan), "nan");
}

class CompareFilesTest : public ::testing::Test {
protected:
    Communicator world{MPI_COMM_WORLD};
    SharedFolder folder;

    Comparison compare(const std::string& a, const std::string& b, compare::Options options = {}) {
        options.a = folder.file(a);
        options.b = folder.file(b);
        return compare::compare_files(world, options);
    }
    /// An array with elements i * 100 + j, except for `other` at one position.
    DistView<double**> numbers(std::int64_t m, std::int64_t n, std::int64_t i = -1,
                               std::int64_t j = -1, double other = 0) const {
        const auto array = make_dist_view<double**>(
            Kokkos::DefaultHostExecutionSpace(), "u", world,
            ArrayLayout(ProcessGrid{1, world.size()}, {block(m, {.padding = 1}), cyclic(n)}));
        for (LocalIndex k = array.interior_range(0).begin; k < array.interior_range(0).end; ++k)
            for (LocalIndex l = array.interior_range(1).begin; l < array.interior_range(1).end;
                 ++l) {
                const std::int64_t row = array.global_index(0, k).value();
                const std::int64_t column = array.global_index(1, l).value();
                array.view()(k.value(), l.value()) =
                    row == i && column == j ? other : static_cast<double>(row * 100 + column);
            }
        return array;
    }
};

std::int64_t count_of(const std::vector<std::int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// Rank 0 flips a bit in these elements of a file that ends with the array. Collective.
void flip_elements(const std::string& path, const ElementType& element, std::int64_t count,
                   const std::set<std::int64_t>& which, Random& random) {
    const int bit =
        static_cast<int>(random.integer(0, element.kind == ElementKind::boolean ? 1 : 8));
    const std::int64_t byte = random.integer(0, element.bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) {
        const auto begin =
            static_cast<std::int64_t>(std::filesystem::file_size(path)) - count * element.bytes;
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        for (const std::int64_t number : which) {
            const std::int64_t at = begin + number * element.bytes + byte;
            file.seekg(at);
            const char flipped = static_cast<char>(file.get() ^ (1 << bit));
            file.seekp(at);
            file.put(flipped);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

// File a (HDF5 or .npz) and file b (.npy) are written by different numbers of ranks, and compared by all ranks.
TEST_F(CompareFilesTest, any_type_shape_and_layout) {
    for_each_case(40, [&](Random& random, std::uint64_t) {
        const std::vector<std::int64_t> shape = random_shape(random);
        const ElementType element = random_element(random);
        const auto draw_ranks = [&] {
            return shape.empty() ? 1 : static_cast<int>(random.integer(1, world.size() + 1));
        };
        const int ranks_of_a = draw_ranks(), ranks_of_b = draw_ranks();
        const ArrayLayout layout_of_a = random_stored_layout(random, ranks_of_a, shape);
        const ArrayLayout layout_of_b = random_stored_layout(random, ranks_of_b, shape);
        const bool is_hdf5 = has_hdf5() && random.chance(0.7);
        const std::int64_t count = count_of(shape);
        std::set<std::int64_t> changed;
        if (count > 0)
            for (std::int64_t n = random.integer(0, 4); n > 0; --n)
                changed.insert(random.integer(0, count));
        SCOPED_TRACE(describe(element) + " of shape " + tuple_text(shape));
        const std::string path_of_a = folder.file("a"), path_of_b = folder.file("b");
        // Not all ranks draw for both files: each file has its own random numbers.
        const std::uint64_t number = random.bits();
        Random of_a(number, 0), of_b(number, 1);
        if (const FirstRanks ranks(ranks_of_a); ranks) {
            StoredSection section(ranks.comm(), layout_of_a, element, of_a);
            section.fill(number);
            if (is_hdf5)
                save_hdf5(ranks.comm(), path_of_a, {{"f", section.any()}});
            else
                save_npz(ranks.comm(), path_of_a, {{"f", section.any()}});
        }
        if (const FirstRanks ranks(ranks_of_b); ranks) {
            StoredSection section(ranks.comm(), layout_of_b, element, of_b);
            section.fill(number);
            save_npy(ranks.comm(), path_of_b, section.any());
        }
        flip_elements(path_of_b, element, count, changed, random);

        compare::Options options;
        options.tolerance.bits = true;
        const Comparison found = compare("a", "b", options);
        ASSERT_EQ(found.fields.size(), 1U);
        const compare::FieldComparison& field = found.fields[0];
        EXPECT_EQ(field.name, "f");
        EXPECT_EQ(field.mismatch, "");
        EXPECT_EQ(field.all.elements, count);
        EXPECT_EQ(field.all.count, static_cast<std::int64_t>(changed.size()));
        EXPECT_EQ(found.differs(), !changed.empty());
        if (changed.empty()) {
            EXPECT_TRUE(field.steps.empty());
            return;
        }
        ASSERT_EQ(field.steps.size(), 1U);
        std::vector<std::int64_t> index(shape.size());
        std::int64_t first = *changed.begin();
        for (std::size_t d = shape.size(); d-- > 0; first /= shape[d]) index[d] = first % shape[d];
        EXPECT_EQ(field.steps[0].first.index, index);
        EXPECT_NE(field.steps[0].first.a, field.steps[0].first.b);
    });
}

TEST_F(CompareFilesTest, fortran_order_and_names_of_npz) {
    save_npz(world, folder.file("a.npz"), {{"u", numbers(5, 4)}, {"v", numbers(3, 3)}});
    NpyOptions fortran;
    fortran.fortran_order = true;
    save_npz(world, folder.file("b.npz"), {{"u", numbers(5, 4, 2, 1, -1)}, {"w", numbers(3, 3)}},
             fortran);
    const Comparison found = compare("a.npz", "b.npz");
    EXPECT_EQ(compare::to_text(found, {}),
              "u: 1 of 20 differ, first at (2, 1): 201 / -1; largest difference 202, relative "
              "1.00498\n"
              "v: only in '" +
                  folder.file("a.npz") +
                  "'\n"
                  "w: only in '" +
                  folder.file("b.npz") + "'\n");
    EXPECT_TRUE(found.differs());
    compare::Options one;
    one.fields = {"u"};
    EXPECT_EQ(compare("a.npz", "b.npz", one).fields.size(), 1U);
    EXPECT_FALSE(compare("a.npz", "a.npz").differs());
    one.fields = {"x"};
    EXPECT_THROW_ON_ALL_RANKS((void)compare("a.npz", "b.npz", one), UsageError,
                              "got 'x'; these files have (u, v, w)");
    save_npy(world, folder.file("u.npy"), numbers(5, 4));
    EXPECT_THROW_ON_ALL_RANKS((void)compare("u.npy", "a.npz"), UsageError,
                              "--field: expected exactly one field of '");
    one.fields = {"u"};
    EXPECT_FALSE(compare("u.npy", "a.npz", one).differs());
    EXPECT_EQ(compare::to_text(compare("u.npy", "u.npy"), {}), "array: the same, 20 elements\n");
}

TEST_F(CompareFilesTest, shapes_types_and_attributes) {
    if (!has_hdf5()) GTEST_SKIP() << "no HDF5";
    const auto whole = make_dist_view<std::int32_t**>(
        Kokkos::DefaultHostExecutionSpace(), "whole", world,
        ArrayLayout(ProcessGrid{world.size(), 1}, {block(5), block(4)}));
    save_hdf5(world, folder.file("a.h5"),
              {{"u", numbers(5, 4)}, {"group/v", numbers(3, 3)}, {"w", numbers(2, 2)}},
              {{"step", std::int64_t{3}}, {"time", 0.5}, {"list", std::vector<double>{1, nan}}});
    save_hdf5(world, folder.file("b.h5"),
              {{"u", whole}, {"group/v", numbers(3, 4)}, {"w", numbers(2, 2)}},
              {{"step", std::int64_t{4}},
               {"time", 0.5 + 0x1p-30},
               {"name", std::string("b")},
               {"list", std::vector<double>{1, nan}}});
    EXPECT_EQ(compare::to_text(compare("a.h5", "b.h5"), {}),
              "attribute 'name': none / 'b'\n"
              "attribute 'step': 3 / 4\n"
              "attribute 'time': 0.5 / 0.50000000093132257\n"
              "group/v: float64 of shape (3, 3) / float64 of shape (3, 4)\n"
              "u: float64 of shape (5, 4) / int32 of shape (5, 4)\n"
              "w: the same, 4 elements\n");
    compare::Options options;
    options.tolerance.absolute = 1e-6;
    EXPECT_EQ(compare("a.h5", "b.h5", options).remarks.size(), 2U);
    options.no_attributes = true;
    EXPECT_EQ(compare("a.h5", "b.h5", options).remarks.size(), 0U);
    EXPECT_TRUE(compare("a.h5", "b.h5", options).differs());
    options.fields = {"w"};
    EXPECT_FALSE(compare("a.h5", "b.h5", options).differs());
}

TEST_F(CompareFilesTest, steps_of_series) {
    if (!has_hdf5()) GTEST_SKIP() << "no HDF5";
    const auto write = [&](const std::string& name, int steps, int changed) {
        Hdf5Series series(world, folder.file(name), {{"u", numbers(5, 4)}});
        for (int step = 0; step < steps; ++step) {
            const bool differs = step >= changed;
            series.append(0.5 * step,
                          {{"u", differs ? numbers(5, 4, step, 3, step) : numbers(5, 4)}});
        }
    };
    write("a.h5", 4, 9);
    write("b.h5", 4, 2);
    write("c.h5", 3, 9);
    compare::Options options;
    options.by_step = true;
    EXPECT_EQ(
        compare::to_text(compare("a.h5", "b.h5"), options),
        "u: 2 of 80 differ, first in step 2 (time 1) at (2, 3): 203 / 2; largest difference "
        "300, relative 0.990148\n"
        "  step 2 (time 1): 1 of 20 differ, first at (2, 3); largest difference 201, relative "
        "0.990148\n"
        "  step 3 (time 1.5): 1 of 20 differ, first at (3, 3); largest difference 300, "
        "relative 0.990099\n");
    const Comparison shorter = compare("a.h5", "c.h5");
    EXPECT_EQ(compare::to_text(shorter, options), "steps: 4 / 3\nu: the same, 60 elements\n");
    EXPECT_TRUE(shorter.differs());
}

TEST_F(CompareFilesTest, trouble_is_told_on_all_ranks) {
    save_npy(world, folder.file("u.npy"), numbers(5, 4));
    EXPECT_THROW_ON_ALL_RANKS((void)compare("u.npy", "none.npy"), Error,
                              "expected to read '" + folder.file("none.npy") +
                                  "', got 'No such file or directory'");
    if (!has_hdf5()) return;
    if (rank() == 0) std::ofstream(folder.file("text")) << "some text";
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_THROW_ON_ALL_RANKS((void)compare("u.npy", "text"), Error,
                              "expected an HDF5 file in '" + folder.file("text") + "'");
}

TEST_F(CompareFilesTest, damage_is_trouble_and_no_difference) {
    if (!has_hdf5()) GTEST_SKIP() << "no HDF5";
    for (const char* name : {"a.h5", "b.h5"})
        save_hdf5(world, folder.file(name), {{"u", numbers(5, 4)}});
    if (rank() == 0) {
        std::ifstream in(folder.file("b.h5"), std::ios::binary);
        std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
        const double value = 302;
        const std::string place(reinterpret_cast<const char*>(&value), sizeof value);
        const std::size_t at = bytes.find(place);
        EXPECT_NE(at, std::string::npos);
        if (at != std::string::npos) bytes[at] = 1;
        std::ofstream(folder.file("b.h5"), std::ios::binary) << bytes;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_THROW_ON_ALL_RANKS((void)compare("a.h5", "b.h5"), Error,
                              "damaged bytes among [0, 160) of field 'u' of '" +
                                  folder.file("b.h5") + "'");
}

} // namespace

} // namespace distview::testing
