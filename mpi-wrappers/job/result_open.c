/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/result_file.h"

#include "base/trust.h"
#include "tools/common/tool_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A whole result without its rows has some 100 KB, and one with the rows of 16,384 ranks that another
 * program wrote anew some 20 MB; a tree of JSON values needs up to 25 times as much memory. */
static const long long most_bytes = 32LL << 20;

/* End of what job_write_head writes. */
static const char before_rows[] = "\n  \"rows\": [\n";

const char *source_open(struct source *source, const char *file)
{
    struct stat status;
    const char *why;
    *source = (struct source){.file = input_open(file, &why), .line = 1};
    if (source->file != NULL) {
        bool known = fstat(fileno(source->file), &status) == 0;
        source->skips = known && S_ISREG(status.st_mode);
        source->foreign = !known || !trust_contents(&status);
    }
    return why;
}

static bool is_row(const char *block, size_t length)
{
    return block[0] == '{' && memchr(block, '\n', length) == block + length - 1;
}

static void skip_rows(struct source *source)
{
    char *block = NULL;
    size_t room = 0;
    source->skips = false;
    source->rows = ftello(source->file);
    source->rows_line = source->line;
    ssize_t length = getline(&block, &room, source->file); /* that all others have, too */
    if (length >= JOB_ROW_LEAST && is_row(block, (size_t)length)) {
        source->row_length = (size_t)length;
        do
            source->n_rows++;
        while (fread(block, source->row_length, 1, source->file) == 1 && is_row(block, source->row_length));
    }
    free(block);
    off_t after = source->rows + (off_t)source->n_rows * (off_t)source->row_length;
    if (source->rows < 0 || fseeko(source->file, after, SEEK_SET) != 0)
        source->failed = true;
}

size_t source_read(void *buffer, size_t size, void *data)
{
    struct source *source = data;
    unsigned char *to = buffer;
    size_t n = 0;
    int c;
    source->too_big = source->bytes > most_bytes;
    if (source->too_big || source->failed)
        return (size_t)-1;
    while (n < size && (c = getc_unlocked(source->file)) != EOF) {
        to[n++] = (unsigned char)c;
        source->line += c == '\n';
        if (c != before_rows[source->matched])
            source->matched = c == before_rows[0];
        else
            source->matched++;
        if (before_rows[source->matched] == '\0') {
            source->matched = 0;
            if (source->skips)
                skip_rows(source);
        }
    }
    source->bytes += (long long)n;
    source->failed = source->failed || ferror(source->file);
    return source->failed ? (size_t)-1 : n;
}

size_t source_row(struct source *source, long long i, char *text)
{
    if (i >= source->n_rows || (i == 0 && fseeko(source->file, source->rows, SEEK_SET) != 0) ||
        fread(text, source->row_length, 1, source->file) != 1)
        return 0;
    size_t length = source->row_length - 1;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    return length > 0 && text[length - 1] == ',' ? length - 1 : length;
}

int source_line(const struct source *source, int parsed)
{
    return source->n_rows > 0 && parsed >= source->rows_line ? parsed + (int)source->n_rows : parsed;
}
