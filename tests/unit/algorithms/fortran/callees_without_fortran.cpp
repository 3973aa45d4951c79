// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The routines of callees.f for builds without a Fortran compiler, with Fortran's calling conventions.

extern "C" {

void dvcums_(const int* m, const int* n, double* a) {
    for (int j = 0; j < *n; ++j)
        for (int i = 1; i < *m; ++i) a[i + j * *m] += a[i - 1 + j * *m];
}

void dvrows_(const int* m, const int* n, const double* a, const int* lda, double* rows) {
    for (int i = 0; i < *m; ++i) rows[i] = 0;
    for (int j = 0; j < *n; ++j)
        for (int i = 0; i < *m; ++i) rows[i] += a[i + j * *lda];
}

void dvuppr_(const int* m, const int* n, double* a, const int* lda) {
    for (int j = 0; j < *n; ++j)
        for (int i = 0; i < *m && i <= j; ++i) a[i + j * *lda] = 1000.0 * (i + 1) + (j + 1);
}

} // extern "C"
