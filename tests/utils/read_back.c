/* SPDX-License-Identifier: BSD-3-Clause
 *
 * read_back FILE NAME...: PAPI_encode_events of a file; then the definition of each event, a line of the
 * fields NAME DERIVED POSTFIX NATIVE... with tabs between them.
 */
#include <papi.h>
#include <stdio.h>

static int print_definition(const char *name)
{
    PAPI_event_info_t info;
    int code, error = PAPI_event_name_to_code(name, &code);
    if (error == PAPI_OK)
        error = PAPI_get_event_info(code, &info);
    if (error != PAPI_OK) {
        fprintf(stderr, "%s: %s\n", name, PAPI_strerror(error));
        return 1;
    }
    printf("%s\t%s\t%s", info.symbol, info.derived, info.postfix);
    for (int i = 0; i < PAPI_MAX_INFO_TERMS && info.name[i][0] != '\0'; i++)
        printf("\t%s", info.name[i]);
    putchar('\n');
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    if (argc < 2 || PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return 2;
    int error = PAPI_encode_events(argv[1], 1);
    if (error != PAPI_OK) {
        fprintf(stderr, "PAPI_encode_events: %s\n", PAPI_strerror(error));
        return 1;
    }
    for (int i = 2; i < argc; i++)
        failed |= print_definition(argv[i]);
    return failed;
}
