/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sensors of the machine, as libsensors shows them, "lmsensors:::coretemp-isa-0000.Core_0.temp2_input":
 * labels and conversions are those of the site's configuration. The library is loaded when somebody asks for
 * its events, and stays as long as their list.
 */
#include "base/array.h"
#include "base/load.h"
#include "base/signals.h"
#include "base/sysroot.h"
#include "components/components.h"
#include "components/device/device_library.h"
#include "components/device/libsensors.h"
#include "components/file_group.h"
#include "components/free_running.h"
#include "papi.h"

#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROOT_VARIABLE "PAPI_LMSENSORS_ROOT"
#define LIBRARY "libsensors.so.5"

enum { PARTS_OF_ONE = 1000 }; /* a value is in thousandths of the library's */

struct sensors {
    void *library;
    bool began; /* here, and not by the program, which has its own use for the library */
#define MEMBER(member, name, type, arguments) type(*member) arguments;
    SENSORS_FUNCTIONS(MEMBER)
    int n_chips;
    const struct sensors_chip **chips;
};

static const struct device_function functions[] = {
#define SYMBOL(member, name, type, arguments) {name, offsetof(struct sensors, member), DEVICE_NEEDED},
    SENSORS_FUNCTIONS(SYMBOL)};

/* ---- errors */

static int code_of(int error)
{
    switch (-error) {
    case SENSORS_NO_ENTRY:
    case SENSORS_KERNEL: /* its file is not there any more, or never was readable */
        return PAPI_ENOEVNT;
    case SENSORS_ACCESS_R:
    case SENSORS_ACCESS_W:
        return PAPI_EPERM;
    case SENSORS_IO:
        return PAPI_ESYS; /* a sensor that does not answer now */
    default:
        return PAPI_EMISC;
    }
}

static int failed(const struct sensors *sensors, int error, const char *what, struct reason *why)
{
    return reason_set(why, code_of(error), "%s: libsensors answers \"%.80s\" (%d)", what,
                      sensors->error(error) ?: "an error", error);
}

static int no_memory(struct reason *why)
{
    return reason_set(why, PAPI_ENOMEM, "out of memory");
}

/* ---- library */

static void say_nothing(const char *text, int line)
{
    (void)text, (void)line;
}

static void say_nothing_of_a_file(const char *text, const char *file, int line)
{
    (void)text, (void)file, (void)line;
}

/* Has the library read its configuration without printing what is wrong with it. */
static int begin_quietly(const struct sensors *sensors)
{
    void (*quiet)(const char *, int) = say_nothing, (*before)(const char *, int);
    void (*quiet_file)(const char *, const char *, int) = say_nothing_of_a_file,
                                                   (*before_file)(const char *, const char *, int);
    void *print = dlsym(sensors->library, "sensors_parse_error");
    void *print_file = dlsym(sensors->library, "sensors_parse_error_wfn");
    if (print == NULL || print_file == NULL)
        return sensors->init(NULL);
    memcpy(&before, print, sizeof before);
    memcpy(&before_file, print_file, sizeof before_file);
    memcpy(print, &quiet, sizeof quiet);
    memcpy(print_file, &quiet_file, sizeof quiet_file);
    int error = sensors->init(NULL);
    memcpy(print, &before, sizeof before);
    memcpy(print_file, &before_file, sizeof before_file);
    return error;
}

static int begin(struct sensors *sensors, struct reason *why)
{
    int first = 0;
    if (sensors->chip(NULL, &first) != NULL)
        return PAPI_OK;
    int error = begin_quietly(sensors);
    sensors->began = error == 0;
    if (error == -SENSORS_PARSE)
        return reason_set(why, PAPI_ENOSUPP,
                          "libsensors cannot read its configuration, /etc/sensors3.conf: the command sensors "
                          "says which line is wrong");
    if (error == -SENSORS_KERNEL)
        return reason_set(why, PAPI_ENOSUPP,
                          "libsensors finds no sensors: /sys/class/hwmon is not there, or not in this "
                          "container");
    return error == 0 ? PAPI_OK : failed(sensors, error, "the start of " LIBRARY, why);
}

static int take_chips(struct sensors *sensors, struct reason *why)
{
    const struct sensors_chip *chip;
    int next = 0;
    while ((chip = sensors->chip(NULL, &next)) != NULL) {
        if (!ARRAY_GROW(sensors->chips, sensors->n_chips))
            return no_memory(why);
        sensors->chips[sensors->n_chips++] = chip;
    }
    return sensors->n_chips > 0 ? PAPI_OK
                                : reason_set(why, PAPI_ENOSUPP,
                                             "libsensors finds no sensors here: virtual machines have none, "
                                             "and some need a module of the kernel, which the command "
                                             "sensors-detect finds");
}

static void close_sensors(void *opened)
{
    struct sensors *sensors = opened;
    sigset_t before;
    signals_block(&before);
    if (sensors->began)
        sensors->cleanup();
    if (sensors->library != NULL)
        dlclose(sensors->library);
    signals_restore(&before);
    free(sensors->chips);
    free(sensors);
}

