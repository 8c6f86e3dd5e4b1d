/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The files that counted processes leave for papi_gate, one each (and one for each program that a process
 * executes), in a folder that a variable names: text, of which each line has fields with a tab between them.
 * In names control characters are '?'.
 *
 *   papi_totals  VERSION  PID  PARENT  RANK  PROGRAM        rank: "" where no launcher gave one
 *   module       PATH                                       of the program or a library; its lines follow
 *   line         ADDRESS  LINE  FUNCTION  FILE  EVENT:COUNT...
 *   block        ADDRESS  SIZE  RUNS  TAKEN                 of the line before: its code, how often it ran,
 *                                                           and how often its branch was taken
 *   bench        NAME  EVENT:COUNT...                       of papi_bench.h; behind all modules
 *   within       PATH                                       of the bench before: the module of its blocks
 *   ran          ADDRESS  SIZE  RUNS  TAKEN                 as block: in the bench, with what measuring adds
 *   around       ADDRESS  SIZE  RUNS  TAKEN                 what measuring adds, counted around nothing
 *   end                                                     nothing is missing
 *
 * The address is hexadecimal, from where the module was loaded, of the first instruction; line 0 and file ""
 * are not known. Events are numbers of counted_section.h. One place may have several lines. An empty file
 * says that the process did not end by itself. */
#define TOTALS_FOLDER "PAPI_COUNTED_TOTALS"
#define TOTALS_MAGIC "papi_totals"
#define TOTALS_MODULE "module"
#define TOTALS_LINE "line"
#define TOTALS_BENCH "bench"
#define TOTALS_BLOCK "block"
#define TOTALS_WITHIN "within"
#define TOTALS_RAN "ran"
#define TOTALS_AROUND "around"
#define TOTALS_END "end"
enum { TOTALS_VERSION = 3 };
