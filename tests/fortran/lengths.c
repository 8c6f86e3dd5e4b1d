/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text lengths as compilers pass them and as none should: nothing beside the text is touched, and
 * nothing is read that is not there. The texts end where an unreadable page begins.
 */
#include <fcntl.h>
#include <papi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void papif_library_init_(int *check);
void papif_event_code_to_name_(int *code, char *name, int *check, size_t name_len);
void papif_event_name_to_code_(char *name, int *code, int *check, size_t name_len);
void papif_strerror_(int *code, char *text, int *check, size_t text_len);
void papif_perror_(int *code, char *text, int *check, size_t text_len);

/* PAPIF_perror(msg) as a Fortran call without an interface passes it */
typedef void perror_msg(const char *msg, size_t msg_len);

static int failed;

static void require(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "FAIL: %s\n", what);
    failed++;
}

/* size bytes that end at a page nobody may touch */
static char *at_the_edge(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + page, page, PROT_NONE);
    return pages + page - size;
}

static void texts_out(void)
{
    int code = PAPI_TOT_CYC, check = -99;
    char *text = at_the_edge(20);
    memset(text, '#', 20);
    papif_event_code_to_name_(&code, text, &check, 20);
    require(check == PAPI_OK && memcmp(text, "PAPI_TOT_CYC        ", 20) == 0, "a text of 20");
    memset(text, '#', 20);
    if (sizeof(size_t) > sizeof(int)) {
        papif_event_code_to_name_(&code, text, &check, (size_t)(0xdeadbeefULL << 32 | 20));
        require(memcmp(text, "PAPI_TOT_CYC        ", 20) == 0, "a length passed as int, rubbish above it");
    }
    for (int bits = 25; bits <= 8 * (int)sizeof(size_t); bits++) {
        size_t length = SIZE_MAX >> (8 * (int)sizeof(size_t) - bits);

        memset(text, '#', 20);
        papif_event_code_to_name_(&code, text, &check, length);
        require(text[0] == '#' && text[19] == '#', "an absurd length is not a length");
    }
    papif_event_code_to_name_(&code, text, &check, 0);
    require(check == PAPI_EBUF && text[0] == '#', "no length");
    code = 4711;
    papif_strerror_(&code, text, &check, 3);
    require(check == PAPI_EINVAL && memcmp(text, "   #", 4) == 0, "blanks on an error");
}

static void texts_in(void)
{
    static const char name[] = "PAPI_TOT_CYC";
    int code = 0, check = -99;
    char *text = at_the_edge(sizeof name);
    memcpy(text, name, sizeof name);
    papif_event_name_to_code_(text, &code, &check, sizeof name - 1);
    require(check == PAPI_OK && code == PAPI_TOT_CYC, "a name");
    papif_event_name_to_code_(text, &code, &check, 4000);
    require(check == PAPI_OK && code == PAPI_TOT_CYC, "too great a length, but a null byte");
    papif_event_name_to_code_(text, &code, &check, SIZE_MAX);
    require(check != PAPI_OK, "an absurd length is not a text");
    papif_event_name_to_code_(text, &code, &check, SIZE_MAX / 2 + 1);
    require(check != PAPI_OK, "an absurd length is not a text");
}

/* The length of what a call prints on stderr, the start of which is put into into. */
static size_t printed(char *into, size_t size, const char *msg, size_t length)
{
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);
    void (*volatile form)(void) = (void (*)(void))papif_perror_;
    size_t n;

    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    ((perror_msg *)form)(msg, length);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    n = fread(into, 1, size - 1, file);
    fclose(file);
    into[n] = '\0';
    return n;
}

static void perrors(void)
{
    char said[2048], text[40];
    int code = PAPI_ENOEVST, check = -99;
    require(printed(said, sizeof said, "here##", 4) > 4, "the short form prints");
    require(strncmp(said, "here", 4) == 0 && !strstr(said, "##"), "the message and its length");
    require(printed(said, sizeof said, "##", 0) > 0 && !strstr(said, "##"), "a message of no length");
    memset(text, '#', sizeof text);
    papif_perror_(&code, text, &check, 20);
    require(check == PAPI_OK && text[0] != '#' && text[20] == '#', "the long form fills the text");
}

int main(void)
{
    int check = PAPI_VER_CURRENT;
    papif_library_init_(&check);
    require(check == PAPI_VER_CURRENT, "papif_library_init");
    texts_out();
    texts_in();
    perrors();
    printf("%d failures\n", failed);
    return failed > 0;
}
