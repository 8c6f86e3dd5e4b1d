/* SPDX-License-Identifier: BSD-3-Clause */
#include "entry/lifecycle.h"

#include "calls/carrier.h"
#include "calls/tables.h"
#include "calls/wrapper.h"
#include "job/collect.h"
#include "job/job.h"
#include "job/timeline_gather.h"
#include "rank/machine.h"
#include "rank/record_file.h"
#include "report/reports.h"
#include "report/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The time, the host and the process of rank 0: no other job has all three. It is a part of file names. */
static void name_job(char job[JOB_NAME])
{
    char host[25] = "", when[20] = "0";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) != NULL)
        strftime(when, sizeof when, "%Y%m%dT%H%M%S", &parts);
    gethostname(host, sizeof host - 1);
    for (char *p = host; *p != '\0'; p++) {
        int plain = (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');
        *p = *p == '.' || plain ? *p : '-';
    }
    snprintf(job, JOB_NAME, "%s-%s-%d", when, host, (int)getpid());
}

/* Prints a complaint on rank 0 alone, if the ranks have no job in common that could collect it. */
static void complain_alone(MPI_Comm meeting, const char *text)
{
    int rank = -1;
    PMPI_Comm_rank(meeting, &rank);
    settings_complain(&papi_mpi.settings, "%s", text);
    if (rank == 0)
        print_all(NULL, NULL, &papi_mpi.settings, "");
}

/* Things that ranks tell each other at the start, as words of which all get the bits that every rank has: all
 * bits for yes, none for no. Its complement beside it says whether any rank has it. The name of the job is
 * that of rank 0, as the others have all bits there. */
enum { NAME_WORDS = JOB_NAME / sizeof(uint64_t) };
struct words {
    uint64_t all_on, all_off, all_able, all_path, no_path, all_timeline, no_timeline, all_received,
        all_devices, no_devices;
    uint64_t name[NAME_WORDS];
};
_Static_assert(JOB_NAME % sizeof(uint64_t) == 0, "the name has whole words");
_Static_assert(sizeof(struct words) <= LINK_MOST_WORDS * sizeof(uint64_t), "all have room");

static uint64_t yes_if(int yes)
{
    return yes ? ~UINT64_C(0) : 0;
}

static void own_words(struct words *words, MPI_Comm meeting, int able)
{
    const struct settings *settings = &papi_mpi.settings;
    char name[JOB_NAME] = "";
    int rank = 0;
    *words = (struct words){.all_on = yes_if(!settings->off),
                            .all_off = yes_if(settings->off),
                            .all_able = yes_if(able),
                            .all_path = yes_if(settings->path),
                            .no_path = yes_if(!settings->path),
                            .all_timeline = yes_if(settings->timeline > 0),
                            .no_timeline = yes_if(settings->timeline == 0),
                            .all_received = yes_if(settings->received),
                            .all_devices = yes_if(settings->devices),
                            .no_devices = yes_if(!settings->devices)};
    PMPI_Comm_rank(meeting, &rank);
    memset(words->name, 0xff, sizeof words->name);
    if (rank == 0) {
        name_job(name);
        memcpy(words->name, name, sizeof name);
    }
}

/* True if all ranks count. If one rank is switched off, or cannot count, all are off: the others would wait
 * for it. job gets the job's name. */
static int switched_on(struct job_link *link, MPI_Comm meeting, int able, char job[JOB_NAME])
{
    struct words own, agreed = {0};
    own_words(&own, meeting, able && link != NULL);
    if (link_agree(link, meeting, (const uint64_t *)(const void *)&own, (uint64_t *)(void *)&agreed,
                   sizeof own / sizeof(uint64_t)) != 0)
        return 0;
    memcpy(job, agreed.name, JOB_NAME);
    job[JOB_NAME - 1] = '\0';
    papi_mpi.settings.path = agreed.all_path != 0;
    papi_mpi.settings.received = agreed.all_received != 0; /* the result says where it is not known */
    if (!agreed.all_path && !agreed.no_path)
        settings_complain(&papi_mpi.settings,
                          "PAPI_MPI_PATH is not on on all ranks: the critical path is not followed");
    if (!agreed.all_timeline && !agreed.no_timeline)
        settings_complain(&papi_mpi.settings,
                          "PAPI_MPI_TIMELINE is not on on all ranks: there is no timeline");
    papi_mpi.settings.node_devices = agreed.all_devices != 0;
    if (!agreed.all_devices && !agreed.no_devices)
        settings_complain(&papi_mpi.settings,
                          "PAPI_MPI_DEVICES is not on on all ranks: the energy of devices is not read");
    if (!agreed.all_timeline)
        papi_mpi.settings.timeline = 0;
    int on = agreed.all_on && agreed.all_able;
    if (!agreed.all_off && !on)
        complain_alone(
            meeting, agreed.all_on ? "a rank is out of memory at its start: nothing is counted on any of them"
                                   : "PAPI_MPI is off on some ranks: nothing is counted on any of them");
    return on;
}

