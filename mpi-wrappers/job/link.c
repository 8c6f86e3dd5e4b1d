/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way of a rank to the others of its job.
 *
 * All that is asked of all ranks at the start is one reduction of bits, which goes on while MPI makes the
 * communicator. Where all ranks say the same of their machine, each knows what there is to know. Otherwise
 * ranks find out who is on their machine by one exchange of names, as long as the list of all ranks is short.
 * MPI has a call for that (MPI_Comm_split_type), in which ranks that share processors wait for each other
 * again and again without giving way: sixteen ranks on two processors spend most of the start of an empty job
 * in there. So it is left to jobs of many ranks, whose lists would be long, and where MPI is told to take one
 * machine for several.
 */
#include "job/link.h"

#include "base/hash.h"
#include "base/sysroot.h"
#include "job/packed.h"
#include "job/tree.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_LISTED = 4096, /* ranks of a job that exchange where they are: 64 KB on each */
    NODE_TAG = 31418,
    SETS = sizeof(cpu_set_t) / sizeof(uint64_t)
};

/* Message of a rank to all others: where it is. */
struct whereabouts {
    uint64_t machine; /* a hash of its name and of its start */
    int32_t world;
    int32_t asks_mpi; /* 1: MPI knows better */
};

/* No program is likely to have the same tag in a call of the same function before MPI_Init has returned. */
enum { MEETING_TAG = 31417 };

MPI_Comm link_meet(MPI_Comm world, const int *absent, int n)
{
    MPI_Group all, present;
    MPI_Comm meeting = MPI_COMM_NULL;
    if (n == 0)
        return world;
    if (PMPI_Comm_group(world, &all) != MPI_SUCCESS)
        return MPI_COMM_NULL;
    if (PMPI_Group_excl(all, n, absent, &present) == MPI_SUCCESS) {
        if (PMPI_Comm_create_group(world, present, MEETING_TAG, &meeting) != MPI_SUCCESS)
            meeting = MPI_COMM_NULL;
        PMPI_Group_free(&present);
    }
    PMPI_Group_free(&all);
    return meeting;
}

static bool make_lists(struct job_link *link, size_t ranks)
{
    link->at = calloc(ranks, sizeof *link->at);
    link->members = calloc(ranks, sizeof *link->members);
    link->peers = calloc(ranks, sizeof *link->peers);
    return link->at != NULL && link->members != NULL && link->peers != NULL;
}

/* A machine is the same for all that runs on it, and another after its next start. The launcher has a process
 * of its own on each that it takes for one. */
static uint64_t machine_here(uint64_t launcher)
{
    char name[256] = "", start[64] = "";
    gethostname(name, sizeof name - 1);
    FILE *file = sysroot_open("", "/proc/sys/kernel/random/boot_id");
    if (file != NULL && fgets(start, sizeof start, file) == NULL)
        start[0] = '\0';
    if (file != NULL)
        fclose(file);
    return hash_text(name) ^ hash_text(start) * 3 ^ launcher * 5;
}

struct job_link *link_make(MPI_Comm meeting, uint64_t launcher)
{
    int ranks = 0;
    struct job_link *link = calloc(1, sizeof *link);
    if (link == NULL || meeting == MPI_COMM_NULL || PMPI_Comm_size(meeting, &ranks) != MPI_SUCCESS) {
        free(link);
        return NULL;
    }
    link->all = MPI_COMM_NULL;
    link->machine = machine_here(launcher);
    if (ranks <= MOST_LISTED && !make_lists(link, (size_t)ranks)) {
        link_free(link);
        return NULL;
    }
    if (getcwd(link->directory, sizeof link->directory) == NULL)
        link->directory[0] = '\0';
    return link;
}

void link_free(struct job_link *link)
{
    if (link == NULL)
        return;
    if (link->all != MPI_COMM_NULL)
        PMPI_Comm_free(&link->all);
    free(link->members);
    free(link->peers);
    free(link->at);
    free(link);
}

/* Looks a few times, and then sleeps, for longer and longer: a rank that waits without sleep takes the
 * processor of one that it waits for, where there are more of them than processors. */
static int link_wait_status(int begun, MPI_Request *request, MPI_Status *status)
{
    enum { LOOKS = 4, SHORTEST = 20000, LONGEST = 1000000 }; /* nanoseconds */
    __typeof__(PMPI_Test) test = PMPI_Test;
    struct timespec pause = {.tv_nsec = SHORTEST};
    int done = 0, code = begun;
    for (int looks = 0; code == MPI_SUCCESS; looks++) {
        code = test(request, &done, status);
        if (done)
            break;
        if (looks < LOOKS) {
            sched_yield();
            continue;
        }
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec < LONGEST / 2 ? 2 * pause.tv_nsec : LONGEST;
    }
    return code;
}

