/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work of devices below the lines that launched it.
 *
 * The stack of a launch ends inside the vendor's runtime. Its libraries are left out by their names. Where it
 * is linked into the program, and where the compiler has made a function of the host's for a kernel, these
 * are left out by theirs: whoever looks for the launch wants the line of his own code.
 */
#include "replay_devices.h"
#include "formats/device_activity.h"
#include "routine_names.h"
#include "tools/common/allocate.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A number in the file of one process. */
struct number_key {
    uint32_t pid, file;
    int32_t number;
};

struct piece {
    struct number_key device;
    int node;
    char *name;
    uint64_t ns;
    struct device_sum sum;
};

static struct number_key key_of(const struct launch_head *head, int32_t number)
{
    return (struct number_key){head->pid, head->file, number};
}

/* ---- records */

bool replay_devices_is_whole(const struct perf_event_header *header)
{
    const struct launch_stack *stack = (const void *)header;
    const struct launch_work *work = (const void *)header;
    size_t size = header->size, tail = sizeof(struct launch_tail);
    switch (header->type) {
    case LAUNCH_STACK:
        return size >= sizeof *stack + tail && stack->n <= LAUNCH_CALLS &&
               size == sizeof *stack + stack->n * sizeof *stack->address + tail;
    case LAUNCH_WORK:
        return size > sizeof *work + tail && work->kind >= 0 && work->kind < WORK_KINDS && work->times > 0 &&
               work->times <= INT64_MAX && work->bytes <= INT64_MAX && work->ns <= INT64_MAX &&
               work->least <= work->most && work->most <= work->ns &&
               memchr(work->name, '\0', size - sizeof *work - tail) != NULL;
    case LAUNCH_DEVICE:
        return size == sizeof(struct launch_device) + tail;
    case LAUNCH_END:
        return size == sizeof(struct launch_end) + tail;
    case LAUNCH_REFUSED:
        return size == sizeof(struct launch_refused) + tail;
    case LAUNCH_BEGUN:
        return size == sizeof(struct launch_begun) + tail;
    default:
        return false;
    }
}

/* The number of a key; new: it was not there before. */
static int number_of(struct index *index, const struct number_key *key, bool *new)
{
    int before = index->n, number = index_of(index, key, sizeof *key);
    *new = index->n > before;
    return number;
}

/* ---- where */

