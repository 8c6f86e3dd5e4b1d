/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops of bench/gate_model that no figure of a model was chosen by: they were written before they were
 * measured, and models are not changed for them. A name begins with the loop's kind. Data are in the first
 * cache, but for those of far_; what is sorted or decided by is new in each turn, so that branches cannot
 * learn it.
 */
#define _GNU_SOURCE
#include "gate_model_run.h"

#include <stdint.h>

enum { N = 1000, W = 30, FAR = 1 << 20 };

static double a[N + 16], b[N + 16], c[N + 16], table[257], field[W][W], next[W][W], cube[10][10][10];
static float f[N + 16], g[N + 16], h[N + 16];
static int32_t k[N + 16], l[N + 16], t[N + 16], column[N + 16], row[N + 16], start[102], slot[512];
static uint32_t crc[256], words[64];
static uint8_t text[N + 16], twin[N + 16], other[N + 16], out[2 * N];
static const char pattern[] = "abcabd";
static int64_t state_table[4][8];
static uint64_t seed = 88172645463325252U;
static volatile int ten = 10;

struct node {
    struct node *left, *right;
    int key;
};
static struct node nodes[N];
static struct node *far;

#define INLINE static inline __attribute__((always_inline))
#define LOOP(name) static __attribute__((noipa)) double name(void)
#define EACH(i, n) for (int i = 0; i < (n); i++)

INLINE uint64_t random_next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

INLINE void shuffle(int n)
{
    EACH(i, n) t[i] = (int32_t)(random_next() >> 40);
}

/* ---- stencils */

LOOP(stencil_jacobi)
{
    for (int i = 1; i < W - 1; i++)
        for (int j = 1; j < W - 1; j++)
            next[i][j] = 0.25 * (field[i - 1][j] + field[i + 1][j] + field[i][j - 1] + field[i][j + 1]);
    return next[1][1];
}

LOOP(stencil_nine)
{
    for (int i = 1; i < W - 1; i++)
        for (int j = 1; j < W - 1; j++) {
            double s = 0;
            for (int p = -1; p <= 1; p++)
                for (int q = -1; q <= 1; q++)
                    s += table[p * 3 + q + 4] * field[i + p][j + q];
            next[i][j] = s;
        }
    return next[1][1];
}

LOOP(stencil_seidel)
{
    for (int i = 1; i < W - 1; i++)
        for (int j = 1; j < W - 1; j++)
            field[i][j] = 0.25 * (field[i - 1][j] + field[i + 1][j] + field[i][j - 1] + field[i][j + 1]);
    return field[1][1];
}

LOOP(stencil_red_black)
{
    for (int i = 1; i < W - 1; i++)
        for (int j = 1 + i % 2; j < W - 1; j += 2)
            field[i][j] = 0.25 * (field[i - 1][j] + field[i + 1][j] + field[i][j - 1] + field[i][j + 1]);
    return field[1][1];
}

LOOP(stencil_cube)
{
    double s = 0;
    for (int i = 1; i < 9; i++)
        for (int j = 1; j < 9; j++)
            for (int m = 1; m < 9; m++)
                s += 6 * cube[i][j][m] - cube[i - 1][j][m] - cube[i + 1][j][m] - cube[i][j - 1][m] -
                     cube[i][j + 1][m] - cube[i][j][m - 1] - cube[i][j][m + 1];
    return s;
}

LOOP(stencil_wave)
{
    for (int i = 1; i < N; i++)
        c[i] = 2 * b[i] - c[i] + 0.1 * (b[i - 1] - 2 * b[i] + b[i + 1]);
    return c[1];
}

LOOP(stencil_blur)
{
    for (int i = 2; i < N - 2; i++)
        out[i] =
            (uint8_t)((text[i - 2] + 4 * text[i - 1] + 6 * text[i] + 4 * text[i + 1] + text[i + 2]) >> 4);
    return out[2];
}

LOOP(stencil_life)
{
    for (int i = W + 1; i < N - W - 1; i++) {
        int near = other[i - W - 1] + other[i - W] + other[i - W + 1] + other[i - 1] + other[i + 1] +
                   other[i + W - 1] + other[i + W] + other[i + W + 1];
        out[i] = (uint8_t)(near == 3 || (near == 2 && other[i]));
    }
    return out[50];
}

/* ---- sorting */