int link_wait(int begun, MPI_Request *request)
{
    return link_wait_status(begun, request, MPI_STATUS_IGNORE);
}

/* ---- the tree of all ranks */

int link_give(const struct job_link *link, const void *what, size_t bytes, int to)
{
    return LINK_WAIT(PMPI_Isend, what, (int)bytes, MPI_BYTE, to, NODE_TAG, link->all) == MPI_SUCCESS ? 0 : -1;
}

int link_take(const struct job_link *link, void *what, size_t bytes, int from)
{
    MPI_Request request;
    MPI_Status status;
    int n = 0, code = PMPI_Irecv(what, (int)bytes, MPI_BYTE, from, NODE_TAG, link->all, &request);
    if (link_wait_status(code, &request, &status) != MPI_SUCCESS ||
        PMPI_Get_count(&status, MPI_BYTE, &n) != MPI_SUCCESS)
        return -1;
    return n;
}

static int give(const struct job_link *link, const void *what, size_t bytes, int to, uint64_t *message)
{
    int failed = 0;
    if (message == NULL)
        return link_give(link, what, bytes, to);
    for (size_t at = 0; at < bytes / sizeof *message && !failed;) {
        size_t n = packed_put(what, bytes, &at, message, LINK_MESSAGE);
        failed = link_give(link, message, n * sizeof *message, to);
    }
    return failed;
}

/* Receives what give sends. What is packed goes where all is zero. */
static int take(const struct job_link *link, void *what, size_t bytes, int from, uint64_t *message)
{
    if (message == NULL)
        return link_take(link, what, bytes, from) == (int)bytes ? 0 : -1;
    for (size_t at = 0; at < bytes / sizeof *message;) {
        int n = link_take(link, message, LINK_MESSAGE * sizeof *message, from);
        if (n <= 0 || packed_take(what, bytes, &at, message, (size_t)n / sizeof *message) != 0)
            return -1;
    }
    return 0;
}

int link_up(const struct job_link *link, void *own, void *scratch, size_t bytes, link_merge_function *merge,
            uint64_t *message)
{
    int child[TREE_MOST], children = tree_children(link->rank, link->ranks, child);
    for (int i = 0; i < children; i++) {
        if (take(link, scratch, bytes, child[i], message) != 0)
            return -1;
        merge(own, scratch);
        packed_clear(scratch, bytes);
    }
    return link->rank == 0 ? 0 : give(link, own, bytes, tree_parent(link->rank), message);
}

/* The child with most below it comes first. */
int link_down(const struct job_link *link, void *what, size_t bytes, uint64_t *message)
{
    int child[TREE_MOST], children = tree_children(link->rank, link->ranks, child);
    if (link->rank > 0) {
        if (message != NULL)
            packed_clear(what, bytes);
        if (take(link, what, bytes, tree_parent(link->rank), message) != 0)
            return -1;
    }
    for (int i = children - 1; i >= 0; i--)
        if (give(link, what, bytes, child[i], message) != 0)
            return -1;
    return 0;
}

static void keep_least(void *into, const void *from)
{
    const int64_t *other = from;
    int64_t *least = into;
    *least = *other < *least ? *other : *least;
}

int link_least(const struct job_link *link, int mine)
{
    int64_t least = mine, other = 0;
    if (link_up(link, &least, &other, sizeof least, keep_least, NULL) != 0 ||
        link_down(link, &least, sizeof least, NULL) != 0)
        return 0;
    return (int)least;
}

/* ---- the ranks of a node */

static void merge_words(uint64_t *into, const uint64_t *from, int n, enum link_merge how)
{
    for (int i = 0; i < n; i++)
        if (how == LINK_SUM)
            into[i] += from[i];
        else
            into[i] |= from[i];
}

static int send(const struct job_link *link, const void *what, size_t bytes, int to)
{
    return give(link, what, bytes, link->peers[to], NULL);
}

static int receive(const struct job_link *link, void *what, size_t bytes, int from)
{
    return take(link, what, bytes, link->peers[from], NULL);
}

int link_merge_node(const struct job_link *link, const uint64_t *own, uint64_t *merged, int n,
                    enum link_merge how)
{
    uint64_t other[LINK_MOST_MERGED];
    int child[TREE_MOST], children = tree_children(link->node_rank, link->node_ranks, child);
    if (n > LINK_MOST_MERGED)
        return -1;
    memcpy(merged, own, (size_t)n * sizeof *own);
    for (int i = 0; i < children; i++) {
        if (receive(link, other, (size_t)n * sizeof *other, child[i]) != 0)
            return -1;
        merge_words(merged, other, n, how);
    }
    return link->node_rank == 0
               ? 0
               : send(link, merged, (size_t)n * sizeof *merged, tree_parent(link->node_rank));
}

