/* SPDX-License-Identifier: BSD-3-Clause */
// Voro++: the cells around 1,500 points fill the box.
#include "voro++.hh"

#include <cmath>

int main()
{
    voro::container box(-1, 1, -1, 1, -1, 1, 8, 8, 8, false, false, false, 8);
    unsigned state = 1;
    double at[3];
    for (int i = 0; i < 1500; i++) {
        for (double &x : at) {
            state = state * 1664525 + 1013904223;
            x = (state >> 8) / 8388608.0 - 1;
        }
        box.put(i, at[0], at[1], at[2]);
    }
    return std::fabs(box.sum_cell_volumes() - 8) > 1e-6;
}
