/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of a text, counted and sorted. */
#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

int main()
{
    std::mt19937 random(7);
    std::vector<std::string> words;
    for (int i = 0; i < 200000; i++)
        words.push_back(std::to_string(random()));
    std::sort(words.begin(), words.end());
    std::unordered_map<std::string, int> starts;
    for (auto &word : words)
        starts[word.substr(0, 3)]++;
    std::map<int, int> sizes;
    std::thread other([&] {
        for (auto &start : starts)
            sizes[start.second]++;
    });
    other.join();
    std::printf("%zu\n", sizes.size());
}