int link_up_node(const struct job_link *link, void *own, void *scratch, size_t bytes,
                 link_merge_function *merge)
{
    int child[TREE_MOST], children = tree_children(link->node_rank, link->node_ranks, child);
    for (int i = 0; i < children; i++) {
        if (receive(link, scratch, bytes, child[i]) != 0)
            return -1;
        merge(own, scratch);
    }
    return link->node_rank == 0 ? 0 : send(link, own, bytes, tree_parent(link->node_rank));
}

/* The child with most below it comes first. */
int link_down_node(const struct job_link *link, void *what, size_t bytes)
{
    int child[TREE_MOST], children = tree_children(link->node_rank, link->node_ranks, child);
    if (link->node_rank > 0 && receive(link, what, bytes, tree_parent(link->node_rank)) != 0)
        return -1;
    for (int i = children - 1; i >= 0; i--)
        if (send(link, what, bytes, child[i]) != 0)
            return -1;
    return 0;
}

static void processors_here(uint64_t set[SETS])
{
    cpu_set_t own;
    memset(set, 0, SETS * sizeof *set);
    if (sched_getaffinity(0, sizeof own, &own) == 0)
        memcpy(set, &own, sizeof own);
}

/* Counts the processors that the node's ranks may use together. */
static int count_processors(struct job_link *link)
{
    uint64_t set[SETS], together[SETS];
    processors_here(set);
    if (link_merge_node(link, set, together, SETS, LINK_OR) != 0)
        return -1;
    for (int i = 0; i < SETS; i++)
        link->processors += __builtin_popcountll(together[i]);
    return link_down_node(link, &link->processors, sizeof link->processors);
}

/* ---- by names */

/* MPICH can be told to take one machine for several. */
static int asks_mpi(void)
{
    return secure_getenv("MPIR_CVAR_NUM_CLIQUES") != NULL || secure_getenv("MPIR_CVAR_NOLOCAL") != NULL ||
           secure_getenv("MPIR_CVAR_ODD_EVEN_CLIQUES") != NULL;
}

/* Numbers the machines in the order of their first ranks. */
static void number_nodes(struct job_link *link)
{
    for (int i = 0; i < link->ranks; i++) {
        bool first = true;
        for (int k = 0; k < i && first; k++)
            first = link->at[k].machine != link->at[i].machine;
        if (first && link->at[i].machine == link->at[link->rank].machine)
            link->node_number = link->nodes;
        link->nodes += first;
    }
}

static void list_members(struct job_link *link)
{
    for (int i = 0; i < link->ranks; i++) {
        if (link->at[i].machine != link->at[link->rank].machine)
            continue;
        link->node_rank = i == link->rank ? link->node_ranks : link->node_rank;
        link->peers[link->node_ranks] = i;
        link->members[link->node_ranks++] = link->at[i].world;
    }
}

/* 1: it is found out; 0: MPI is to be asked; -1: MPI failed. */
static int find_by_names(struct job_link *link)
{
    const struct whereabouts own = {link->machine, link->world, asks_mpi()};
    if (link->ranks > MOST_LISTED)
        return 0;
    if (LINK_WAIT(PMPI_Iallgather, &own, sizeof own, MPI_BYTE, link->at, sizeof own, MPI_BYTE, link->all) !=
        MPI_SUCCESS)
        return -1;
    for (int i = 0; i < link->ranks; i++)
        if (link->at[i].asks_mpi)
            return 0;
    number_nodes(link);
    list_members(link);
    return 1;
}

/* ---- by MPI */

struct numbers {
    int world, all, node_number;
};

/* Exchanges the numbers of all ranks of the node; of has room for them. before: nodes before this one. */
static int exchange_numbers(struct job_link *link, MPI_Comm node, struct numbers *of, int before)
{
    const struct numbers own = {link->world, link->rank, before};
    if (LINK_WAIT(PMPI_Iallgather, &own, sizeof own, MPI_BYTE, of, sizeof own, MPI_BYTE, node) != MPI_SUCCESS)
        return -1;
    for (int i = 0; i < link->node_ranks; i++) {
        link->members[i] = of[i].world;
        link->peers[i] = of[i].all;
    }
    link->node_number = of[0].node_number;
    return 0;
}

