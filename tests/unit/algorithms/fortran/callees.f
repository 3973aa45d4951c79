c     SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
c
c     Routines in Fortran 77, which know nothing of distributed arrays.

c     Replaces every column of a by its running sums.
      subroutine dvcums(m, n, a)
      integer m, n
      double precision a(m, n)
      integer i, j
      do 20 j = 1, n
         do 10 i = 2, m
            a(i, j) = a(i - 1, j) + a(i, j)
   10    continue
   20 continue
      return
      end

c     Sums of the rows of a, whose leading dimension is lda.
      subroutine dvrows(m, n, a, lda, rows)
      integer m, n, lda
      double precision a(lda, *), rows(*)
      integer i, j
      do 10 i = 1, m
         rows(i) = 0.0d0
   10 continue
      do 30 j = 1, n
         do 20 i = 1, m
            rows(i) = rows(i) + a(i, j)
   20    continue
   30 continue
      return
      end

c     Writes the upper triangle of a, and nothing below it.
      subroutine dvuppr(m, n, a, lda)
      integer m, n, lda
      double precision a(lda, *)
      integer i, j
      do 20 j = 1, n
         do 10 i = 1, min(j, m)
            a(i, j) = 1000.0d0 * i + j
   10    continue
   20 continue
      return
      end
