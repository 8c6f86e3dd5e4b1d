/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of functions of compilers' libraries, of C's mathematics and of Fortran's, that do arithmetic with
 * floating-point numbers. Roundings, comparisons and what takes numbers apart are none.
 */
#include "weigher.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const maths[] = {
    "acos",   "acosh",  "acospi",    "asin",   "asinh",  "asinpi", "atan",   "atan2",  "atan2pi",
    "atanh",  "atanpi", "cabs",      "cacos",  "cacosh", "carg",   "casin",  "casinh", "catan",
    "catanh", "cbrt",   "ccos",      "ccosh",  "cexp",   "clog",   "clog10", "cos",    "cosh",
    "cospi",  "cpow",   "csin",      "csinh",  "csqrt",  "ctan",   "ctanh",  "drem",   "erf",
    "erfc",   "exp",    "exp10",     "exp2",   "expm1",  "fdim",   "fma",    "fmod",   "gamma",
    "hypot",  "j0",     "j1",        "jn",     "lgamma", "log",    "log10",  "log1p",  "log2",
    "pow",    "pow10",  "remainder", "remquo", "rsqrt",  "sin",    "sincos", "sinh",   "sinpi",
    "sqrt",   "tan",    "tanh",      "tanpi",  "tgamma", "y0",     "y1",     "yn",     "lgamma_r"};

/* Suffixes of functions by the type of their numbers. */
static const char *const suffixes[] = {"", "f", "l", "q", "f32", "f64", "f128", "f32x", "f64x"};

static bool is_among(const char *name, size_t n, const char *const *names, size_t n_names)
{
    for (size_t i = 0; i < n_names; i++)
        if (strlen(names[i]) == n && strncmp(names[i], name, n) == 0)
            return true;
    return false;
}

#define IS_AMONG(name, n, names) is_among(name, n, names, sizeof(names) / sizeof *(names))

/* sin, sinf, __sinf_finite; lgammaf_r. */
static bool is_maths(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t length = strlen(suffixes[i]);
        if (n > length && strncmp(name + n - length, suffixes[i], length) == 0 &&
            IS_AMONG(name, n - length, maths))
            return true;
    }
    return false;
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static bool ends(const char *name, const char *with)
{
    size_t n = strlen(name), length = strlen(with);
    return n >= length && strcmp(name + n - length, with) == 0;
}

/* glibc's for -ffast-math, and those on vectors: _ZGVdN4v_sin. */
static bool is_other_maths(const char *name)
{
    if (begins(name, "_ZGV"))
        return strchr(name + 4, '_') != NULL &&
               is_maths(strchr(name + 4, '_') + 1, strlen(strchr(name + 4, '_') + 1));
    return begins(name, "__") && ends(name, "_finite") &&
           is_maths(name + 2, strlen(name) - 2 - strlen("_finite"));
}

/* True for functions of libgcc: complex numbers, powers, arithmetic that the processor has no instructions
 * for (128 bits, half precision), and conversions between integers of 128 bits and floating-point numbers. s,
 * d, x, t or h says the type, as in __mulsc3. */
static bool is_of_compiler(const char *name)
{
    static const char *const forms[] = {"__mul?c3",      "__div?c3",  "__powi?f2",   "__addtf3",
                                        "__subtf3",      "__multf3",  "__divtf3",    "__floatti?f",
                                        "__floatunti?f", "__fix?fti", "__fixuns?fti"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *form = forms[i], *at = name;
        while (*form != '\0' &&
               (*form == *at || (*form == '?' && *at != '\0' && strchr("sdxthb", *at) != NULL))) {
            form++;
            at++;
        }
        if (*form == '\0' && *at == '\0')
            return true;
    }
    return false;
}

/* True for functions of gfortran's library on real and complex numbers: matmul_r8, pow_c4_i8. */
static bool is_of_gfortran(const char *name)
{
    static const char *const routines[] = {"matmul_",    "sum_",         "ssum_",   "msum_",   "product_",
                                           "sproduct_",  "mproduct_",    "norm2_",  "pow_",    "bessel_jn_",
                                           "bessel_yn_", "erfc_scaled_", "random_", "arandom_"};
    if (!begins(name, "_gfortran_"))
        return false;
    name += strlen("_gfortran_");
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
        const char *kind = name + strlen(routines[i]);
        if (begins(name, routines[i]) && (*kind == 'r' || *kind == 'c') && isdigit((unsigned char)kind[1]))
            return true;
    }
    return false;
}

/* True for functions of flang's library that come into a program only if it calls them. Bessel functions are
 * left out: they come with all that moves arrays. */
static bool is_of_flang(const char *name)
{
    static const char *const routines[] = {"Sum",   "Product", "DotProduct", "Matmul",
                                           "Norm2", "FPow",    "cpow",       "zpow"};
    if (!begins(name, "_FortranA") || strstr(name, "Integer") != NULL || strstr(name, "Logical") != NULL)
        return false;
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (begins(name + strlen("_FortranA"), routines[i]))
            return true;
    return false;
}

bool known_arithmetic(const char *name)
{
    return is_maths(name, strlen(name)) || is_other_maths(name) || is_of_compiler(name) ||
           is_of_gfortran(name) || is_of_flang(name);
}

bool known_alias(const char *name)
{
    return ends(name, "f32") || ends(name, "f64") || ends(name, "f32x") || ends(name, "f64x");
}

bool known_software(const char *name)
{
    return ends(name, "tf3");
}

bool known_library(const char *name)
{
    static const char *const libraries[] = {
        "libblas",  "libcblas", "liblapack",  "libopenblas",  "libatlas",   "libsatlas",    "libtatlas",
        "libmkl_",  "libblis",  "libflame",   "libscalapack", "libfftw",    "libgsl.",      "libarpack",
        "libpetsc", "libHYPRE", "libsuperlu", "libcholmod",   "libumfpack", "libarmadillo", "libnvpl_",
        "libarmpl", "libsleef", "libsvml",    "libimf",       "libessl"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (begins(name, libraries[i]))
            return true;
    return false;
}