bool replay_devices_is_runtime(const char *path)
{
    static const char *const names[] = {"libpapi_launches.",
                                        "libpapi_activity.",
                                        "libpapi_level_zero.",
                                        "libcuda.",
                                        "libcudart.",
                                        "libcupti.",
                                        "libnvidia-",
                                        "libamdhip64.",
                                        "libhsa-runtime64",
                                        "librocprofiler-",
                                        "libhiprtc.",
                                        "libze_",
                                        "libsycl.",
                                        "libur_",
                                        "libpi_level_zero.",
                                        "libomptarget."};
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* True for a routine of the runtime that is linked into the program, and of what the compiler makes. */
static bool is_of_runtime(const char *name, bool has_line)
{
    static const char *const prefixes[] = {"libcudart_static_", "cudart::", "__cudaLaunch", "__cudaPushCall",
                                           "__hipPushCall"};
    bool call = (strncmp(name, "cuda", 4) == 0 && isupper((unsigned char)name[4])) ||
                (strncmp(name, "hip", 3) == 0 && isupper((unsigned char)name[3]));
    if (strncmp(name, "__device_stub_", 14) == 0 || strncmp(name, "sycl::", 6) == 0)
        return true; /* SYCL's templates have the lines of its headers */
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return !has_line;
    return !has_line && call &&
           (strstr(name, "Launch") != NULL || strstr(name, "emcpy") != NULL || strstr(name, "emset") != NULL);
}

static const char *name_at(const struct profile *profile, int node, bool *has_line)
{
    const struct place *place = profile_place_at(profile, profile_node_at(profile, node)->place);
    *has_line = place->line > 0;
    return profile_text(profile, profile_routine_at(profile, place->routine)->name);
}

/* The node of the program's own code that launches a kernel of this name, at a node or around it. */
static int launching_node(const struct profile *profile, int node, const char *kernel)
{
    bool has_line;
    while (node != PROFILE_NONE) {
        const char *name = name_at(profile, node, &has_line);
        if (!is_of_runtime(name, has_line) && (kernel[0] == '\0' || strcmp(name, kernel) != 0))
            break;
        node = profile_node_at(profile, node)->parent;
    }
    return node;
}

void replay_devices_stack(struct replay_devices *devices, const struct launch_stack *record, int node)
{
    struct number_key key = key_of(&record->head, record->stack);
    bool new;
    int number = number_of(&devices->stacks, &key, &new);
    if (new)
        MEMORY_ONE_MORE(devices->node, number, devices->node_room);
    devices->node[number] = node;
}

/* ---- what */

static void take_work(struct replay_devices *devices, const struct launch_work *record)
{
    struct number_key stack = key_of(&record->head, record->stack);
    int number = index_find(&devices->stacks, &stack, sizeof stack);
    MEMORY_ONE_MORE(devices->piece, devices->n_pieces, devices->piece_room);
    devices->piece[devices->n_pieces++] = (struct piece){
        .device = key_of(&record->head, record->device),
        .node = number >= 0 ? devices->node[number] : PROFILE_NONE,
        .name = name_of_symbol(record->name),
        .ns = record->ns,
        .sum = {record->kind, record->times, record->least, record->most, record->bytes},
    };
}

static void take_device(struct replay_devices *devices, const struct launch_device *record)
{
    struct number_key key = key_of(&record->head, record->device);
    bool new, named = record->name[0] != '\0', placed = record->address[0] != '\0';
    int number = number_of(&devices->devices, &key, &new);
    if (new)
        MEMORY_ONE_MORE(devices->object, number, devices->object_room);
    char *text = memory_print("[device %d%s%.*s%s%.*s]", record->number, named ? ": " : "",
                              (int)sizeof record->name - 1, record->name, placed ? ", " : "",
                              (int)sizeof record->address - 1, record->address);
    devices->object[number] = profile_string(devices->profile, text);
    free(text);
}

static void take_end(struct replay_devices *devices, const struct launch_end *record)
{
    struct profile_devices *of = &devices->profile->devices;
    of->dropped = profile_sum(of->dropped, record->dropped);
    of->unfinished = profile_sum(of->unfinished, record->unfinished);
}

/* Forgets what a process noted before it knew that it is not to be used. */
static void forget(struct replay_devices *devices, const struct launch_head *head)
{
    int n = 0;
    for (int i = 0; i < devices->n_pieces; i++) {
        struct piece *piece = &devices->piece[i];
        if (piece->device.pid == head->pid && piece->device.file == head->file)
            free(piece->name);
        else
            devices->piece[n++] = *piece;
    }
    devices->n_pieces = n;
}

static void take_refusal(struct replay_devices *devices, const struct launch_refused *record)
{
    struct profile_devices *of = &devices->profile->devices;
    if (record->whole != 0)
        forget(devices, &record->head);
    if (of->why == NULL)
        of->why = memory_print("devices of process %u are not recorded: %.*s", record->head.pid,
                               (int)sizeof record->text - 1, record->text);
}

void replay_devices_take(struct replay_devices *devices, const struct perf_event_header *header)
{
    switch (header->type) {
    case LAUNCH_WORK:
        take_work(devices, (const void *)header);
        break;
    case LAUNCH_DEVICE:
        take_device(devices, (const void *)header);
        break;
    case LAUNCH_END:
        take_end(devices, (const void *)header);
        break;
    case LAUNCH_REFUSED:
        take_refusal(devices, (const void *)header);
        break;
    default:
        break;
    }
}

/* ---- the profile */

static int object_of(const struct replay_devices *devices, const struct number_key *device)
{
    int number = index_find(&devices->devices, device, sizeof *device);
    if (number >= 0)
        return devices->object[number];
    char *text = memory_print("[device %d]", device->number);
    int object = profile_string(devices->profile, text);
    free(text);
    return object;
}

static int add_node(struct profile *profile, int parent, const char *name, int object)
{
    struct routine routine = {.name = profile_string(profile, name), .object = object, .file = PROFILE_NONE};
    struct place place = {.routine = profile_routine(profile, &routine), .file = PROFILE_NONE};
    struct node node = {.parent = parent, .place = profile_place(profile, &place)};
    return profile_node(profile, &node);
}

static void put_piece(const struct replay_devices *devices, const struct piece *piece, int event)
{
    static const char *const copies[WORK_KINDS] = {
        [WORK_KERNEL] = "(kernel without a name)",
        [WORK_COPY_IN] = "(copy to the device)",
        [WORK_COPY_OUT] = "(copy to the host)",
        [WORK_COPY_ON] = "(copy on the device)",
        [WORK_COPY_OVER] = "(copy to another device)",
        [WORK_COPY] = "(copy)",
        [WORK_SET] = "(memory set)",
    };
    struct profile *profile = devices->profile;
    const char *name = piece->name[0] != '\0' ? piece->name : copies[piece->sum.kind];
    int parent = launching_node(profile, piece->node, piece->name);
    if (parent == PROFILE_NONE)
        parent = add_node(profile, PROFILE_NONE, LAUNCH_UNSEEN, profile_string(profile, "[devices]"));
    int node = add_node(profile, parent, name, object_of(devices, &piece->device));
    profile_count(profile, node, event, piece->ns);
    profile_add_device_work(profile, node, &piece->sum);
}

void replay_devices_end(struct replay_devices *devices)
{
    int event = devices->n_pieces > 0 ? profile_device_event(devices->profile) : PROFILE_NONE;
    for (int i = 0; i < devices->n_pieces; i++) {
        if (event != PROFILE_NONE)
            put_piece(devices, &devices->piece[i], event);
        free(devices->piece[i].name);
    }
    free(devices->piece);
    free(devices->node);
    free(devices->object);
    index_free(&devices->stacks);
    index_free(&devices->devices);
}