static void quick(int32_t *first, int32_t *last)
{
    while (last - first > 1) {
        int32_t middle = first[(last - first) / 2], *low = first, *high = last - 1;
        while (low <= high) {
            while (*low < middle)
                low++;
            while (*high > middle)
                high--;
            if (low <= high) {
                int32_t swap = *low;
                *low++ = *high;
                *high-- = swap;
            }
        }
        quick(first, high + 1);
        first = low;
    }
}

LOOP(sort_quick)
{
    shuffle(500);
    quick(t, t + 500);
    return t[1];
}

INLINE void sink_down(int at, int n)
{
    for (int child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && t[child + 1] > t[child];
        if (t[at] >= t[child])
            break;
        int32_t swap = t[at];
        t[at] = t[child];
        t[child] = swap;
    }
}

LOOP(sort_heap)
{
    shuffle(300);
    for (int at = 149; at >= 0; at--)
        sink_down(at, 300);
    for (int n = 299; n > 0; n--) {
        int32_t swap = t[0];
        t[0] = t[n];
        t[n] = swap;
        sink_down(0, n);
    }
    return t[1];
}

LOOP(sort_merge)
{
    int32_t *from = t, *to = l;
    shuffle(512);
    for (int width = 1; width < 512; width *= 2) {
        for (int at = 0; at < 512; at += 2 * width)
            for (int i = at, j = at + width, n = at; n < at + 2 * width; n++)
                to[n] = j == at + 2 * width || (i < at + width && from[i] <= from[j]) ? from[i++] : from[j++];
        int32_t *swap = from;
        from = to;
        to = swap;
    }
    return from[1];
}

LOOP(sort_radix)
{
    int count[257];
    shuffle(N);
    for (int shift = 0; shift < 24; shift += 8) {
        memset(count, 0, sizeof count);
        EACH(i, N) count[(t[i] >> shift & 255) + 1]++;
        EACH(i, 256) count[i + 1] += count[i];
        EACH(i, N) l[count[t[i] >> shift & 255]++] = t[i];
        memcpy(t, l, N * sizeof *t);
    }
    return t[1];
}

LOOP(sort_shell)
{
    shuffle(300);
    for (int gap = 121; gap > 0; gap /= 3)
        for (int i = gap; i < 300; i++) {
            int32_t value = t[i];
            int j = i;
            for (; j >= gap && t[j - gap] > value; j -= gap)
                t[j] = t[j - gap];
            t[j] = value;
        }
    return t[1];
}

LOOP(sort_bitonic)
{
    shuffle(256);
    for (int size = 2; size <= 256; size *= 2)
        for (int half = size / 2; half > 0; half /= 2)
            EACH(i, 256)
            {
                int j = i ^ half;
                if (j > i) {
                    int32_t low = t[i] < t[j] ? t[i] : t[j], high = t[i] < t[j] ? t[j] : t[i];
                    t[i] = (i & size) == 0 ? low : high;
                    t[j] = (i & size) == 0 ? high : low;
                }
            }
    return t[1];
}

/* ---- searches and strings */

LOOP(search_binary)
{
    int found = 0;
    EACH(i, 100)
    {
        int32_t key = (int32_t)(random_next() % 4000);
        int low = 0, high = N;
        while (low < high) {
            int middle = (low + high) / 2;
            if (row[middle] < key)
                low = middle + 1;
            else
                high = middle;
        }
        found += low;
    }
    return found;
}

LOOP(search_without_branch)
{
    long found = 0;
    EACH(i, 100)
    {
        int32_t key = (int32_t)(random_next() % 4000);
        const int32_t *at = row;
        for (int n = 512; n > 0; n /= 2)
            at += at[n - 1] < key ? n : 0;
        found += at - row;
    }
    return (double)found;
}

LOOP(string_naive)
{
    int found = 0;
    EACH(i, N - 8)
    {
        int j = 0;
        while (j < 6 && text[i + j] == (uint8_t)pattern[j])
            j++;
        found += j == 6;
    }
    return found;
}

LOOP(string_horspool)
{
    int found = 0, skip[256];
    EACH(i, 256) skip[i] = 6;
    EACH(i, 5) skip[(uint8_t)pattern[i]] = 5 - i;
    for (int i = 0; i < N - 8; i += skip[text[i + 5]])
        found += memcmp(text + i, pattern, 6) == 0;
    return found;
}

LOOP(string_automaton)
{
    int64_t state = 0, found = 0;
    EACH(i, N)
    {
        state = state_table[state][text[i] & 7];
        found += state == 3;
    }
    return (double)found;
}

LOOP(string_words)
{
    int n = 0, in = 0;
    EACH(i, N)
    {
        int letter = text[i] > 'c';
        n += letter && !in;
        in = letter;
    }
    return n;
}

