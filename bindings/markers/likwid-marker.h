/* SPDX-License-Identifier: BSD-3-Clause
 *
 * likwid's marker interface over regions of libpapi: codes with LIKWID_MARKER_START and the like compile
 * unchanged with -DLIKWID_PERFMON -I.../include/fpapi/likwid, and are linked with -lpapi_likwid. Without
 * LIKWID_PERFMON the macros are nothing. Calls that return int give 0, or a negative number where nothing was
 * done.
 */
#ifndef LIKWID_MARKER_H
#define LIKWID_MARKER_H

#ifdef __cplusplus
extern "C" {
#endif

void likwid_markerInit(void);
void likwid_markerThreadInit(void);
void likwid_markerNextGroup(void);
void likwid_markerClose(void);
int likwid_markerRegisterRegion(const char *name);
int likwid_markerStartRegion(const char *name);
int likwid_markerStopRegion(const char *name);
/* What is counted from now on is the region "NAME (after reset 1)". */
int likwid_markerResetRegion(const char *name);
/* Seconds and visits of the calling thread. n_events becomes 0: the counts are in the file of regions. */
void likwid_markerGetRegion(const char *name, int *n_events, double *events, double *time, int *count);

#ifdef __cplusplus
}
#endif

#ifdef LIKWID_PERFMON
#define LIKWID_MARKER_INIT likwid_markerInit()
#define LIKWID_MARKER_THREADINIT likwid_markerThreadInit()
#define LIKWID_MARKER_SWITCH likwid_markerNextGroup()
#define LIKWID_MARKER_REGISTER(name) likwid_markerRegisterRegion(name)
#define LIKWID_MARKER_START(name) likwid_markerStartRegion(name)
#define LIKWID_MARKER_STOP(name) likwid_markerStopRegion(name)
#define LIKWID_MARKER_CLOSE likwid_markerClose()
#define LIKWID_MARKER_RESET(name) likwid_markerResetRegion(name)
#define LIKWID_MARKER_GET(name, n_events, events, time, count)                                               \
    likwid_markerGetRegion(name, n_events, events, time, count)
#define LIKWID_MARKER_WRITE_FILE(path) /* PAPI_OUTPUT_DIRECTORY says where the file is */
#else
#define LIKWID_MARKER_INIT
#define LIKWID_MARKER_THREADINIT
#define LIKWID_MARKER_SWITCH
#define LIKWID_MARKER_REGISTER(name)
#define LIKWID_MARKER_START(name)
#define LIKWID_MARKER_STOP(name)
#define LIKWID_MARKER_CLOSE
#define LIKWID_MARKER_RESET(name)
#define LIKWID_MARKER_GET(name, n_events, events, time, count)
#define LIKWID_MARKER_WRITE_FILE(path)
#endif

#endif
