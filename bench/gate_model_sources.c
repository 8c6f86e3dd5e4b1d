/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Routines of Debian's sources for bench/gate_model --sources: BLAS, LAPACK, MINPACK, zlib, bzip2 and xxHash.
 * A name begins with the package. Data are as in gate_model_held_out.c: in the first cache where they can be.
 */
#include "bzlib.h"
#include "gate_model_run.h"
#include "gate_programs/text.h"
#include "xxhash.h"
#include "zlib.h"

enum { N = 500, M = 24, SIZE = 4000 };

static double a[2 * N], b[2 * N], c[2 * N], x[M * M], y[M * M], z[M * M], original[M * M], work[4 * M * M];
static float f[N], g[N];
static int pivot[M];
static unsigned char text[SIZE], packed[2 * SIZE], unpacked[SIZE];
static uLongf packed_size = sizeof packed;
static unsigned bunched_size = sizeof packed;
static unsigned char bunched[sizeof packed];
static const int n = N, m = M, one = 1, two = 2, info_none;
static const double unit = 1, turned = -1, none, half = 0.5, small = 1e-9;

#define LOOP(name) static __attribute__((noipa)) double name(void)

/* Fortran's routines: arguments by address, and the lengths of texts behind all. */
void daxpy_(const int *, const double *, const double *, const int *, double *, const int *);
void saxpy_(const int *, const float *, const float *, const int *, float *, const int *);
void zaxpy_(const int *, const double *, const double *, const int *, double *, const int *);
void dscal_(const int *, const double *, double *, const int *);
void dcopy_(const int *, const double *, const int *, double *, const int *);
void dswap_(const int *, double *, const int *, double *, const int *);
void drot_(const int *, double *, const int *, double *, const int *, const double *, const double *);
double ddot_(const int *, const double *, const int *, const double *, const int *);
float sdot_(const int *, const float *, const int *, const float *, const int *);
double dasum_(const int *, const double *, const int *);
int idamax_(const int *, const double *, const int *);
void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *, size_t);
void dger_(const int *, const int *, const double *, const double *, const int *, const double *, const int *,
           double *, const int *);
void dsymv_(const char *, const int *, const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *, size_t);
void dsyr2_(const char *, const int *, const double *, const double *, const int *, const double *,
            const int *, double *, const int *, size_t);
void dtrmv_(const char *, const char *, const char *, const int *, const double *, const int *, double *,
            const int *, size_t, size_t, size_t);
void dtrsv_(const char *, const char *, const char *, const int *, const double *, const int *, double *,
            const int *, size_t, size_t, size_t);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);
void dsyrk_(const char *, const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, double *, const int *, size_t, size_t);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *,
            const double *, const int *, double *, const int *, size_t, size_t, size_t, size_t);
void dgetf2_(const int *, const int *, double *, const int *, int *, int *);
void dpotf2_(const char *, const int *, double *, const int *, int *, size_t);
void dgtsv_(const int *, const int *, double *, double *, double *, double *, const int *, int *);
void dpttrf_(const int *, double *, double *, int *);
void dlaswp_(const int *, double *, const int *, const int *, const int *, const int *, const int *);
double enorm_(const int *, const double *);
void qrfac_(const int *, const int *, double *, const int *, const int *, int *, const int *, double *,
            double *, double *);
void qform_(const int *, const int *, double *, const int *, double *);

/* ---- BLAS */

LOOP(blas_daxpy)
{
    daxpy_(&n, &small, a, &one, b, &one);
    return b[1];
}

LOOP(blas_daxpy_strided)
{
    daxpy_(&n, &small, a, &two, b, &one);
    return b[1];
}

LOOP(blas_saxpy)
{
    static const float little = 1e-9F;
    saxpy_(&n, &little, f, &one, g, &one);
    return g[1];
}

LOOP(blas_zaxpy)
{
    static const double by[2] = {1e-9, 1e-9};
    zaxpy_(&n, by, a, &one, b, &one);
    return b[1];
}

LOOP(blas_dscal)
{
    dscal_(&n, &turned, a, &one);
    return a[1];
}

LOOP(blas_dcopy)
{
    dcopy_(&n, a, &one, c, &one);
    return c[1];
}

