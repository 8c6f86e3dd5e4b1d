/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "base/reason.h"
#include "base/text_rows.h"
#include "core/advice.h"
#include "core/resolve.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#undef PAPI_perror

struct error_text {
    char symbol[24], text[48];
};

/* Texts of errors, by the negative of the code. */
TEXT_ROWS_BEGIN
static const struct error_text errors[PAPI_NUM_ERRORS] = {
    [-PAPI_OK] = {"PAPI_OK", "No error"},
    [-PAPI_EINVAL] = {"PAPI_EINVAL", "Invalid argument"},
    [-PAPI_ENOMEM] = {"PAPI_ENOMEM", "Out of memory"},
    [-PAPI_ESYS] = {"PAPI_ESYS", "A system call failed"},
    [-PAPI_ECMP] = {"PAPI_ECMP", "Not supported by the component"},
    [-PAPI_ECLOST] = {"PAPI_ECLOST", "The counters were lost"},
    [-PAPI_EBUG] = {"PAPI_EBUG", "Internal error of the library"},
    [-PAPI_ENOEVNT] = {"PAPI_ENOEVNT", "The event cannot be counted"},
    [-PAPI_ECNFLCT] = {"PAPI_ECNFLCT", "The events cannot be counted together"},
    [-PAPI_ENOTRUN] = {"PAPI_ENOTRUN", "The event set is not running"},
    [-PAPI_EISRUN] = {"PAPI_EISRUN", "The event set is running"},
    [-PAPI_ENOEVST] = {"PAPI_ENOEVST", "No such event set"},
    [-PAPI_ENOTPRESET] = {"PAPI_ENOTPRESET", "No such preset event"},
    [-PAPI_ENOCNTR] = {"PAPI_ENOCNTR", "No hardware counters"},
    [-PAPI_EMISC] = {"PAPI_EMISC", "Unspecified error"},
    [-PAPI_EPERM] = {"PAPI_EPERM", "Permission denied"},
    [-PAPI_ENOINIT] = {"PAPI_ENOINIT", "The library is not initialised"},
    [-PAPI_ENOCMP] = {"PAPI_ENOCMP", "No such component"},
    [-PAPI_ENOSUPP] = {"PAPI_ENOSUPP", "Not supported"},
    [-PAPI_ENOIMPL] = {"PAPI_ENOIMPL", "Not implemented"},
    [-PAPI_EBUF] = {"PAPI_EBUF", "The buffer is too small"},
    [-PAPI_EINVAL_DOM] = {"PAPI_EINVAL_DOM", "The domain is not available"},
    [-PAPI_EATTR] = {"PAPI_EATTR", "Invalid event attributes"},
    [-PAPI_ECOUNT] = {"PAPI_ECOUNT", "Too many events"},
    [-PAPI_ECOMBO] = {"PAPI_ECOMBO", "The features cannot be combined"},
    [-PAPI_ECMP_DISABLED] = {"PAPI_ECMP_DISABLED", "The component is disabled"},
    [-PAPI_EDELAY_INIT] = {"PAPI_EDELAY_INIT", "The component is not initialised yet"},
    [-PAPI_EMULPASS] = {"PAPI_EMULPASS", "The event needs several passes"},
    [-PAPI_PARTIAL] = {"PAPI_PARTIAL", "The component is partly disabled"},
};
TEXT_ROWS_END

static const struct error_text *error_of(int code)
{
    return code <= 0 && code > -PAPI_NUM_ERRORS ? &errors[-code] : NULL;
}

static void print_error(int code)
{
    const struct error_text *error = error_of(code);
    int saved = errno;
    fprintf(stderr, "PAPI Error: Error Code %d, %s, %s", code, error ? error->symbol : "?",
            error ? PAPI_strerror(code) : "");
    if (code == PAPI_ESYS)
        fprintf(stderr, ": %s", strerror(saved));
    fputc('\n', stderr);
    errno = saved;
}

/* A handler may call the library: the error that it was called for stays the thread's last one, and
 * errors of its own are for itself. */
static void call_handler(PAPI_debug_handler_t handler, struct papi_thread *self, int code)
{
    char text[sizeof self->last_text];
    int saved = errno, advice = self->last_advice;
    memcpy(text, self->last_text, sizeof text);
    self->in_handler = 1;
    handler(code);
    self->in_handler = 0;
    memcpy(self->last_text, text, sizeof text);
    self->last_error = code;
    self->last_advice = advice;
    errno = saved;
}

