/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/figure.h"
#include "report/sheet.h"
#include "report/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define append(text, ...) figure_append(text, VERDICT_ROOM, __VA_ARGS__)

/* "takes 35 % of the time"; where several threads call MPI at a time, their sum is no part of it. */
static void say_share(char text[VERDICT_ROOM], const struct job *job, const struct job_place *place)
{
    bool of_time = job->threads <= 1 || (place->site >= 0 && job->thread_ranks == job->present);
    if (!of_time)
        append(text, " takes %s of all threads", figure((double)place->ns, "ns").text);
    else
        append(text, " takes %s of the time", figure_whole_percent(place->share).text);
}

/* Says what would give the place its line; of a place in a library, which does not help much, the program's.
 */
static void say_hint(char text[VERDICT_ROOM], const struct job *job, const struct job_site *site)
{
    bool of_program =
        strcmp(figure_base_name(job->object[site->object].path), figure_base_name(job->program)) == 0;
    if (job->foreign)
        return;
    if (of_program && (site->frames == 0 || job->frame[site->first_frame].line == 0))
        append(text, " (with -g, the report has its line)");
    else if (!of_program && job->sites_mode == SITES_CALLS)
        append(text, " (PAPI_MPI_SITES=program has the program's own line)");
}

static void say_site(char text[VERDICT_ROOM], const struct job *job, const struct job_place *place)
{
    const struct job_site *site = &job->site[place->site];
    char where[SITE_TEXT], shown[4 * VERDICT_PLACE + 1];
    figure_name(shown, sizeof shown, site_phrase(where, job, site), VERDICT_PLACE);
    append(text, "%s %s", call_name[site->call], shown);
    say_share(text, job, place);
    struct job_file_rank lone;
    if (call_class[site->call] == CALLS_FILE && job_file_rank(job, &lone))
        append(text, ", on rank %llu alone", (unsigned long long)lone.rank);
    say_hint(text, job, site);
}

static void say_region(char text[VERDICT_ROOM], const struct job *job, const struct job_place *place)
{
    char name[4 * REGION_NAME + 1];
    figure_name(name, sizeof name, job->region[place->region].name, REGION_NAME);
    append(text, "Region %s", name);
    say_share(text, job, place);
    append(text, ", outside MPI");
}

/* Says whom ranks wait for in MPI_Finalize, which has no call site, if that takes longer than any place. */
static bool say_end_wait(char text[VERDICT_ROOM], const struct job *job, const struct job_place *first)
{
    const double worth_it = 0.01;
    double wait = job_end_wait(job), whole = job_whole_time(job);
    if (wait < worth_it * whole || job_efficiency(job).parallel >= JOB_IS_BUSY ||
        (first != NULL && (double)first->ns >= wait))
        return false;
    append(text, "MPI_Finalize takes %s of the time: ranks wait there for rank %llu, which comes last",
           figure_whole_percent(wait / whole).text,
           (unsigned long long)job->metric[METRIC_ELAPSED].largest[0].rank);
    return true;
}

/* Advice with the job's own command, after such words before its "-n 4". */
static void say_command(char text[VERDICT_ROOM], const struct job *job, const char *what,
                        const char *launcher)
{
    append(text, "%s%s: %s -n %llu %s", text[0] != '\0' ? ". " : "", what, launcher,
           (unsigned long long)job->ranks, figure_command(job));
}

/* Says what would tell where ranks wait for another job, which the critical path does not follow. A job that
 * was started by another one has no command of its own. */
static void say_timeline(char text[VERDICT_ROOM], const struct job *job)
{
    static const char what[] = "For the calls one after the other";
    if (job->spawned > 0)
        append(text, "%s%s: PAPI_MPI_TIMELINE=256k in the environment of the job that started this one",
               text[0] != '\0' ? ". " : "", what);
    else
        say_command(text, job, what, "PAPI_MPI_TIMELINE=256k papi_mpirun");
}

void verdict_place(char text[VERDICT_ROOM], const struct job *job)
{
    struct job_place place[JOB_PLACES];
    int n = job_places(job, place);
    text[0] = '\0';
    if (job->metric[METRIC_ELAPSED].count == 0 ||
        (isnan(job_efficiency(job).parallel) && !job_has_unseen(job)))
        return;
    bool at_end = say_end_wait(text, job, n > 0 && place[0].site >= 0 ? &place[0] : NULL);
    if (!at_end && n > 0 && place[0].site >= 0)
        say_site(text, job, &place[0]);
    else if (!at_end && n > 0)
        say_region(text, job, &place[0]);
    if (job_has_unseen(job))
        return;
    if (verdict_needs_path(job) && (job->spawned > 0 || job_meets_others(job)))
        say_timeline(text, job);
    else if (job->spawned > 0) /* no command starts it alone */
        return;
    else if (verdict_needs_path(job))
        say_command(text, job, "To tell waiting from transfer", "PAPI_MPI_PATH=1 papi_mpirun");
    else if (job_efficiency(job).parallel < JOB_IS_BUSY)
        return;
    else if (verdict_absent(job) || (verdict_displaced(job) && verdict_may_have_slept(job)))
        say_command(text, job, "For what they wait for", "papi_why mpirun");
    else if (job->n_regions == 0 && job->crowded == 0)
        say_command(text, job, "For the lines that take the time", "papi_mpirun --profile=time.html");
}