LOOP(string_compare)
{
    int differ = 0;
    for (int i = 0; i < N / 2; i += 20) {
        int j = 0;
        while (text[i + j] != 0 && text[i + j] == twin[i + j])
            j++;
        differ += j < 30;
    }
    return differ;
}

LOOP(string_base64)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t *to = out;
    for (int i = 0; i + 2 < N; i += 3) {
        uint32_t bits = (uint32_t)text[i] << 16 | (uint32_t)text[i + 1] << 8 | text[i + 2];
        *to++ = (uint8_t)digits[bits >> 18];
        *to++ = (uint8_t)digits[bits >> 12 & 63];
        *to++ = (uint8_t)digits[bits >> 6 & 63];
        *to++ = (uint8_t)digits[bits & 63];
    }
    return out[1];
}

LOOP(string_number)
{
    double sum = 0;
    static const char digits[] = "314159 271828 161803 141421 173205 ";
    EACH(n, 20)
    {
        int value = 0;
        for (const char *at = digits; *at != 0; at++) {
            if (*at == ' ') {
                sum += value;
                value = 0;
            } else {
                value = value * 10 + (*at - '0');
            }
        }
    }
    return sum;
}

LOOP(string_distance)
{
    int32_t line[41];
    EACH(i, 41) line[i] = i;
    for (int i = 1; i <= 40; i++) {
        int32_t corner = line[0];
        line[0] = i;
        for (int j = 1; j <= 40; j++) {
            int32_t cost = corner + (text[i] != text[j + 300]), up = line[j] + 1, back = line[j - 1] + 1;
            corner = line[j];
            cost = up < cost ? up : cost;
            line[j] = back < cost ? back : cost;
        }
    }
    return line[40];
}

/* ---- hashes and bits */

LOOP(hash_crc)
{
    uint32_t sum = ~0U;
    EACH(i, N) sum = crc[(sum ^ text[i]) & 255] ^ sum >> 8;
    return sum;
}

LOOP(hash_crc_bits)
{
    uint32_t sum = ~0U;
    EACH(i, 200)
    {
        sum ^= text[i];
        EACH(j, 8) sum = sum >> 1 ^ (0xedb88320U & -(sum & 1));
    }
    return sum;
}

LOOP(hash_adler)
{
    uint32_t low = 1, high = 0;
    EACH(i, N)
    {
        low += text[i];
        high += low;
    }
    return low % 65521 + (high % 65521) * 65536.0;
}

LOOP(hash_murmur)
{
    uint32_t sum = 1;
    for (int i = 0; i < N; i += 4) {
        uint32_t word;
        memcpy(&word, text + i, 4);
        word *= 0xcc9e2d51;
        word = word << 15 | word >> 17;
        sum ^= word * 0x1b873593;
        sum = (sum << 13 | sum >> 19) * 5 + 0xe6546b64;
    }
    return sum;
}

INLINE uint64_t rotate(uint64_t value, int by)
{
    return value << by | value >> (64 - by);
}

LOOP(hash_sip)
{
    uint64_t p = 1, q = 2, r = 3, s = 4;
    for (int i = 0; i < N; i += 8) {
        uint64_t word;
        memcpy(&word, text + i, 8);
        s ^= word;
        p += q;
        r += s;
        q = rotate(q, 13) ^ p;
        s = rotate(s, 16) ^ r;
        p = rotate(p, 32) + s;
        r += q;
        s = rotate(s, 21) ^ p;
        q = rotate(q, 17) ^ r;
        r = rotate(r, 32);
        p ^= word;
    }
    return (double)(p ^ q ^ r ^ s);
}

LOOP(hash_rounds)
{
    uint32_t p = 1, q = 2, r = 3, s = 4;
    EACH(i, 64)
    {
        uint32_t mix = (q & r) | (~q & s), sum = p + mix + words[i] + 0x5a827999;
        p = s;
        s = r;
        r = q;
        q += sum << 7 | sum >> 25;
    }
    EACH(i, 64)
    {
        uint32_t mix = q ^ r ^ s, sum = p + mix + words[(5 * i) & 63];
        p = s;
        s = r;
        r = q;
        q += sum << 11 | sum >> 21;
    }
    return p ^ q ^ r ^ s;
}

LOOP(hash_probe)
{
    int found = 0;
    EACH(i, N)
    {
        uint32_t at = (uint32_t)k[i] * 2654435761U >> 23;
        while (slot[at] != 0 && slot[at] != k[i])
            at = (at + 1) & 511;
        found += slot[at] != 0;
    }
    return found;
}

