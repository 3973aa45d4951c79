# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates Fortran procedures that fill, reverse and check arrays, one for each element type and number of axes, and C code
that makes a descriptor from a handle and calls the procedure for its type and axes."""

#: Name, type in Fortran, type code of ISO_Fortran_binding.h.
KINDS = (
    ("bool", "logical(c_bool)", "CFI_type_Bool"),
    ("char", "character(kind=c_char)", "CFI_type_char"),
    ("int32", "integer(c_int32_t)", "CFI_type_int32_t"),
    ("int64", "integer(c_int64_t)", "CFI_type_int64_t"),
    ("float", "real(c_float)", "CFI_type_float"),
    ("double", "real(c_double)", "CFI_type_double"),
    ("fcomplex", "complex(c_float_complex)", "CFI_type_float_Complex"),
    ("dcomplex", "complex(c_double_complex)", "CFI_type_double_Complex"),
    ("opaque", "type(c_ptr)", "CFI_type_cptr"),
    ("string", "character(kind=c_char, len=*)", "CFI_type_char"),
    ("enum", "integer(kind(colour_red))", "CFI_type_int32_t"),
)
RANKS = range(1, 8)
#: The types of raw arrays.
NUMBERS = (
    ("int32", "integer(c_int32_t)"),
    ("int64", "integer(c_int64_t)"),
    ("float32", "real(c_float)"),
    ("float64", "real(c_double)"),
    ("complex64", "complex(c_float_complex)"),
    ("complex128", "complex(c_double_complex)"),
)


def _procedures(name, type_, rank):
    colons = ", ".join([":"] * rank)
    indices = [f"i{d}" for d in range(1, rank + 1)]
    at = ", ".join(indices)
    of = f"value_{name}([{', '.join(['k', *indices[1:]])}])"
    same = f"same(a({at}), {of})" if name in ("bool", "opaque") else f"a({at}) == {of}"
    reverse = ", ".join(["size(a, 1):1:-1", *[":"] * (rank - 1)])
    first = ", ".join(["1"] * rank)
    loops = "".join(f"        do {i} = 1, size(a, {d})\n" for d, i in reversed(list(enumerate(indices, 1))))
    ends = "        end do\n" * rank
    return f"""
    subroutine fortran_fill_{name}_{rank}(a) bind(C)
        {type_}, intent(inout) :: a({colons})
        integer :: {at}
{loops}            a({at}) = value_{name}([{at}])
{ends}    end subroutine
    subroutine fortran_reverse_{name}_{rank}(a) bind(C)
        {type_}, intent(inout) :: a({colons})
        a = a({reverse})
    end subroutine
    subroutine fortran_wrong_{name}_{rank}(a, reversed, address, wrong) bind(C)
        {type_}, intent(in), target :: a({colons})
        integer(c_int), value :: reversed
        type(c_ptr), value :: address
        integer(c_int64_t), intent(out) :: wrong
        integer :: k, {at}
        wrong = 0
        if (size(a) > 0) then
            if (.not. same(c_loc(a({first})), address)) wrong = 1
        end if
{loops}            k = merge(size(a, 1) + 1 - i1, i1, reversed /= 0)
            if (.not. ({same})) wrong = wrong + 1
{ends}    end subroutine
"""


def procedures():
    """The Fortran module."""
    body = "".join(_procedures(name, type_, rank) for name, type_, _ in KINDS for rank in RANKS)
    return f"""! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module array_elements
    use array_values
    implicit none
    public

contains
{body}end module
"""


def calls():
    """The C code between handles and Fortran's descriptors."""
    declarations, tables = [], {"fill": [], "reverse": [], "wrong": []}
    for name, _, _ in KINDS:
        for what, more in (("fill", ""), ("reverse", ""), ("wrong", ", int, const void*, int64_t*")):
            names = [f"fortran_{what}_{name}_{rank}" for rank in RANKS]
            declarations += [f"void {n}(CFI_cdesc_t*{more});\n" for n in names]
            tables[what].append("{" + ", ".join(names) + "}")
    codes = ", ".join(code for _, _, code in KINDS)
    made = "\n".join(
        f"static void (*const {what}[KINDS][7])(CFI_cdesc_t*{more}) = {{{', '.join(tables[what])}}};"
        for what, more in (("fill", ""), ("reverse", ""), ("wrong", ", int, const void*, int64_t*"))
    )
    return f"""// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ISO_Fortran_binding.h>

#include <arrays.h>

{''.join(declarations)}
{made}
static const CFI_type_t codes[KINDS] = {{{codes}}};

// The handle's memory as an assumed-shape dummy sees it: no copy, any strides.
static int describe(const distview_array* array, int kind, CFI_cdesc_t* a, int* rank) {{
    distview_memory memory;
    const int status = distview_array_memory(array, &memory);
    if (status) return status;
    CFI_index_t extents[7];
    for (int d = 0; d < memory.rank; ++d) extents[d] = memory.extents[d];
    const size_t bytes = (size_t)(memory.element % 16777216);
    static char nothing[16];
    void* const data = memory.data ? memory.data : nothing;
    if (memory.rank < 1 || memory.rank > 7 ||
        CFI_establish(a, data, CFI_attribute_other, codes[kind], bytes, (CFI_rank_t)memory.rank, extents))
        return distview_set_error(DISTVIEW_SHAPE_ERROR, NULL, "Fortran: expected an array of 1 to 7 axes");
    for (int d = 0; d < memory.rank; ++d) a->dim[d].sm = memory.strides[d];
    *rank = memory.rank;
    return DISTVIEW_SUCCESS;
}}

int fortran_fill(const distview_array* array, int kind) {{
    CFI_CDESC_T(7) a;
    int rank = 0;
    const int status = describe(array, kind, (CFI_cdesc_t*)&a, &rank);
    if (!status) fill[kind][rank - 1]((CFI_cdesc_t*)&a);
    return status;
}}
int fortran_reverse(const distview_array* array, int kind) {{
    CFI_CDESC_T(7) a;
    int rank = 0;
    const int status = describe(array, kind, (CFI_cdesc_t*)&a, &rank);
    if (!status) reverse[kind][rank - 1]((CFI_cdesc_t*)&a);
    return status;
}}
int64_t fortran_count_wrong(const distview_array* array, int kind, int reversed, const void* address) {{
    CFI_CDESC_T(7) a;
    int rank = 0;
    int64_t count = -1;
    if (!describe(array, kind, (CFI_cdesc_t*)&a, &rank))
        wrong[kind][rank - 1]((CFI_cdesc_t*)&a, reversed, address, &count);
    return count;
}}
"""


def raw():
    """Subroutines in Fortran 77 style: outside of any module, with an array of explicit shape."""
    return "! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n" + "".join(
        f"""subroutine raw_{name}(a, m, n)
    use, intrinsic :: iso_c_binding
    implicit none
    integer, intent(in) :: m, n
    {type_}, intent(inout) :: a(m, n)
    integer :: i, j
    do j = 1, n
        do i = 1, m
            a(i, j) = a(i, j) * (i + 10 * j)
        end do
    end do
end subroutine
"""
        for name, type_ in NUMBERS
    )