/* True if this process was started by MPI_Comm_spawn. */
static int is_spawned(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    return PMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL;
}

static int follow_path(const struct job_link *link)
{
    if (!papi_mpi.settings.path)
        return 0;
    if (link->ranks == link->worlds)
        return carrier_begin(link->all);
    settings_complain(&papi_mpi.settings,
                      "the critical path is not followed: there are ranks that do not have this library");
    return 0;
}

/* Connects the ranks of the meeting, which all call this, and begins to count on each of them. */
static void count_from_here(struct job_link *link, MPI_Comm meeting, MPI_Comm world, const char *job)
{
    if (link_connect(link, world) != 0) {
        link_free(link);
        complain_alone(meeting, "out of memory for what the ranks share: nothing is counted");
        return;
    }
    struct rank_identity identity = {.job = job,
                                     .flavour = flavour_name,
                                     .rank = link->world,
                                     .ranks = link->worlds,
                                     .node = link->node_number,
                                     .nodes = link->nodes,
                                     .node_rank = link->node_rank,
                                     .crowded = link->processors > 0 && link->node_ranks > link->processors};
    PMPI_Query_thread(&identity.thread_level);
    papi_mpi.settings.spawned = is_spawned();
    papi_mpi.link = link;
    int followed = follow_path(link);
    rank_prepare(&identity);
    if (papi_mpi.settings.node_devices)
        node_devices_begin(link);
    if (followed) /* a chain from a rank that begins early to one that ends late would be longer than the job
                   */
        LINK_WAIT(PMPI_Ibarrier, link->all);
    rank_start();
    if (followed)
        carrier_start();
}

/* A launcher of another MPI starts as many jobs of one rank as were asked for. */
static void say_who_started(MPI_Comm world)
{
    int ranks = 0;
    PMPI_Comm_size(world, &ranks);
    if (ranks == 1 && presence_ranks() > 1 && presence_rank() == 0)
        settings_complain(
            &papi_mpi.settings,
            "the launcher started %d ranks, and each of them is alone: this program's MPI is %s, and "
            "the launcher is another MPI's; use mpirun of %s",
            presence_ranks(), flavour_name, flavour_name);
}

/* world: all ranks of the job. able: whether this rank has what it takes; where one has not, nothing is
 * counted on any. */
static void job_begin(MPI_Comm world, int able)
{
    settings_read(&papi_mpi.settings);
    MPI_Comm meeting = meeting_find(world);
    struct job_link *link = link_make(meeting, presence_machine());
    char job[JOB_NAME];
    say_who_started(world);
    if (meeting != MPI_COMM_NULL && switched_on(link, meeting, able, job))
        count_from_here(link, meeting, world, job);
    else
        link_free(link);
    presence_end(); /* all have looked: they have met since */
    if (meeting != MPI_COMM_NULL && meeting != world)
        PMPI_Comm_free(&meeting);
}

/* MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE are 0 to 3 with both MPIs. */
_Static_assert(MPI_THREAD_SINGLE == 0 && MPI_THREAD_FUNNELED == 1 && MPI_THREAD_SERIALIZED == 2 &&
                   MPI_THREAD_MULTIPLE == 3,
               "the levels are written as they are");

/* Says where the records are if there is no result: on each machine those of its ranks. */
static void point_to_records(const char *what)
{
    const char *directory = file_directory(papi_mpi.file);
    settings_complain(&papi_mpi.settings, "%s: %s%.200s%s", what,
                      directory != NULL ? "papi_mpi_report --recover " : "there are no records of them",
                      directory != NULL ? directory : "", directory != NULL ? " makes a report of them" : "");
}

enum { MOST_SECONDS = 5 };

/* Collects and writes the result. 0: the figures of all ranks are in it, or nobody wants one. */
static int report(struct job_link *link, struct collection *to)
{
    struct settings *settings = &papi_mpi.settings;
    const char *complaint = settings->n_complaints > 0 ? settings->complaint[0] : NULL;
    struct place place = {.kind = PLACE_NONE};
    if (collect(to, link, papi_mpi.record, complaint) != 0)
        return -1;
    char sentences[VERDICT_WHOLE];
    struct rank_timeline *timeline = NULL;
    if (settings->timeline > 0)
        timeline = timeline_gather(link, to, papi_mpi.record, papi_mpi.ring, papi_mpi.first.ticks,
                                   papi_mpi.first.nsec, settings);
    if (link->rank == 0) { /* while the others wait: not for ever */
        job_find_frames(&to->job, MOST_SECONDS);
        verdict_whole(sentences, &to->job);
        to->job.verdict = sentences;
    }
    int written = result_write(link, to, settings, &place);
    if (timeline != NULL)
        timeline_put(timeline, link, &to->job, settings, &place);
    if (link->rank == 0 && !written && file_directory(papi_mpi.file) != NULL)
        point_to_records("the ranks' figures are kept");
    if (link->rank == 0)
        print_all(&to->job, place.kind == PLACE_NONE ? NULL : place.file, settings, link->directory);
    return written ? 0 : 1;
}

