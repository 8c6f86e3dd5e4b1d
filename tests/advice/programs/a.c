/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that does not call PAPI: 2,000 operations in double precision.
 */
int main(void)
{
    volatile double x = 1;
    for (int i = 0; i < 1000; i++)
        x = x * 1.0000001 + 1e-9;
    return x > 0 ? 0 : 1;
}