/* The library ends the program where it has no memory for a sensor. */
static bool room(void)
{
    enum { MEMORY = 4 << 20 };
    return load_room(MEMORY, LOAD_MOST_DESCRIPTORS);
}

static int load(struct sensors *sensors, const char *root, struct reason *why)
{
    static const char *const files[] = {LIBRARY, NULL}, *const folders[] = {LIBRARY_FOLDERS};
    static const struct device_library_source source = {
        .files = files,
        .root_variable = ROOT_VARIABLE,
        .folders = folders,
        .advice =
            "which coretemp does without: apt-get install libsensors5 or dnf install lm_sensors-libs; or "
            "name the folder that has it in lib in PAPI_LMSENSORS_ROOT",
    };
    int code = device_library_load(&source, root, &sensors->library, why)
                   ?: device_library_functions(sensors->library, LIBRARY, functions,
                                               sizeof functions / sizeof *functions, sensors, why);
    return code == PAPI_OK && !room() ? reason_unreadable(LIBRARY, why) : code;
}

/* True if the kernel shows sensors, without which the library is not loaded: it opens files that a program
 * which another thread executes at that moment inherits. */
static bool shows_sensors(const char *root)
{
    char path[PATH_MAX];
    const struct dirent *entry = NULL;
    DIR *folder = sysroot_path(root, "/sys/class/hwmon", path, sizeof path) == 0 ? opendir(path) : NULL;
    while (folder != NULL && (entry = readdir(folder)) != NULL && entry->d_name[0] == '.')
        ;
    if (folder != NULL)
        closedir(folder);
    return entry != NULL;
}

/* True if the program uses the library itself. */
static bool is_loaded(void)
{
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL)
        dlclose(library);
    return library != NULL;
}

static int look(const char *root, struct reason *why)
{
    bool other =
        root != NULL && root[0] != '\0'; /* the files of another machine, which the loading refuses */
    if (other || secure_getenv(ROOT_VARIABLE) != NULL || shows_sensors(root) || is_loaded())
        return PAPI_OK;
    return reason_set(why, PAPI_ENOSUPP,
                      "the kernel shows no sensors in /sys/class/hwmon: virtual machines have none, and some "
                      "need a module of the kernel, which the command sensors-detect finds");
}

static int open_loaded(struct sensors *sensors, const char *root, struct reason *why)
{
    int code = look(root, why) ?: load(sensors, root, why) ?: begin(sensors, why) ?: take_chips(sensors, why);
    if (code != PAPI_OK)
        close_sensors(sensors);
    return code;
}

/* Opens the library, which looks for sensors itself. */
static int open_sensors(const char *root, struct sensors **out, struct reason *why)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? open_loaded(*out, root, why) : no_memory(why);
}

/* ---- numbers */

static const struct sensors_chip *chip_of(const struct component_event *event)
{
    const struct sensors *sensors = event->opened;
    return sensors->chips[event->config >> 32];
}

static int number_of(const struct component_event *event)
{
    return (int)(uint32_t)event->config;
}

static int ask(const struct component_event *event, uint64_t *now, struct reason *why)
{
    const struct sensors *sensors = event->opened;
    double value = NAN;
    sigset_t before;
    signals_block(&before); /* a handler that asked, too, would find the library at work */
    int error = sensors->get(chip_of(event), number_of(event), &value);
    signals_restore(&before);
    if (error != 0)
        return failed(sensors, error, event->name, why);
    double parts = value * PARTS_OF_ONE;
    if (!(fabs(parts) < 0x1p62))
        return reason_set(why, PAPI_EMISC, "%s: libsensors gives no number that fits (%g)", event->name,
                          value);
    *now = (uint64_t)(int64_t)(parts < 0 ? parts - 0.5 : parts + 0.5);
    return PAPI_OK;
}

static int set(const struct component_event *event, long long value, struct reason *why)
{
    const struct sensors *sensors = event->opened;
    sigset_t before;
    signals_block(&before);
    int error = sensors->set(chip_of(event), number_of(event), (double)value / PARTS_OF_ONE);
    signals_restore(&before);
    if (error == 0)
        return PAPI_OK;
    bool denied = error == -SENSORS_KERNEL || error == -SENSORS_ACCESS_W; /* its file cannot be opened */
    return reason_set(why, denied ? PAPI_EPERM : PAPI_EINVAL,
                      "%s cannot be set to %lld: libsensors answers \"%.80s\"%s", event->name, value,
                      sensors->error(error) ?: "an error", denied ? "; root may set it" : "");
}

static const struct function_source source = {.ask = ask, .set = set};

/* ---- list */

/* Quantities by the number of their type. */
static const struct {
    const char *description, *unit;
} quantities[] = {
    [SENSORS_IN] = {"Voltage", "mV"},
    [SENSORS_FAN] = {"Speed of a fan", "1/1000 RPM"},
    [SENSORS_TEMP] = {"Temperature", "1/1000 degree C"},
    [SENSORS_POWER] = {"Power", "mW"},
    [SENSORS_ENERGY] = {"Energy", "mJ"},
    [SENSORS_CURR] = {"Current", "mA"},
    [SENSORS_HUMIDITY] = {"Humidity", "1/1000 percent"},
    [SENSORS_VID] = {"Voltage that the processor asks for", "mV"},
};

