/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "components/file_group.h"
#include "papi.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lists the entries of a folder that begin with a prefix, by name and number. Returns their number; -1 with
 * errno. */
static int list_folder(const char *root, const char *folder, const char *prefix, struct dirent ***entry)
{
    char path[PATH_MAX];
    int kept = 0, n = -1;
    if (sysroot_path(root, folder, path, sizeof path) == 0)
        n = scandir(path, entry, NULL, versionsort);
    for (int i = 0; i < n; i++) {
        const char *name = (*entry)[i]->d_name;
        if (name[0] != '.' && strncmp(name, prefix, strlen(prefix)) == 0)
            (*entry)[kept++] = (*entry)[i];
        else
            free((*entry)[i]);
    }
    return n < 0 ? -1 : kept;
}

int files_each(const char *root, const char *folder, const char *prefix,
               int (*visit)(void *context, const char *entry, struct reason *why), void *context,
               struct reason *why)
{
    struct dirent **entry = NULL;
    int code = PAPI_OK, n = list_folder(root, folder, prefix, &entry);
    if (n < 0)
        return error_passes(errno) ? reason_unreadable(folder, why) : PAPI_OK;
    for (int i = 0; i < n; i++) {
        code = code ?: visit(context, entry[i]->d_name, why);
        free(entry[i]);
    }
    free(entry);
    return code;
}

int files_lines(const char *root, const char *path,
                int (*visit)(void *context, char *line, struct reason *why), void *context,
                struct reason *why)
{
    char *line = NULL;
    size_t size = 0;
    int code = PAPI_OK;
    FILE *file = sysroot_open(root, path);
    if (file == NULL)
        return error_passes(errno) ? reason_unreadable(path, why) : PAPI_OK;
    errno = 0;
    while (code == PAPI_OK && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        code = visit(context, line, why);
        errno = code == PAPI_OK ? 0 : errno;
    }
    if (code == PAPI_OK && error_passes(errno)) /* this was not its end */
        code = reason_unreadable(path, why);
    free(line);
    fclose(file);
    return code;
}

static int is_there(const char *root, const char *file, struct reason *why)
{
    char path[PATH_MAX];
    if (sysroot_path(root, file, path, sizeof path) == 0 && access(path, F_OK) == 0)
        return 1;
    return error_passes(errno) ? reason_unreadable(file, why) : 0;
}

int files_add(const struct files_list *to, const struct component_event *row, const char *folder,
              const char *name, const char *subject, struct reason *why)
{
    char file[PATH_MAX], range_file[PATH_MAX], rate_file[PATH_MAX], description[PAPI_2MAX_STR_LEN];
    struct component_event event = *row;
    const char *place = strstr(row->description, "%s");
    int before = place != NULL ? (int)(place - row->description) : (int)strlen(row->description);
    snprintf(file, sizeof file, "%s%s", folder, row->file);
    snprintf(range_file, sizeof range_file, "%s%s", folder, row->range_file ? row->range_file : "");
    snprintf(rate_file, sizeof rate_file, "%s%s", folder, row->rate_file ? row->rate_file : "");
    snprintf(description, sizeof description, "%.*s%s%s", before, row->description,
             place != NULL ? subject : "", place != NULL ? place + 2 : "");
    event.name = name;
    event.description = description;
    event.file = file;
    event.range_file = row->range_file != NULL ? range_file : NULL;
    event.rate_file = row->rate_file != NULL ? rate_file : NULL;
    int there = is_there(to->root, file, why);
    return there > 0 ? event_list_add(to->list, &event, why) : there;
}

int files_add_rows(const struct files_list *to, const struct component_event *row, int n, const char *folder,
                   const char *subject, struct reason *why)
{
    char name[PAPI_MIN_STR_LEN];
    int code = PAPI_OK;
    for (int i = 0; i < n && code == PAPI_OK; i++) {
        snprintf(name, sizeof name, "%s:%s", subject, row[i].name);
        code = files_add(to, &row[i], folder, name, subject, why);
    }
    return code;
}

void files_discover(struct pmu_table *pmus, struct component_state *state, const char *folder,
                    const char *prefix, const char *what)
{
    struct reason *why = &state->disabled;
    struct dirent **entry = NULL;
    int n = list_folder(pmus->root, folder, prefix, &entry), error = errno;
    for (int i = 0; i < n; i++)
        free(entry[i]);
    free(entry);
    errno = error;
    if (n < 0 && (errno == ENOENT || errno == ENOTDIR))
        reason_set(why, PAPI_ENOSUPP, "there is no %s, where the kernel shows %s", folder, what);
    else if (n < 0)
        reason_set(why, error_passes(errno) ? PAPI_ESYS : PAPI_EPERM,
                   "%s, where the kernel shows %s, cannot be read: %s", folder, what, strerror(errno));
    else if (n == 0)
        reason_set(why, PAPI_ENOSUPP, "there is nothing%s%s in %s, where the kernel shows %s",
                   prefix[0] != '\0' ? " named " : "", prefix, folder, what);
}