/* Splits the ranks by what they can share memory in, and numbers the parts. */
static int find_by_mpi(struct job_link *link)
{
    MPI_Comm node;
    if (PMPI_Comm_split_type(link->all, MPI_COMM_TYPE_SHARED, link->rank, MPI_INFO_NULL, &node) !=
        MPI_SUCCESS)
        return -1;
    PMPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(node, &link->node_rank);
    PMPI_Comm_size(node, &link->node_ranks);
    struct numbers *of = calloc((size_t)link->node_ranks, sizeof *of);
    bool lists = link->members != NULL || make_lists(link, (size_t)link->node_ranks);
    int own[] = {link->node_rank == 0, of == NULL || !lists}, sum[] = {0, 0}, before = 0;
    int failed = LINK_WAIT(PMPI_Iexscan, own, &before, 1, MPI_INT, MPI_SUM, link->all) != MPI_SUCCESS ||
                 LINK_WAIT(PMPI_Iallreduce, own, sum, 2, MPI_INT, MPI_SUM, link->all) != MPI_SUCCESS ||
                 sum[1] > 0 ||
                 /* of rank 0 MPI_Exscan leaves it undefined */
                 exchange_numbers(link, node, of, link->rank == 0 ? 0 : before) != 0;
    link->nodes = sum[0];
    free(of);
    PMPI_Comm_free(&node);
    return failed ? -1 : 0;
}

/* ---- at the start */

/* The library's own words of link_agree, behind those of its caller: the machine and its complement, which
 * are what they are where all ranks have the same; all bits where MPI need not be asked; the complement of
 * the processors, of which all have what is left by none. */
enum { WORD_MACHINE, WORD_OTHER, WORD_BY_NAMES, WORD_PROCESSORS, OWN_WORDS = WORD_PROCESSORS + SETS };

static void own_words(uint64_t word[OWN_WORDS], uint64_t machine)
{
    uint64_t set[SETS];
    processors_here(set);
    word[WORD_MACHINE] = machine;
    word[WORD_OTHER] = ~machine;
    word[WORD_BY_NAMES] = asks_mpi() ? 0 : ~UINT64_C(0);
    for (int i = 0; i < SETS; i++)
        word[WORD_PROCESSORS + i] = ~set[i];
}

static void note_machine(struct job_link *link, const uint64_t word[OWN_WORDS])
{
    link->one_machine = word[WORD_MACHINE] == ~word[WORD_OTHER] && word[WORD_BY_NAMES] == ~UINT64_C(0);
    for (int i = 0; i < SETS && link->one_machine; i++)
        link->processors += __builtin_popcountll(~word[WORD_PROCESSORS + i]);
}

int link_agree(struct job_link *link, MPI_Comm meeting, const uint64_t *own, uint64_t *all, int n)
{
    enum { MOST = LINK_MOST_WORDS + OWN_WORDS };
    uint64_t mine[MOST] = {0}, agreed[MOST] = {0};
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request making, agreeing;
    memcpy(mine, own, (size_t)n * sizeof *own);
    own_words(mine + n, link != NULL ? link->machine : 0);
    int begun = PMPI_Comm_idup(meeting, &made, &making);
    int code = PMPI_Iallreduce(mine, agreed, n + OWN_WORDS, MPI_UINT64_T, MPI_BAND, meeting, &agreeing);
    code = link_wait(code, &agreeing);
    if (link_wait(begun, &making) != MPI_SUCCESS)
        made = MPI_COMM_NULL;
    if (link != NULL)
        link->all = made;
    else if (made != MPI_COMM_NULL)
        PMPI_Comm_free(&made);
    if (code != MPI_SUCCESS)
        return -1;
    memcpy(all, agreed, (size_t)n * sizeof *all);
    if (link != NULL)
        note_machine(link, agreed + n);
    return 0;
}

/* The ranks of MPI_COMM_WORLD that those of all are. */
static int list_world(struct job_link *link, MPI_Comm world)
{
    MPI_Group of_all, of_world;
    int failed = -1;
    for (int i = 0; i < link->ranks; i++)
        link->peers[i] = link->members[i] = i;
    if (link->ranks == link->worlds)
        return 0;
    if (PMPI_Comm_group(link->all, &of_all) != MPI_SUCCESS)
        return -1;
    if (PMPI_Comm_group(world, &of_world) == MPI_SUCCESS) {
        failed = PMPI_Group_translate_ranks(of_all, link->ranks, link->peers, of_world, link->members) ==
                         MPI_SUCCESS
                     ? 0
                     : -1;
        PMPI_Group_free(&of_world);
    }
    PMPI_Group_free(&of_all);
    return failed;
}

/* ---- all */

int link_connect(struct job_link *link, MPI_Comm world)
{
    if (link->all == MPI_COMM_NULL)
        return -1;
    PMPI_Comm_set_errhandler(link->all, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(link->all, &link->rank);
    PMPI_Comm_size(link->all, &link->ranks);
    PMPI_Comm_rank(world, &link->world);
    PMPI_Comm_size(world, &link->worlds);
    if (link->one_machine && link->ranks <= MOST_LISTED) {
        link->nodes = 1;
        link->node_rank = link->rank;
        link->node_ranks = link->ranks;
        return list_world(link, world);
    }
    link->processors = 0;
    int found = find_by_names(link);
    if (found < 0 || (found == 0 && find_by_mpi(link) != 0))
        return -1;
    return count_processors(link);
}