static const char *unit_of(int type)
{
    unsigned of = (unsigned)type >> 8;
    if (type == SENSORS_POWER_INTERVAL)
        return "ms";
    if (((type & SENSORS_PLAIN) != 0 && type != SENSORS_TEMP_OFFSET) || of > SENSORS_VID ||
        quantities[of].unit == NULL)
        return "1/1000";
    return quantities[of].unit;
}

/* The place and the numbers of a sensor while they are listed. */
struct listing {
    struct event_list *list;
    const struct sensors *sensors;
    int chip_index;
    const struct sensors_chip *chip;
    char chip_name[PAPI_MAX_STR_LEN];
    char label[PAPI_MAX_STR_LEN];
};

/* Puts '_' for what separates names where events are listed (PAPI_EVENTS), and for what no name should have.
 */
static void clean(char *name)
{
    for (; *name != '\0'; name++)
        if ((unsigned char)*name <= ' ' || *name == ',' || *name == 0x7f)
            *name = '_';
}

/* Adds a number; not one whose name is too long for the interface. */
static int add_number(const struct listing *at, const struct sensors_number *number, struct reason *why)
{
    char name[PAPI_MAX_STR_LEN - sizeof "lmsensors:::"], description[PAPI_2MAX_STR_LEN + PAPI_MAX_STR_LEN];
    unsigned of = (unsigned)number->type >> 8;
    const char *kind = of <= SENSORS_VID ? quantities[of].description : NULL;
    int length = snprintf(name, sizeof name, "%s.%s.%s", at->chip_name, at->label, number->name);
    if (length < 0 || (size_t)length >= sizeof name)
        return PAPI_OK;
    clean(name);
    snprintf(description, sizeof description, "%s: %s of %s, chip %s", kind ?: "Sensor", number->name,
             at->label, at->chip_name);
    return event_list_add(at->list,
                          &(struct component_event){
                              .name = name,
                              .description = description,
                              .unit = unit_of(number->type),
                              .level = true,
                              .config = (uint64_t)at->chip_index << 32 | (uint32_t)number->number,
                              .writable = (number->flags & SENSORS_WRITABLE) != 0,
                              .opened = (void *)at->sensors,
                          },
                          why);
}

static int add_quantity(struct listing *at, const struct sensors_quantity *quantity, struct reason *why)
{
    const struct sensors_number *number;
    char *label = at->sensors->label(at->chip, quantity);
    int next = 0, code = PAPI_OK;
    snprintf(at->label, sizeof at->label, "%s", label ?: quantity->name ?: "?");
    free(label);
    while (code == PAPI_OK && (number = at->sensors->number(at->chip, quantity, &next)) != NULL)
        if (number->name != NULL && (number->flags & SENSORS_READABLE) != 0)
            code = add_number(at, number, why);
    return code;
}

static int add_chip(struct listing *at, struct reason *why)
{
    const struct sensors_quantity *quantity;
    int next = 0, code = PAPI_OK;
    if (at->sensors->chip_name(at->chip_name, sizeof at->chip_name, at->chip) < 0)
        return PAPI_OK;
    at->chip_name[sizeof at->chip_name - 1] = '\0';
    while (code == PAPI_OK && (quantity = at->sensors->quantity(at->chip, &next)) != NULL)
        code = add_quantity(at, quantity, why);
    return code;
}

static int list_all(const char *root, struct event_list *list, struct reason *why)
{
    struct sensors *sensors;
    int code = open_sensors(root, &sensors, why);
    if (code != PAPI_OK)
        return code_passes(code) ? code : PAPI_OK;
    struct listing at = {.list = list, .sensors = sensors};
    code = event_list_open(list, sensors, close_sensors, why);
    for (; code == PAPI_OK && at.chip_index < sensors->n_chips; at.chip_index++) {
        at.chip = sensors->chips[at.chip_index];
        code = add_chip(&at, why);
    }
    return code;
}

static int list_events(const char *root, struct event_list *list, struct reason *why)
{
    sigset_t before;
    signals_block(&before);
    int code = list_all(root, list, why);
    signals_restore(&before);
    return code;
}

/* ---- component */

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct sensors *sensors;
    sigset_t before;
    signals_block(&before);
    if (open_sensors(pmus->root, &sensors, &state->disabled) == PAPI_OK)
        close_sensors(sensors);
    signals_restore(&before);
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    (void)pmus, (void)domain;
    return function_try(&source, event, why);
}

static struct counter_group *create(const struct group_options *options)
{
    return function_create(options, &source);
}

const struct component lmsensors_component = {
    LISTING_MEMBERS("lmsensors"),
    .granularity = PAPI_GRN_SYS,
    .check_options = file_check_options,
    .description = "What the machine's sensors show by libsensors, with the site's labels and conversions",
    .list = list_events,
    .discover = discover,
    .try_event = try_event,
    .create = create,
};