static void job_end(void)
{
    struct job_link *link = papi_mpi.link;
    if (link == NULL)
        return;
    carrier_stop();
    rank_end();
    if (papi_mpi.settings.node_devices)
        node_devices_end(link);
    papi_mpi.link = NULL;
    struct collection *to = calloc(1, sizeof *to);
    int failed = report(link, to);
    if (failed < 0 && link->rank == 0) {
        point_to_records("the ranks' figures could not be brought together");
        print_all(NULL, NULL, &papi_mpi.settings, "");
    }
    if (to != NULL) {
        free(to->job.frame);
        free(to->job.late);
    }
    free(to);
    carrier_end();
    link_free(link);
    if (!failed)
        rank_done();
}

void before_init(void)
{
    presence_show();
    rank_first_moment();
}

/* Begins the job, also without memory for tables: other ranks wait for this one. */
static void begin(MPI_Comm world)
{
    papi_mpi.tables = tables_make(world);
    papi_mpi.meets_in = (uintptr_t)world;
    job_begin(world, papi_mpi.tables != NULL);
    if (papi_mpi.tables) {
        call_begin_comms();
        call_measure();
        site_note_program();
    }
}

void after_init(void)
{
    if (!papi_mpi.tables) /* of sessions before */
        begin(MPI_COMM_WORLD);
}

/* ---- MPI-4's sessions */

#ifdef PMPI_Session_init

/* Number of ranks; 0: MPI does not say. */
static int world_size(void)
{
    MPI_Session session;
    MPI_Group all;
    int ranks = 0;
    if (PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS)
        return 0;
    if (PMPI_Group_from_session_pset(session, "mpi://WORLD", &all) == MPI_SUCCESS) {
        PMPI_Group_size(all, &ranks);
        PMPI_Group_free(&all);
    }
    PMPI_Session_finalize(&session);
    return ranks;
}

void after_session(void)
{
    papi_mpi.sessions++;
    papi_mpi.had_sessions = 1;
}

void after_group_comm(MPI_Comm made)
{
    int ranks = 0;
    MPI_Comm world;
    if (papi_mpi.tables || papi_mpi.sessions == 0 || made == MPI_COMM_NULL)
        return;
    PMPI_Comm_size(made, &ranks);
    if (ranks != world_size() || PMPI_Comm_dup(made, &world) != MPI_SUCCESS)
        return;
    begin(world);
    if (atomic_load(&papi_mpi.following) & FOLLOW_PATH)
        carrier_made(made);
}

void before_session_end(void)
{
    if (--papi_mpi.sessions == 0 && papi_mpi.tables && papi_mpi.tables->world != MPI_COMM_WORLD)
        before_finalize();
}

#endif

/* ---- the end */

/* MPI's Fortran function calls the C function: the first of them has done it. Whatever call the thread left
 * without an end, the other ranks wait for this one. */
void before_finalize(void)
{
    struct call_tables *tables = papi_mpi.tables;
    if (!tables || tables->ended)
        return;
    mpi_thread.outermost = UINTPTR_MAX; /* the calls that follow are our own */
    job_end();
    tables_end(tables);
    mpi_thread.outermost = 0;
}

/* Tells, at the end of a program that used MPI, that none of its calls came to this library. */
static __attribute__((destructor)) void say_unseen(void)
{
    int initialized = 0;
    __typeof__(PMPI_Initialized) is_initialized = PMPI_Initialized;
    if (papi_mpi.tables || atomic_load(&papi_mpi.told) || !is_initialized)
        return;
    is_initialized(&initialized);
    settings_read(&papi_mpi.settings);
    if ((!initialized && !papi_mpi.had_sessions) || presence_rank() > 0 || papi_mpi.settings.off ||
        strcmp(papi_mpi.settings.report, "none") == 0)
        return;
    fprintf(stderr, "papi_mpi: nothing was measured: %s\n",
            papi_mpi.had_sessions
                ? "the program's sessions made no communicator of all ranks"
                : "the program reached its MPI past this library, by dlsym from the MPI library itself (look "
                  "functions up in RTLD_DEFAULT instead) or by calls of its own named MPI_*");
}