LOOP(bits_count)
{
    int n = 0;
    EACH(i, N)
    {
        uint32_t word = (uint32_t)k[i];
        word -= word >> 1 & 0x55555555;
        word = (word & 0x33333333) + (word >> 2 & 0x33333333);
        n += (int)(((word + (word >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24);
    }
    return n;
}

LOOP(bits_reverse)
{
    EACH(i, N)
    {
        uint32_t word = (uint32_t)k[i];
        word = (word >> 1 & 0x55555555) | (word & 0x55555555) << 1;
        word = (word >> 2 & 0x33333333) | (word & 0x33333333) << 2;
        word = (word >> 4 & 0x0f0f0f0f) | (word & 0x0f0f0f0f) << 4;
        l[i] = (int32_t)__builtin_bswap32(word);
    }
    return l[1];
}

LOOP(bits_lowest)
{
    int n = 0;
    EACH(i, 200)
    for (uint32_t word = (uint32_t)k[i] & 0x1f0f; word != 0; word &= word - 1)
        n += __builtin_ctz(word);
    return n;
}

/* ---- sparse matrices: a hundred rows of ten */

LOOP(sparse_rows)
{
    EACH(i, 100)
    {
        double s = 0;
        for (int j = start[i]; j < start[i + 1]; j++)
            s += a[j] * b[column[j]];
        c[i] = s;
    }
    return c[1];
}

LOOP(sparse_columns)
{
    EACH(i, 100) for (int j = start[i]; j < start[i + 1]; j++) c[column[j]] += a[j] * b[i] * 1e-9;
    return c[1];
}

LOOP(sparse_triples)
{
    EACH(i, N) c[column[i]] += a[i] * b[row[i] / 40] * 1e-9;
    return c[1];
}

LOOP(sparse_ell)
{
    EACH(i, 100) c[i] = 0;
    EACH(j, 10) EACH(i, 100) c[i] += a[j * 100 + i] * b[column[j * 100 + i]];
    return c[1];
}

LOOP(sparse_solve)
{
    EACH(i, 100)
    {
        double s = b[i];
        for (int j = start[i]; j < start[i] + 4; j++)
            s -= 0.01 * a[j] * c[column[j] % (i + 1)];
        c[i] = s / a[i];
    }
    return c[1];
}

LOOP(sparse_merge)
{
    double s = 0;
    int i = 0, j = 0;
    EACH(n, 400) t[n] = (n > 0 ? t[n - 1] : 0) + 1 + (int32_t)(random_next() >> 61);
    while (i < N && j < 400) {
        if (row[i] < t[j])
            i++;
        else if (row[i] > t[j])
            j++;
        else
            s += a[i++] * b[j++];
    }
    return s;
}

/* ---- transforms */

LOOP(fft_two)
{
    static double re[256], im[256];
    EACH(i, 256)
    {
        re[i] = a[i];
        im[i] = b[i];
    }
    for (int half = 1; half < 256; half *= 2)
        for (int i = 0; i < 256; i += 2 * half)
            for (int j = i; j < i + half; j++) {
                int at = (j - i) * (128 / half);
                double p = table[at], q = table[255 - at];
                double u = re[j + half] * p - im[j + half] * q, v = re[j + half] * q + im[j + half] * p;
                re[j + half] = re[j] - u;
                im[j + half] = im[j] - v;
                re[j] += u;
                im[j] += v;
            }
    return re[1];
}

LOOP(fft_four)
{
    EACH(i, 250)
    {
        double p = a[i] + a[i + 500], q = a[i] - a[i + 500], r = a[i + 250] + a[i + 750],
               s = a[i + 250] - a[i + 750];
        c[i] = p + r;
        c[i + 250] = q * 0.7 - s * 0.3;
        c[i + 500] = p - r;
        c[i + 750] = q * 0.3 + s * 0.7;
    }
    return c[1];
}

LOOP(fft_order)
{
    for (int i = 1, j = 0; i < 512; i++) {
        int bit = 256;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double swap = a[i];
            a[i] = a[j];
            a[j] = swap;
        }
    }
    return a[1];
}

LOOP(fft_cosines)
{
    EACH(i, 8) EACH(j, 8)
    {
        float s = 0;
        EACH(n, 8) s += f[8 * i + n] * g[8 * j + n];
        h[8 * i + j] = s;
    }
    return h[1];
}

LOOP(fft_walsh)
{
    static uint32_t w[256];
    EACH(i, 256) w[i] = (uint32_t)k[i];
    for (int half = 1; half < 256; half *= 2)
        for (int i = 0; i < 256; i += 2 * half)
            for (int j = i; j < i + half; j++) {
                uint32_t p = w[j], q = w[j + half];
                w[j] = p + q;
                w[j + half] = p - q;
            }
    return w[1];
}

/* ---- tables */

LOOP(table_boxes)
{
    uint32_t p = 1, q = 2, r = 3, s = 4;
    EACH(i, 100)
    {
        uint32_t first = crc[p >> 24] ^ crc[q >> 16 & 255] ^ crc[r >> 8 & 255] ^ crc[s & 255] ^ words[i & 63];
        uint32_t second = crc[q >> 24] ^ crc[r >> 16 & 255] ^ crc[s >> 8 & 255] ^ crc[p & 255];
        r = crc[r >> 24] ^ crc[s >> 16 & 255] ^ crc[p >> 8 & 255] ^ crc[q & 255];
        s = first ^ second;
        p = first;
        q = second;
    }
    return p ^ q ^ r ^ s;
}

LOOP(table_between)
{
    EACH(i, N)
    {
        double x = a[i] * 200;
        int at = (int)x;
        c[i] = table[at] + (x - at) * (table[at + 1] - table[at]);
    }
    return c[1];
}

LOOP(table_bytes)
{
    EACH(i, N) out[i] = (uint8_t)crc[text[i]];
    return out[1];
}

LOOP(table_two_ways)
{
    EACH(i, W - 1) EACH(j, W - 1)
    {
        double x = 0.3, y = a[j];
        next[i][j] = field[i][j] * (1 - x) * (1 - y) + field[i + 1][j] * x * (1 - y) +
                     field[i][j + 1] * (1 - x) * y + field[i + 1][j + 1] * x * y;
    }
    return next[1][1];
}

/* ---- integers */

LOOP(integer_gcd)
{
    int64_t sum = 0;
    EACH(i, 50)
    {
        uint32_t p = (uint32_t)(random_next() >> 40), q = (uint32_t)k[i] | 1;
        while (q != 0) {
            uint32_t rest = p % q;
            p = q;
            q = rest;
        }
        sum += p;
    }
    return (double)sum;
}

LOOP(integer_power)
{
    uint64_t sum = 0;
    EACH(i, 20)
    {
        uint64_t power = 1, base = (uint64_t)i + 5;
        for (uint32_t bits = 0xb6db6db6; bits != 0; bits >>= 1) {
            if (bits & 1)
                power = power * base % 1000003;
            base = base * base % 1000003;
        }
        sum += power;
    }
    return (double)sum;
}

LOOP(integer_digits)
{
    uint8_t *to = out;
    EACH(i, 100)
    for (uint32_t value = (uint32_t)i * 7919 + 100000; value != 0; value /= 10)
        *to++ = (uint8_t)('0' + value % 10);
    return out[1];
}

LOOP(integer_digits_by)
{
    uint8_t *to = out;
    uint32_t by = (uint32_t)ten;
    EACH(i, 100)
    for (uint32_t value = (uint32_t)i * 7919 + 100000; value != 0; value /= by)
        *to++ = (uint8_t)('0' + value % by);
    return out[1];
}

LOOP(integer_trial)
{
    int primes = 0;
    for (int n = 1001; n < 1101; n += 2) {
        int d = 3;
        while (d * d <= n && n % d != 0)
            d += 2;
        primes += d * d > n;
    }
    return primes;
}

LOOP(integer_sieve)
{
    int primes = 0;
    memset(out, 1, N);
    for (int i = 2; i < N; i++)
        if (out[i]) {
            primes++;
            for (int j = 2 * i; j < N; j += i)
                out[j] = 0;
        }
    return primes;
}

LOOP(integer_root)
{
    uint32_t sum = 0;
    EACH(i, 50)
    {
        uint32_t n = (uint32_t)i * 65537 + 10, x = n, y = (x + 1) / 2;
        while (y < x) {
            x = y;
            y = (x + n / x) / 2;
        }
        sum += x;
    }
    return sum;
}

LOOP(integer_wide)
{
    uint64_t carry = 0;
    static uint64_t number[64];
    EACH(i, 64)
    {
        unsigned __int128 product = (unsigned __int128)(number[i] | 7) * 0x9e3779b97f4a7c15U + carry;
        number[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    return (double)carry;
}

LOOP(integer_knapsack)
{
    EACH(i, 200) l[i] = 0;
    EACH(item, 10) for (int w = 199; w >= item + 5; w--)
    {
        int32_t with = l[w - item - 5] + item * 3;
        l[w] = with > l[w] ? with : l[w];
    }
    return l[199];
}

LOOP(integer_paths)
{
    static int32_t d[16][16];
    EACH(i, 16) EACH(j, 16) d[i][j] = (i * 7 + j * 13) % 31 + 1;
    EACH(m, 16) EACH(i, 16) EACH(j, 16)
    {
        int32_t way = d[i][m] + d[m][j];
        d[i][j] = way < d[i][j] ? way : d[i][j];
    }
    return d[3][4];
}

/* ---- branches */

LOOP(branch_collatz)
{
    int steps = 0;
    EACH(i, 20) for (uint64_t n = (random_next() >> 50) + 1; n != 1; steps++) n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}

LOOP(branch_kinds)
{
    int n = 0;
    EACH(i, 500)
    {
        uint64_t kind = random_next() >> 60;
        if (kind < 4)
            sink = n++;
        else if (kind < 8)
            sink = n += 2;
        else if (kind < 12)
            sink = n -= 3;
    }
    return n;
}

LOOP(branch_rare)
{
    int n = 0;
    EACH(i, N)
    {
        if (random_next() >> 58 == 0)
            sink = n;
        n += k[i];
    }
    return n;
}

LOOP(branch_machine)
{
    int64_t stack[16] = {1, 2};
    int top = 1;
    EACH(i, N) switch (text[i] & 7)
    {
    case 0:
        top = top < 14 ? top + 1 : 1;
        stack[top] = i;
        break;
    case 1:
        stack[top] += stack[0];
        break;
    case 2:
        stack[top] ^= stack[1] << 1;
        break;
    case 3:
        top = top > 1 ? top - 1 : top;
        break;
    case 4:
        stack[0] = stack[top] >> 3;
        break;
    case 5:
        stack[1] = ~stack[top];
        break;
    default:
        stack[top]++;
    }
    return (double)stack[top];
}

LOOP(branch_runs)
{
    uint8_t *to = out;
    for (int i = 0, n; i < N; i += n) {
        n = 1;
        while (i + n < N && other[i + n] == other[i] && n < 255)
            n++;
        *to++ = other[i];
        *to++ = (uint8_t)n;
    }
    return (double)(to - out);
}

/* ---- pointers */

LOOP(pointer_tree)
{
    int sum = 0;
    EACH(i, 100)
    {
        int key = (int)(random_next() % N);
        const struct node *at = &nodes[0];
        while (at != NULL && at->key != key) {
            at = key < at->key ? at->left : at->right;
            sum++;
        }
    }
    return sum;
}

LOOP(pointer_chains)
{
    int sum = 0;
    EACH(i, 30) for (const struct node *at = &nodes[i]; at != NULL; at = at->right) sum += at->key;
    return sum;
}

LOOP(pointer_sets)
{
    int sets = 0;
    EACH(i, 500) l[i] = i;
    EACH(i, 500)
    {
        int p = i, q = column[i];
        while (l[p] != p)
            p = l[p] = l[l[p]];
        while (l[q] != q)
            q = l[q] = l[l[q]];
        l[p] = q;
        sets += p != q;
    }
    return sets;
}

LOOP(far_pointers)
{
    static struct node *at;
    if (at == NULL)
        at = far;
    EACH(i, 200) at = at->right;
    return at->key;
}

/* ---- numbers */

LOOP(number_mandelbrot)
{
    int steps = 0;
    EACH(i, 40)
    {
        double x = 0, y = 0, p = -2 + 0.06 * i, q = 0.3;
        for (int n = 0; n < 50 && x * x + y * y < 4; n++, steps++) {
            double u = x * x - y * y + p;
            y = 2 * x * y + q;
            x = u;
        }
    }
    return steps;
}

LOOP(number_bodies)
{
    EACH(i, 30)
    {
        double x = 0, y = 0;
        EACH(j, 30)
        {
            double dx = a[j] - a[i], dy = b[j] - b[i], square = dx * dx + dy * dy + 0.01,
                   by = 1 / (square * sqrt(square));
            x += dx * by;
            y += dy * by;
        }
        c[2 * i] = x;
        c[2 * i + 1] = y;
    }
    return c[1];
}

LOOP(number_potential)
{
    double energy = 0;
    EACH(i, 20) EACH(j, i)
    {
        double dx = a[i] - b[j], square = dx * dx, inverse = 1 / square, six = inverse * inverse * inverse;
        if (square < 0.5)
            energy += 4 * (six * six - six);
    }
    return energy;
}

LOOP(number_cholesky)
{
    static double m[16][16];
    EACH(i, 16) EACH(j, 16) m[i][j] = i == j ? 20 : 1;
    EACH(i, 16)
    {
        for (int j = 0; j <= i; j++) {
            double s = m[i][j];
            EACH(n, j) s -= m[i][n] * m[j][n];
            m[i][j] = i == j ? sqrt(s) : s / m[j][j];
        }
    }
    return m[15][15];
}

LOOP(number_eliminate)
{
    static double m[20][20];
    EACH(i, 20) EACH(j, 20) m[i][j] = i == j ? 30 : i - j;
    EACH(n, 20) for (int i = n + 1; i < 20; i++)
    {
        double by = m[i][n] / m[n][n];
        for (int j = n; j < 20; j++)
            m[i][j] -= by * m[n][j];
    }
    return m[19][19];
}

LOOP(number_legendre)
{
    double s = 0;
    EACH(i, 20)
    {
        double p = 1, q = a[i];
        for (int n = 1; n < 20; n++) {
            double r = ((2 * n + 1) * a[i] * q - n * p) / (n + 1);
            p = q;
            q = r;
        }
        s += q;
    }
    return s;
}

LOOP(number_kahan)
{
    double s = 0, lost = 0;
    EACH(i, N)
    {
        double y = a[i] - lost, sum = s + y;
        lost = (sum - s) - y;
        s = sum;
    }
    return s;
}

LOOP(number_exponential)
{
    EACH(i, N)
    {
        double x = a[i], term = 1, s = 1;
        for (int n = 1; n < 8; n++) {
            term *= x / n;
            s += term;
        }
        c[i] = s;
    }
    return c[1];
}

LOOP(number_newton)
{
    EACH(i, N)
    {
        float x = f[i], y = 0.9F;
        y = y * (1.5F - 0.5F * x * y * y);
        y = y * (1.5F - 0.5F * x * y * y);
        h[i] = y;
    }
    return h[1];
}

LOOP(number_darts)
{
    int in = 0;
    EACH(i, 500)
    {
        uint64_t bits = random_next();
        double x = (double)(bits & 0xffff) / 65536, y = (double)(bits >> 16 & 0xffff) / 65536;
        in += x * x + y * y < 1;
    }
    return in;
}

LOOP(number_spheres)
{
    int hits = 0;
    EACH(i, N)
    {
        double near = a[i] * 0.6 + b[i] * 0.8, square = a[i] * a[i] + b[i] * b[i] - near * near;
        if (square < 0.02)
            c[hits++] = near - sqrt(0.02 - square);
    }
    return hits;
}

LOOP(number_transpose)
{
    EACH(i, W) EACH(j, W) next[j][i] = field[i][j];
    return next[1][2];
}

LOOP(number_average)
{
    double s = 0;
    EACH(i, 16) s += a[i];
    for (int i = 16; i < N; i++) {
        s += a[i] - a[i - 16];
        c[i] = s * 0.0625;
    }
    return c[20];
}

LOOP(number_product)
{
    EACH(i, W)
    {
        double s = 0;
        EACH(j, W) s += field[i][j] * a[j];
        c[i] = s;
    }
    return c[1];
}

LOOP(number_variance)
{
    double mean = 0, square = 0;
    EACH(i, N)
    {
        double off = a[i] - mean;
        mean += off / (i + 1);
        square += off * (a[i] - mean);
    }
    return square;
}

LOOP(number_rotations)
{
    EACH(i, 500)
    {
        float p = f[i], q = g[i];
        f[i] = 0.8F * p - 0.6F * q;
        g[i] = 0.6F * p + 0.8F * q;
    }
    return f[1];
}

LOOP(number_filter)
{
    double p = 0, q = 0;
    EACH(i, N)
    {
        double r = a[i] + 0.5 * p - 0.25 * q;
        c[i] = r + 2 * p + q;
        q = p;
        p = r;
    }
    return c[1];
}

/* ---- */

static const struct loop loops[] = {
#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
    ROW(stencil_jacobi),    ROW(stencil_nine),     ROW(stencil_seidel),   ROW(stencil_red_black),
    ROW(stencil_cube),      ROW(stencil_wave),     ROW(stencil_blur),     ROW(stencil_life),
    ROW(sort_quick),        ROW(sort_heap),        ROW(sort_merge),       ROW(sort_radix),
    ROW(sort_shell),        ROW(sort_bitonic),     ROW(search_binary),    ROW(search_without_branch),
    ROW(string_naive),      ROW(string_horspool),  ROW(string_automaton), ROW(string_words),
    ROW(string_compare),    ROW(string_base64),    ROW(string_number),    ROW(string_distance),
    ROW(hash_crc),          ROW(hash_crc_bits),    ROW(hash_adler),       ROW(hash_murmur),
    ROW(hash_sip),          ROW(hash_rounds),      ROW(hash_probe),       ROW(bits_count),
    ROW(bits_reverse),      ROW(bits_lowest),      ROW(sparse_rows),      ROW(sparse_columns),
    ROW(sparse_triples),    ROW(sparse_ell),       ROW(sparse_solve),     ROW(sparse_merge),
    ROW(fft_two),           ROW(fft_four),         ROW(fft_order),        ROW(fft_cosines),
    ROW(fft_walsh),         ROW(table_boxes),      ROW(table_between),    ROW(table_bytes),
    ROW(table_two_ways),    ROW(integer_gcd),      ROW(integer_power),    ROW(integer_digits),
    ROW(integer_digits_by), ROW(integer_trial),    ROW(integer_sieve),    ROW(integer_root),
    ROW(integer_wide),      ROW(integer_knapsack), ROW(integer_paths),    ROW(branch_collatz),
    ROW(branch_kinds),      ROW(branch_rare),      ROW(branch_machine),   ROW(branch_runs),
    ROW(pointer_tree),      ROW(pointer_chains),   ROW(pointer_sets),     ROW(far_pointers),
    ROW(number_mandelbrot), ROW(number_bodies),    ROW(number_potential), ROW(number_cholesky),
    ROW(number_eliminate),  ROW(number_legendre),  ROW(number_kahan),     ROW(number_exponential),
    ROW(number_newton),     ROW(number_darts),     ROW(number_spheres),   ROW(number_transpose),
    ROW(number_average),    ROW(number_product),   ROW(number_variance),  ROW(number_rotations),
    ROW(number_filter),
#undef ROW
};

static struct node *plant(int low, int high, int *used)
{
    if (low >= high)
        return NULL;
    struct node *node = &nodes[(*used)++];
    node->key = (low + high) / 2;
    node->left = plant(low, node->key, used);
    node->right = plant(node->key + 1, high, used);
    return node;
}

/* A ring through all nodes, each far from the next. */
static void scatter(void)
{
    far = calloc(FAR, sizeof *far);
    for (size_t i = 0, at = 0; i < FAR; i++) {
        size_t to = (at + 611953) % FAR;
        far[at].right = &far[to];
        far[at].key = (int)i;
        at = to;
    }
}

static void fill_integers(void)
{
    EACH(i, N + 16)
    {
        k[i] = (int32_t)(random_next() % 100000) + 1;
        row[i] = 4 * i;
        column[i] = (int32_t)(random_next() % 100);
        text[i] = i < N ? (uint8_t)('a' + random_next() % 5) : 0;
        twin[i] = i % 31 == 30 ? 'z' : text[i];
        other[i] = (uint8_t)(i / 9 % 2);
    }
    EACH(i, 101) start[i] = 10 * i;
    EACH(i, 250)
    {
        uint32_t at = (uint32_t)k[2 * i] * 2654435761U >> 23;
        while (slot[at] != 0)
            at = (at + 1) & 511;
        slot[at] = k[2 * i];
    }
    EACH(i, 64) words[i] = (uint32_t)random_next();
    EACH(i, 4) EACH(j, 8) state_table[i][j] = (i + j) % 4;
    EACH(i, 256)
    {
        crc[i] = (uint32_t)i;
        EACH(j, 8) crc[i] = crc[i] >> 1 ^ (0xedb88320U & -(crc[i] & 1));
    }
}

int main(int argc, char **argv)
{
    int used = 0;
    EACH(i, N + 16)
    {
        a[i] = 0.5 + (double)(random_next() % 1000) / 2000;
        b[i] = 1 + (double)(i % 10) / 20;
        f[i] = (float)a[i];
        g[i] = (float)b[i];
    }
    EACH(i, 257) table[i] = 1 / (1.0 + i);
    EACH(i, W) EACH(j, W) field[i][j] = i + j;
    EACH(i, 1000) cube[i / 100][i / 10 % 10][i % 10] = a[i];
    fill_integers();
    plant(0, N, &used);
    scatter();
    return loops_main(loops, sizeof loops / sizeof *loops, argc, argv);
}
