/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Our declarations of libraries that are opened when first needed, compared with the libraries' own headers
 * by the compiler, where these are installed.
 */
#include "components/device/level_zero.h"
#include "components/device/level_zero_sysman.h"
#include "components/device/libpcp.h"
#include "components/device/librocm_smi.h"
#include "components/device/libsensors.h"
#include "testing.h"

#include <stddef.h>
#include <string.h>

#define SAME(ours, theirs) _Static_assert((ours) == (theirs), #ours)
#define SAME_PLACE(our_type, ours, their_type, theirs)                                                       \
    SAME(offsetof(our_type, ours), offsetof(their_type, theirs));                                            \
    SAME(sizeof((our_type){0}.ours), sizeof((their_type){0}.theirs))

/* ---- Level Zero */

#if __has_include(<level_zero/zet_api.h>)
#include <level_zero/ze_api.h>
#include <level_zero/zet_api.h>

SAME(sizeof(struct lz_device_properties), sizeof(ze_device_properties_t));
SAME_PLACE(struct lz_device_properties, type, ze_device_properties_t, type);
SAME_PLACE(struct lz_device_properties, timer, ze_device_properties_t, timerResolution);
SAME_PLACE(struct lz_device_properties, name, ze_device_properties_t, name);
SAME(sizeof(struct lz_context), sizeof(ze_context_desc_t));
SAME_PLACE(struct lz_context, flags, ze_context_desc_t, flags);
SAME(sizeof(struct lz_group_properties), sizeof(zet_metric_group_properties_t));
SAME_PLACE(struct lz_group_properties, name, zet_metric_group_properties_t, name);
SAME_PLACE(struct lz_group_properties, sampling, zet_metric_group_properties_t, samplingType);
SAME_PLACE(struct lz_group_properties, n_metrics, zet_metric_group_properties_t, metricCount);
SAME(sizeof(struct lz_metric_properties), sizeof(zet_metric_properties_t));
SAME_PLACE(struct lz_metric_properties, name, zet_metric_properties_t, name);
SAME_PLACE(struct lz_metric_properties, description, zet_metric_properties_t, description);
SAME_PLACE(struct lz_metric_properties, type, zet_metric_properties_t, metricType);
SAME_PLACE(struct lz_metric_properties, value, zet_metric_properties_t, resultType);
SAME_PLACE(struct lz_metric_properties, unit, zet_metric_properties_t, resultUnits);
SAME(sizeof(struct lz_streamer), sizeof(zet_metric_streamer_desc_t));
SAME_PLACE(struct lz_streamer, notify, zet_metric_streamer_desc_t, notifyEveryNReports);
SAME_PLACE(struct lz_streamer, period, zet_metric_streamer_desc_t, samplingPeriod);
SAME(sizeof(struct lz_value), sizeof(zet_typed_value_t));
SAME_PLACE(struct lz_value, type, zet_typed_value_t, type);
SAME_PLACE(struct lz_value, f64, zet_typed_value_t, value.fp64);
SAME_PLACE(struct lz_value, b8, zet_typed_value_t, value.b8);
SAME((int)LZ_NO_PERMISSION, (int)ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
SAME((int)LZ_NOT_AVAILABLE, (int)ZE_RESULT_ERROR_NOT_AVAILABLE);
SAME((int)LZ_NO_DEPENDENCY, (int)ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
SAME((int)LZ_DROPPED_DATA, (int)ZE_RESULT_WARNING_DROPPED_DATA);
SAME((int)LZ_UNINITIALIZED, (int)ZE_RESULT_ERROR_UNINITIALIZED);
SAME((int)LZ_UNSUPPORTED, (int)ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
SAME((int)LZ_IN_USE, (int)ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
SAME((int)LZ_NOT_READY, (int)ZE_RESULT_NOT_READY);
SAME((int)LZ_GPU, (int)ZE_DEVICE_TYPE_GPU);
SAME((int)LZ_TIME_BASED, (int)ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED);
SAME((int)LZ_DEVICE_PROPERTIES, (int)ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES);
SAME((int)LZ_CONTEXT, (int)ZE_STRUCTURE_TYPE_CONTEXT_DESC);
SAME((int)LZ_GROUP_PROPERTIES, (int)ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES);
SAME((int)LZ_METRIC_PROPERTIES, (int)ZET_STRUCTURE_TYPE_METRIC_PROPERTIES);
SAME((int)LZ_STREAMER, (int)ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC);
SAME((int)LZ_EVENT_WITH_RANGE, (int)ZET_METRIC_TYPE_EVENT_WITH_RANGE);
SAME((int)LZ_RAW, (int)ZET_METRIC_TYPE_RAW);
SAME((int)LZ_BOOL8, (int)ZET_VALUE_TYPE_BOOL8);

enum { HAVE_LEVEL_ZERO = 1 };
#else
enum { HAVE_LEVEL_ZERO = 0 };
#endif

static void level_zero(void **state)
{
    (void)state;
    if (!HAVE_LEVEL_ZERO)
        SKIP("level_zero/zet_api.h is not installed: apt-get install libze-dev");
}

/* ---- the management half of Level Zero */

#if __has_include(<level_zero/zes_api.h>)
#include <level_zero/zes_api.h>

SAME((int)ZE_SUCCESS, (int)ZE_RESULT_SUCCESS);
SAME((int)ZE_DEVICE_LOST, (int)ZE_RESULT_ERROR_DEVICE_LOST);
SAME((int)ZE_OUT_OF_HOST_MEMORY, (int)ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
SAME((int)ZE_REQUIRES_RESET, (int)ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET);
SAME((int)ZE_NO_PERMISSION, (int)ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
SAME((int)ZE_NOT_AVAILABLE, (int)ZE_RESULT_ERROR_NOT_AVAILABLE);
SAME((int)ZE_DEPENDENCY_UNAVAILABLE, (int)ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
SAME((int)ZE_UNINITIALIZED, (int)ZE_RESULT_ERROR_UNINITIALIZED);
SAME((int)ZE_UNSUPPORTED_VERSION, (int)ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
SAME((int)ZE_UNSUPPORTED_FEATURE, (int)ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
SAME((int)TYPE_PCI_PROPERTIES, (int)ZES_STRUCTURE_TYPE_PCI_PROPERTIES);
SAME((int)TYPE_FREQUENCY_STATE, (int)ZES_STRUCTURE_TYPE_FREQ_STATE);
SAME((int)TYPE_MEMORY_STATE, (int)ZES_STRUCTURE_TYPE_MEM_STATE);
SAME(sizeof(struct energy), sizeof(zes_power_energy_counter_t));
SAME_PLACE(struct energy, microjoules, zes_power_energy_counter_t, energy);
SAME_PLACE(struct energy, time, zes_power_energy_counter_t, timestamp);
SAME(sizeof(struct activity), sizeof(zes_engine_stats_t));
SAME_PLACE(struct activity, microseconds, zes_engine_stats_t, activeTime);
SAME_PLACE(struct activity, time, zes_engine_stats_t, timestamp);
SAME(sizeof(struct throttled), sizeof(zes_freq_throttle_time_t));
SAME_PLACE(struct throttled, microseconds, zes_freq_throttle_time_t, throttleTime);
SAME_PLACE(struct throttled, time, zes_freq_throttle_time_t, timestamp);
SAME(sizeof(struct frequency), sizeof(zes_freq_state_t));
SAME_PLACE(struct frequency, type, zes_freq_state_t, stype);
SAME_PLACE(struct frequency, voltage, zes_freq_state_t, currentVoltage);
SAME_PLACE(struct frequency, request, zes_freq_state_t, request);
SAME_PLACE(struct frequency, tdp, zes_freq_state_t, tdp);
SAME_PLACE(struct frequency, efficient, zes_freq_state_t, efficient);
SAME_PLACE(struct frequency, actual, zes_freq_state_t, actual);
SAME_PLACE(struct frequency, reasons, zes_freq_state_t, throttleReasons);
SAME(sizeof(struct memory), sizeof(zes_mem_state_t));
SAME_PLACE(struct memory, type, zes_mem_state_t, stype);
SAME_PLACE(struct memory, health, zes_mem_state_t, health);
SAME_PLACE(struct memory, free, zes_mem_state_t, free);
SAME_PLACE(struct memory, size, zes_mem_state_t, size);
SAME(sizeof(struct traffic), sizeof(zes_pci_stats_t));
SAME_PLACE(struct traffic, time, zes_pci_stats_t, timestamp);
SAME_PLACE(struct traffic, replays, zes_pci_stats_t, replayCounter);
SAME_PLACE(struct traffic, packets, zes_pci_stats_t, packetCounter);
SAME_PLACE(struct traffic, received, zes_pci_stats_t, rxCounter);
SAME_PLACE(struct traffic, sent, zes_pci_stats_t, txCounter);
SAME(sizeof(struct properties), sizeof(zes_pci_properties_t));
SAME_PLACE(struct properties, type, zes_pci_properties_t, stype);
SAME_PLACE(struct properties, domain, zes_pci_properties_t, address.domain);
SAME_PLACE(struct properties, bus, zes_pci_properties_t, address.bus);
SAME_PLACE(struct properties, device, zes_pci_properties_t, address.device);
SAME_PLACE(struct properties, function, zes_pci_properties_t, address.function);
SAME_PLACE(struct properties, has_bandwidth, zes_pci_properties_t, haveBandwidthCounters);
SAME_PLACE(struct properties, has_packets, zes_pci_properties_t, havePacketCounters);
SAME_PLACE(struct properties, has_replays, zes_pci_properties_t, haveReplayCounters);

enum { HAVE_SYSMAN = 1 };
#else
enum { HAVE_SYSMAN = 0 };
#endif

static void sysman(void **state)
{
    (void)state;
    if (!HAVE_SYSMAN)
        SKIP("level_zero/zes_api.h is not installed: apt-get install libze-dev");
}

/* ---- ROCm SMI */

#if __has_include(<rocm_smi/rocm_smi.h>)
#include <rocm_smi/rocm_smi.h>

SAME((int)RSMI_SUCCESS, (int)RSMI_STATUS_SUCCESS);
SAME((int)RSMI_INVALID_ARGUMENTS, (int)RSMI_STATUS_INVALID_ARGS);
SAME((int)RSMI_NOT_SUPPORTED, (int)RSMI_STATUS_NOT_SUPPORTED);
SAME((int)RSMI_FILE_ERROR, (int)RSMI_STATUS_FILE_ERROR);
SAME((int)RSMI_PERMISSION, (int)RSMI_STATUS_PERMISSION);
SAME((int)RSMI_OUT_OF_RESOURCES, (int)RSMI_STATUS_OUT_OF_RESOURCES);
SAME((int)RSMI_INIT_ERROR, (int)RSMI_STATUS_INIT_ERROR);
SAME((int)RSMI_NOT_YET_IMPLEMENTED, (int)RSMI_STATUS_NOT_YET_IMPLEMENTED);
SAME((int)RSMI_NOT_FOUND, (int)RSMI_STATUS_NOT_FOUND);
SAME((int)RSMI_INTERRUPT, (int)RSMI_STATUS_INTERRUPT);
SAME((int)RSMI_NO_DATA, (int)RSMI_STATUS_NO_DATA);
SAME((int)RSMI_BUSY, (int)RSMI_STATUS_BUSY);
SAME((int)OF_MEMORY, (int)RSMI_MEM_TYPE_VRAM);
SAME((int)OF_VISIBLE_MEMORY, (int)RSMI_MEM_TYPE_VIS_VRAM);
SAME((int)OF_GTT, (int)RSMI_MEM_TYPE_GTT);
SAME((int)SYSTEM_CLOCK, (int)RSMI_CLK_TYPE_SYS);
SAME((int)FABRIC_CLOCK, (int)RSMI_CLK_TYPE_DF);
SAME((int)SOC_CLOCK, (int)RSMI_CLK_TYPE_SOC);
SAME((int)MEMORY_CLOCK, (int)RSMI_CLK_TYPE_MEM);
SAME((int)ROCM_NOW, (int)RSMI_TEMP_CURRENT);
SAME((int)ROCM_MAX, (int)RSMI_TEMP_MAX);
SAME((int)ROCM_MIN, (int)RSMI_TEMP_MIN);
SAME((int)ROCM_MAX_HYST, (int)RSMI_TEMP_MAX_HYST);
SAME((int)ROCM_MIN_HYST, (int)RSMI_TEMP_MIN_HYST);
SAME((int)ROCM_CRITICAL, (int)RSMI_TEMP_CRITICAL);
SAME((int)ROCM_CRITICAL_HYST, (int)RSMI_TEMP_CRITICAL_HYST);
SAME((int)ROCM_EMERGENCY, (int)RSMI_TEMP_EMERGENCY);
SAME((int)ROCM_EMERGENCY_HYST, (int)RSMI_TEMP_EMERGENCY_HYST);
/* The size says which of the two structures a library has: their other members have the same places. */
#define ROCM_CLOCKS(STRUCTURE)                                                                               \
    _Static_assert(sizeof(rsmi_frequencies_t) != sizeof(struct STRUCTURE) ||                                 \
                       (offsetof(rsmi_frequencies_t, num_supported) == offsetof(struct STRUCTURE, n) &&      \
                        offsetof(rsmi_frequencies_t, current) == offsetof(struct STRUCTURE, current) &&      \
                        offsetof(rsmi_frequencies_t, frequency) == offsetof(struct STRUCTURE, frequency)),   \
                   #STRUCTURE)
ROCM_CLOCKS(clocks);
ROCM_CLOCKS(old_clocks);
_Static_assert(sizeof(rsmi_frequencies_t) == sizeof(struct clocks) ||
                   sizeof(rsmi_frequencies_t) == sizeof(struct old_clocks),
               "one of the two");

enum { HAVE_ROCM_SMI = 1 };
#else
enum { HAVE_ROCM_SMI = 0 };
#endif

static void rocm_smi(void **state)
{
    (void)state;
    if (!HAVE_ROCM_SMI)
        SKIP("rocm_smi/rocm_smi.h is not installed: apt-get install librocm-smi-dev");
}

/* ---- libsensors */

#if HAVE_SENSORS
#include <sensors/error.h>
#include <sensors/sensors.h>

SAME(sizeof(struct sensors_chip), sizeof(sensors_chip_name));
SAME_PLACE(struct sensors_chip, prefix, sensors_chip_name, prefix);
SAME_PLACE(struct sensors_chip, bus.number, sensors_chip_name, bus.nr);
SAME_PLACE(struct sensors_chip, address, sensors_chip_name, addr);
SAME(sizeof(struct sensors_quantity), sizeof(sensors_feature));
SAME_PLACE(struct sensors_quantity, name, sensors_feature, name);
SAME_PLACE(struct sensors_quantity, type, sensors_feature, type);
SAME(sizeof(struct sensors_number), sizeof(sensors_subfeature));
SAME_PLACE(struct sensors_number, name, sensors_subfeature, name);
SAME_PLACE(struct sensors_number, number, sensors_subfeature, number);
SAME_PLACE(struct sensors_number, type, sensors_subfeature, type);
SAME_PLACE(struct sensors_number, flags, sensors_subfeature, flags);
SAME(SENSORS_READABLE, SENSORS_MODE_R);
SAME(SENSORS_WRITABLE, SENSORS_MODE_W);
SAME((int)SENSORS_IN, (int)SENSORS_FEATURE_IN);
SAME((int)SENSORS_FAN, (int)SENSORS_FEATURE_FAN);
SAME((int)SENSORS_TEMP, (int)SENSORS_FEATURE_TEMP);
SAME((int)SENSORS_POWER, (int)SENSORS_FEATURE_POWER);
SAME((int)SENSORS_ENERGY, (int)SENSORS_FEATURE_ENERGY);
SAME((int)SENSORS_CURR, (int)SENSORS_FEATURE_CURR);
SAME((int)SENSORS_HUMIDITY, (int)SENSORS_FEATURE_HUMIDITY);
SAME((int)SENSORS_VID, (int)SENSORS_FEATURE_VID);
SAME((int)SENSORS_TEMP << 8, (int)SENSORS_SUBFEATURE_TEMP_INPUT);
SAME((int)SENSORS_TEMP << 8 | (int)SENSORS_PLAIN, (int)SENSORS_SUBFEATURE_TEMP_ALARM);
SAME((int)SENSORS_TEMP_OFFSET, (int)SENSORS_SUBFEATURE_TEMP_OFFSET);
SAME((int)SENSORS_POWER_INTERVAL, (int)SENSORS_SUBFEATURE_POWER_AVERAGE_INTERVAL);
SAME(SENSORS_NO_ENTRY, SENSORS_ERR_NO_ENTRY);
SAME(SENSORS_ACCESS_R, SENSORS_ERR_ACCESS_R);
SAME(SENSORS_KERNEL, SENSORS_ERR_KERNEL);
SAME(SENSORS_PARSE, SENSORS_ERR_PARSE);
SAME(SENSORS_ACCESS_W, SENSORS_ERR_ACCESS_W);
SAME(SENSORS_IO, SENSORS_ERR_IO);

#endif

/* ---- libpcp */

#if HAVE_PCP
#include <pcp/pmapi.h>

SAME(sizeof(struct pcp_description), sizeof(pmDesc));
SAME_PLACE(struct pcp_description, metric, pmDesc, pmid);
SAME_PLACE(struct pcp_description, type, pmDesc, type);
SAME_PLACE(struct pcp_description, domain, pmDesc, indom);
SAME_PLACE(struct pcp_description, semantics, pmDesc, sem);
SAME_PLACE(struct pcp_description, units, pmDesc, units);
SAME(sizeof(struct pcp_value), sizeof(pmValue));
SAME_PLACE(struct pcp_value, instance, pmValue, inst);
SAME_PLACE(struct pcp_value, at, pmValue, value);
SAME_PLACE(struct pcp_values, metric, pmValueSet, pmid);
SAME_PLACE(struct pcp_values, n, pmValueSet, numval);
SAME_PLACE(struct pcp_values, format, pmValueSet, valfmt);
SAME(offsetof(struct pcp_values, value), offsetof(pmValueSet, vlist));
SAME_PLACE(struct pcp_result, n, pmResult, numpmid);
SAME(offsetof(struct pcp_result, values), offsetof(pmResult, vset));
SAME((unsigned)PCP_NO_INSTANCES, PM_INDOM_NULL);
SAME((unsigned)PCP_NO_METRIC, PM_ID_NULL);
SAME(PCP_INT32, PM_TYPE_32);
SAME(PCP_UINT32, PM_TYPE_U32);
SAME(PCP_INT64, PM_TYPE_64);
SAME(PCP_UINT64, PM_TYPE_U64);
SAME(PCP_FLOAT, PM_TYPE_FLOAT);
SAME(PCP_DOUBLE, PM_TYPE_DOUBLE);
SAME(PCP_NUMBERS, PM_TYPE_STRING);
SAME(PCP_COUNTER, PM_SEM_COUNTER);
SAME(PCP_IN_PLACE, PM_VAL_INSITU);
SAME(PCP_BLOCK_HEAD, PM_VAL_HDR_SIZE);
SAME(PCP_LENGTH_MASK, PM_VAL_VLEN_MAX);
SAME(PCP_HOST, PM_CONTEXT_HOST);
SAME(PCP_ONE_LINE, PM_TEXT_ONELINE);
SAME(PCP_AGENTS_CHANGED, PMCD_ADD_AGENT | PMCD_RESTART_AGENT | PMCD_DROP_AGENT);
SAME(PCP_ERR_VALUE, PM_ERR_VALUE);
SAME(PCP_ERR_TIMEOUT, PM_ERR_TIMEOUT);
SAME(PCP_ERR_NAME, PM_ERR_NAME);
SAME(PCP_ERR_PMID, PM_ERR_PMID);
SAME(PCP_ERR_INDOM, PM_ERR_INDOM);
SAME(PCP_ERR_INST, PM_ERR_INST);
SAME(PCP_ERR_IPC, PM_ERR_IPC);
SAME(PCP_ERR_EOF, PM_ERR_EOF);
SAME(PCP_ERR_NOAGENT, PM_ERR_NOAGENT);
SAME(PCP_ERR_PERMISSION, PM_ERR_PERMISSION);
SAME(PCP_ERR_AGAIN, PM_ERR_AGAIN);
SAME(PCP_ERR_NOTCONN, PM_ERR_NOTCONN);

#endif

static void libpcp(void **state)
{
    (void)state;
    if (!HAVE_PCP)
        SKIP("pcp/pmapi.h is not installed: apt-get install libpcp3-dev");
}

static void libsensors(void **state)
{
    (void)state;
    if (!HAVE_SENSORS)
        SKIP("sensors/sensors.h is not installed: apt-get install libsensors-dev");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(level_zero), cmocka_unit_test(sysman),
                                       cmocka_unit_test(rocm_smi), cmocka_unit_test(libsensors),
                                       cmocka_unit_test(libpcp)};
    return TEST_RUN(tests);
}