LOOP(blas_dswap)
{
    dswap_(&n, b, &one, c, &one);
    return c[1];
}

LOOP(blas_drot)
{
    static const double cosine = 0.8, sine = 0.6;
    drot_(&n, b, &one, c, &one, &cosine, &sine);
    return c[1];
}

LOOP(blas_ddot)
{
    return ddot_(&n, a, &one, b, &one);
}

LOOP(blas_sdot)
{
    return sdot_(&n, f, &one, g, &one);
}

LOOP(blas_dasum)
{
    return dasum_(&n, a, &one);
}

LOOP(blas_idamax)
{
    return idamax_(&n, a, &one);
}

LOOP(blas_dgemv)
{
    dgemv_("N", &m, &m, &unit, x, &m, a, &one, &none, c, &one, 1);
    return c[1];
}

LOOP(blas_dgemv_transposed)
{
    dgemv_("T", &m, &m, &unit, x, &m, a, &one, &none, c, &one, 1);
    return c[1];
}

LOOP(blas_dger)
{
    dger_(&m, &m, &small, a, &one, b, &one, z, &m);
    return z[1];
}

LOOP(blas_dsymv)
{
    dsymv_("U", &m, &unit, x, &m, a, &one, &none, c, &one, 1);
    return c[1];
}

LOOP(blas_dsyr2)
{
    dsyr2_("L", &m, &small, a, &one, b, &one, z, &m, 1);
    return z[1];
}

LOOP(blas_dtrmv)
{
    memcpy(c, a, M * sizeof *c);
    dtrmv_("U", "N", "N", &m, original, &m, c, &one, 1, 1, 1);
    return c[1];
}

LOOP(blas_dtrsv)
{
    memcpy(c, a, M * sizeof *c);
    dtrsv_("L", "N", "N", &m, original, &m, c, &one, 1, 1, 1);
    return c[1];
}

LOOP(blas_dgemm)
{
    dgemm_("N", "N", &m, &m, &m, &unit, x, &m, y, &m, &none, z, &m, 1, 1);
    return z[1];
}

LOOP(blas_dgemm_transposed)
{
    dgemm_("T", "N", &m, &m, &m, &unit, x, &m, y, &m, &none, z, &m, 1, 1);
    return z[1];
}

LOOP(blas_dsyrk)
{
    dsyrk_("U", "N", &m, &m, &unit, x, &m, &none, z, &m, 1, 1);
    return z[1];
}

LOOP(blas_dtrsm)
{
    memcpy(z, y, sizeof z);
    dtrsm_("L", "L", "N", "N", &m, &m, &unit, original, &m, z, &m, 1, 1, 1, 1);
    return z[1];
}

/* ---- LAPACK and MINPACK */

LOOP(lapack_dgetf2)
{
    int info = info_none;
    memcpy(z, original, sizeof z);
    dgetf2_(&m, &m, z, &m, pivot, &info);
    return z[1];
}

LOOP(lapack_dpotf2)
{
    int info = info_none;
    memcpy(z, original, sizeof z);
    dpotf2_("L", &m, z, &m, &info, 1);
    return z[1];
}

LOOP(lapack_dgtsv)
{
    int info = info_none;
    for (int i = 0; i < 100; i++) {
        work[i] = work[200 + i] = 1;
        work[100 + i] = 4;
        c[i] = a[i];
    }
    static const int size = 100;
    dgtsv_(&size, &one, work, work + 100, work + 200, c, &size, &info);
    return c[1];
}

LOOP(lapack_dpttrf)
{
    int info = info_none;
    for (int i = 0; i < N; i++) {
        work[i] = 4;
        work[N + i] = 1;
    }
    dpttrf_(&n, work, work + N, &info);
    return work[1];
}

LOOP(lapack_dlaswp)
{
    static const int order[M] = {3,  9,  5,  8,  7,  12, 10, 20, 11, 15, 12, 18,
                                 20, 14, 19, 22, 17, 21, 24, 23, 22, 24, 23, 24};
    dlaswp_(&m, z, &m, &one, &m, order, &one);
    return z[1];
}

LOOP(minpack_enorm)
{
    return enorm_(&n, a);
}

