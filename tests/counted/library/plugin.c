/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library that is loaded at run time.
 */
extern __attribute__((visibility("default"))) void plugin_work(int n);

static volatile double sum;

void plugin_work(int n)
{
    for (int i = 0; i < n; i++)
        sum = sum + 1.0 + (double)i + 0.5;
}
