/* SPDX-License-Identifier: BSD-3-Clause */
static volatile double sink;

/* 2 n operations. */
void library_work(long n);
void library_work(long n)
{
    double value = sink;
    for (long i = 0; i < n; i++)
        value = value * 0.5 + 1;
    sink = value;
}