LOOP(minpack_qrfac)
{
    static const int pivots = 1;
    memcpy(z, original, sizeof z);
    qrfac_(&m, &m, z, &m, &pivots, pivot, &m, work, work + M, work + 2 * M);
    return z[1];
}

LOOP(minpack_qform)
{
    memcpy(z, original, sizeof z);
    qform_(&m, &m, z, &m, work);
    return z[1];
}

/* ---- bytes */

LOOP(zlib_adler)
{
    return (double)adler32(1, text, SIZE);
}

LOOP(zlib_crc)
{
    return (double)crc32(0, text, SIZE);
}

LOOP(zlib_deflate)
{
    packed_size = sizeof packed;
    return compress(packed, &packed_size, text, SIZE);
}

LOOP(zlib_inflate)
{
    uLongf size = SIZE;
    return uncompress(unpacked, &size, packed, packed_size);
}

LOOP(xxhash_32)
{
    return XXH32(text, SIZE, 1);
}

LOOP(xxhash_64)
{
    return (double)XXH64(text, SIZE, 1);
}

LOOP(xxhash_3)
{
    return (double)XXH3_64bits(text, SIZE);
}

LOOP(xxhash_short)
{
    XXH64_hash_t sum = 0;
    for (int i = 0; i < 1000; i += 10)
        sum += XXH64(text + i, (size_t)(20 + i % 60), 2);
    return (double)sum;
}

LOOP(bzip2_compress)
{
    bunched_size = sizeof bunched;
    return BZ2_bzBuffToBuffCompress((char *)bunched, &bunched_size, (char *)text, SIZE, 1, 0, 0);
}

LOOP(bzip2_decompress)
{
    unsigned size = SIZE;
    return BZ2_bzBuffToBuffDecompress((char *)unpacked, &size, (char *)bunched, bunched_size, 0, 0);
}

void bz_internal_error(int code);
void bz_internal_error(int code)
{
    exit(code);
}

static const struct loop loops[] = {
#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
    ROW(blas_daxpy),
    ROW(blas_daxpy_strided),
    ROW(blas_saxpy),
    ROW(blas_zaxpy),
    ROW(blas_dscal),
    ROW(blas_dcopy),
    ROW(blas_dswap),
    ROW(blas_drot),
    ROW(blas_ddot),
    ROW(blas_sdot),
    ROW(blas_dasum),
    ROW(blas_idamax),
    ROW(blas_dgemv),
    ROW(blas_dgemv_transposed),
    ROW(blas_dger),
    ROW(blas_dsymv),
    ROW(blas_dsyr2),
    ROW(blas_dtrmv),
    ROW(blas_dtrsv),
    ROW(blas_dgemm),
    ROW(blas_dgemm_transposed),
    ROW(blas_dsyrk),
    ROW(blas_dtrsm),
    ROW(lapack_dgetf2),
    ROW(lapack_dpotf2),
    ROW(lapack_dgtsv),
    ROW(lapack_dpttrf),
    ROW(lapack_dlaswp),
    ROW(minpack_enorm),
    ROW(minpack_qrfac),
    ROW(minpack_qform),
    ROW(zlib_adler),
    ROW(zlib_crc),
    ROW(zlib_deflate),
    ROW(zlib_inflate),
    ROW(xxhash_32),
    ROW(xxhash_64),
    ROW(xxhash_3),
    ROW(xxhash_short),
    ROW(bzip2_compress),
    ROW(bzip2_decompress),
#undef ROW
};

int main(int argc, char **argv)
{
    text_make(text, SIZE);
    for (int i = 0; i < 2 * N; i++) {
        a[i] = 0.5 + (i * 379 % 1000) / 2000.0;
        b[i] = 1 + (i % 10) / 20.0;
    }
    for (int i = 0; i < N; i++) {
        f[i] = (float)a[i];
        g[i] = (float)b[i];
    }
    for (int i = 0; i < M * M; i++) {
        x[i] = a[i % N];
        y[i] = b[i % N];
        original[i] = i % (M + 1) == 0 ? 2 * M : a[(i % M + i / M) % N];
    }
    zlib_deflate();
    bzip2_compress();
    return loops_main(loops, sizeof loops / sizeof *loops, argc, argv);
}