static void tell_error(struct papi_thread *self, int code)
{
    PAPI_debug_handler_t handler = papi_library.debug_handler;
    if (handler == NULL)
        print_error(code);
    else if (!self->in_handler)
        call_handler(handler, self, code);
}

int api_failed(int code)
{
    struct papi_thread *self = thread_self();
    self->last_error = code;
    self->last_advice = self->why.fresh && self->why.code == code ? self->why.advice : 0;
    if (self->why.fresh && self->why.code == code)
        memcpy(self->last_text, self->why.text, sizeof self->last_text);
    else
        self->last_text[0] = '\0';
    self->why.fresh = 0;
    if (papi_library.debug != PAPI_QUIET && !self->quiet)
        tell_error(self, code);
    return code;
}

void api_tell(int code)
{
    if (papi_library.debug != PAPI_QUIET)
        tell_error(thread_self(), code);
}

int api_ready(void)
{
    if (library_ready())
        return PAPI_OK;
    return reason_set(api_why(), PAPI_ENOINIT, "PAPI_library_init has not been called");
}

int api_lock_if_ready(void)
{
    library_lock();
    int code = api_ready();
    if (code != PAPI_OK)
        library_unlock();
    return code;
}

int api_null(const char *what)
{
    return reason_set(api_why(), PAPI_EINVAL, "%s is NULL", what);
}

int api_component(int cidx)
{
    if (cidx >= 0 && cidx < component_count())
        return PAPI_OK;
    return reason_set(api_why(), PAPI_ENOCMP, "there is no component %d", cidx);
}

/* Adds the nearest name to the reason of one that does not exist. Not in a handler that has interrupted a
 * call of this thread which holds the library. */
static void add_nearest(const struct papi_thread *self, char *text, size_t size)
{
    struct nearest nearest;
    char near[NEAREST_TEXT];
    int error = errno;
    bool preset = strncasecmp(self->unknown, "PAPI_", 5) == 0;
    if (!library_ready() || lock_mine(&papi_library.lock))
        return;
    library_lock();
    event_nearest(self->unknown, &nearest);
    library_unlock();
    snprintf(text, size, "%s%s", nearest_text(&nearest, near), preset ? "; papi_avail lists them" : "");
    errno = error;
}

char *PAPI_strerror(int code)
{
    const struct error_text *error = error_of(code);
    struct papi_thread *self = thread_self();
    if (error == NULL)
        return NULL;
    if (code == PAPI_OK || code != self->last_error || self->last_text[0] == '\0')
        return (char *)error->text;
    int n = snprintf(self->error_text, sizeof self->error_text, "%s: %s", error->text, self->last_text);
    char *end = self->error_text + n;
    size_t room = sizeof self->error_text - (size_t)n;
    if ((self->last_advice & ADVICE_UNKNOWN) != 0)
        add_nearest(self, end, room);
    else
        advice_text(self->last_advice, end, room);
    return self->error_text;
}

void PAPI_perror(const char *msg)
{
    const char *text = PAPI_strerror(thread_self()->last_error);
    if (msg != NULL && msg[0] != '\0')
        fprintf(stderr, "%s: ", msg);
    fprintf(stderr, "%s\n", text);
}

static int check_perror(int error, const char *text, const char *destination, int length)
{
    if (text == NULL)
        return reason_set(api_why(), PAPI_EINVAL, "%d is not an error code", error);
    if (length < 0)
        return reason_set(api_why(), PAPI_EINVAL, "a length of %d bytes", length);
    return length > 0 ? api_not_null(destination, "destination") : PAPI_OK;
}

int PAPI_perror_string(int error, char *destination, int length)
{
    const char *text = PAPI_strerror(error);
    int code = check_perror(error, text, destination, length);
    if (code == PAPI_OK && length == 0)
        fprintf(stderr, "%s\n", text);
    else if (code == PAPI_OK)
        snprintf(destination, (size_t)length, "%s", text);
    return api_result(code);
}

int api_debug(int level, PAPI_debug_handler_t handler)
{
    if (level < PAPI_QUIET || level > PAPI_VERB_ESTOP)
        return reason_set(api_why(), PAPI_EINVAL, "%d is not a debug level", level);
    papi_library.debug_handler = handler;
    papi_library.debug = level;
    return PAPI_OK;
}

int PAPI_set_debug(int level)
{
    return api_result(api_debug(level, papi_library.debug_handler));
}
