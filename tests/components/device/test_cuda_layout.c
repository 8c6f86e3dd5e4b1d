/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The library's own declarations of CUPTI beside those of an installed toolkit, which the compiler compares.
 * The header for C++ is read by way of an empty one in the place of <string>.
 */
#include <stdio.h>

#ifdef HAVE_CUPTI
#include "components/device/cupti.h"

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <cupti_version.h>

#define SAME(own, member, theirs, their)                                                                     \
    _Static_assert(offsetof(struct own, member) == offsetof(theirs, their) &&                                \
                       sizeof(((struct own *)NULL)->member) == sizeof(((theirs *)NULL)->their),              \
                   #own "." #member);
#define HEAD(own, last, theirs)                                                                              \
    _Static_assert(CUPTI_SIZE(struct own, last) == theirs##_STRUCT_SIZE, #own);                              \
    SAME(own, size, theirs, structSize)                                                                      \
    SAME(own, reserved, theirs, pPriv)

HEAD(cupti_chip_name, chip, CUpti_Device_GetChipName_Params)
SAME(cupti_chip_name, device, CUpti_Device_GetChipName_Params, deviceIndex)
SAME(cupti_chip_name, chip, CUpti_Device_GetChipName_Params, pChipName)

HEAD(cupti_initialize, reserved, CUpti_Profiler_Initialize_Params)

HEAD(cupti_device_supported, interface, CUpti_Profiler_DeviceSupported_Params)
SAME(cupti_device_supported, device, CUpti_Profiler_DeviceSupported_Params, cuDevice)
SAME(cupti_device_supported, all, CUpti_Profiler_DeviceSupported_Params, isSupported)
SAME(cupti_device_supported, architecture, CUpti_Profiler_DeviceSupported_Params, architecture)
SAME(cupti_device_supported, sli, CUpti_Profiler_DeviceSupported_Params, sli)
SAME(cupti_device_supported, virtual_device, CUpti_Profiler_DeviceSupported_Params, vGpu)
SAME(cupti_device_supported, confidential, CUpti_Profiler_DeviceSupported_Params, confidentialCompute)
SAME(cupti_device_supported, mining, CUpti_Profiler_DeviceSupported_Params, cmp)
SAME(cupti_device_supported, wsl, CUpti_Profiler_DeviceSupported_Params, wsl)
SAME(cupti_device_supported, interface, CUpti_Profiler_DeviceSupported_Params, api)

HEAD(cupti_availability, image, CUpti_Profiler_GetCounterAvailability_Params)
SAME(cupti_availability, context, CUpti_Profiler_GetCounterAvailability_Params, ctx)
SAME(cupti_availability, image_size, CUpti_Profiler_GetCounterAvailability_Params,
     counterAvailabilityImageSize)
SAME(cupti_availability, image, CUpti_Profiler_GetCounterAvailability_Params, pCounterAvailabilityImage)

HEAD(cupti_host_initialize, host, CUpti_Profiler_Host_Initialize_Params)
SAME(cupti_host_initialize, profiler, CUpti_Profiler_Host_Initialize_Params, profilerType)
SAME(cupti_host_initialize, chip, CUpti_Profiler_Host_Initialize_Params, pChipName)
SAME(cupti_host_initialize, availability, CUpti_Profiler_Host_Initialize_Params, pCounterAvailabilityImage)
SAME(cupti_host_initialize, host, CUpti_Profiler_Host_Initialize_Params, pHostObject)

HEAD(cupti_host_end, host, CUpti_Profiler_Host_Deinitialize_Params)
SAME(cupti_host_end, host, CUpti_Profiler_Host_Deinitialize_Params, pHostObject)

HEAD(cupti_base_metrics, n, CUpti_Profiler_Host_GetBaseMetrics_Params)
SAME(cupti_base_metrics, host, CUpti_Profiler_Host_GetBaseMetrics_Params, pHostObject)
SAME(cupti_base_metrics, type, CUpti_Profiler_Host_GetBaseMetrics_Params, metricType)
SAME(cupti_base_metrics, name, CUpti_Profiler_Host_GetBaseMetrics_Params, ppMetricNames)
SAME(cupti_base_metrics, n, CUpti_Profiler_Host_GetBaseMetrics_Params, numMetrics)

HEAD(cupti_sub_metrics, name, CUpti_Profiler_Host_GetSubMetrics_Params)
SAME(cupti_sub_metrics, host, CUpti_Profiler_Host_GetSubMetrics_Params, pHostObject)
SAME(cupti_sub_metrics, type, CUpti_Profiler_Host_GetSubMetrics_Params, metricType)
SAME(cupti_sub_metrics, metric, CUpti_Profiler_Host_GetSubMetrics_Params, pMetricName)
SAME(cupti_sub_metrics, n, CUpti_Profiler_Host_GetSubMetrics_Params, numOfSubmetrics)
SAME(cupti_sub_metrics, name, CUpti_Profiler_Host_GetSubMetrics_Params, ppSubMetrics)

HEAD(cupti_properties, type, CUpti_Profiler_Host_GetMetricProperties_Params)
SAME(cupti_properties, host, CUpti_Profiler_Host_GetMetricProperties_Params, pHostObject)
SAME(cupti_properties, metric, CUpti_Profiler_Host_GetMetricProperties_Params, pMetricName)
SAME(cupti_properties, description, CUpti_Profiler_Host_GetMetricProperties_Params, pDescription)
SAME(cupti_properties, hardware_unit, CUpti_Profiler_Host_GetMetricProperties_Params, pHwUnit)
SAME(cupti_properties, unit, CUpti_Profiler_Host_GetMetricProperties_Params, pDimUnit)
SAME(cupti_properties, type, CUpti_Profiler_Host_GetMetricProperties_Params, metricType)

HEAD(cupti_add_metrics, n, CUpti_Profiler_Host_ConfigAddMetrics_Params)
SAME(cupti_add_metrics, host, CUpti_Profiler_Host_ConfigAddMetrics_Params, pHostObject)
SAME(cupti_add_metrics, name, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames)
SAME(cupti_add_metrics, n, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics)

HEAD(cupti_config_size, image_size, CUpti_Profiler_Host_GetConfigImageSize_Params)
SAME(cupti_config_size, host, CUpti_Profiler_Host_GetConfigImageSize_Params, pHostObject)
SAME(cupti_config_size, image_size, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize)

HEAD(cupti_config_image, image, CUpti_Profiler_Host_GetConfigImage_Params)
SAME(cupti_config_image, host, CUpti_Profiler_Host_GetConfigImage_Params, pHostObject)
SAME(cupti_config_image, image_size, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize)
SAME(cupti_config_image, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage)

HEAD(cupti_passes, n, CUpti_Profiler_Host_GetNumOfPasses_Params)
SAME(cupti_passes, image_size, CUpti_Profiler_Host_GetNumOfPasses_Params, configImageSize)
SAME(cupti_passes, image, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage)
SAME(cupti_passes, n, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses)

HEAD(cupti_evaluate, value, CUpti_Profiler_Host_EvaluateToGpuValues_Params)
SAME(cupti_evaluate, host, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pHostObject)
SAME(cupti_evaluate, data, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pCounterDataImage)
SAME(cupti_evaluate, data_size, CUpti_Profiler_Host_EvaluateToGpuValues_Params, counterDataImageSize)
SAME(cupti_evaluate, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex)
SAME(cupti_evaluate, name, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames)
SAME(cupti_evaluate, n, CUpti_Profiler_Host_EvaluateToGpuValues_Params, numMetrics)
SAME(cupti_evaluate, value, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues)

HEAD(cupti_enable, object, CUpti_RangeProfiler_Enable_Params)
SAME(cupti_enable, context, CUpti_RangeProfiler_Enable_Params, ctx)
SAME(cupti_enable, object, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject)

HEAD(cupti_object, object, CUpti_RangeProfiler_Disable_Params)
SAME(cupti_object, object, CUpti_RangeProfiler_Disable_Params, pRangeProfilerObject)
HEAD(cupti_object, object, CUpti_RangeProfiler_Start_Params)
SAME(cupti_object, object, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject)
HEAD(cupti_object, object, CUpti_RangeProfiler_PopRange_Params)
SAME(cupti_object, object, CUpti_RangeProfiler_PopRange_Params, pRangeProfilerObject)

HEAD(cupti_data_size, data_size, CUpti_RangeProfiler_GetCounterDataSize_Params)
SAME(cupti_data_size, object, CUpti_RangeProfiler_GetCounterDataSize_Params, pRangeProfilerObject)
SAME(cupti_data_size, name, CUpti_RangeProfiler_GetCounterDataSize_Params, pMetricNames)
SAME(cupti_data_size, n, CUpti_RangeProfiler_GetCounterDataSize_Params, numMetrics)
SAME(cupti_data_size, ranges, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumOfRanges)
SAME(cupti_data_size, nodes, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumRangeTreeNodes)
SAME(cupti_data_size, data_size, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize)

HEAD(cupti_data_initialize, data, CUpti_RangeProfiler_CounterDataImage_Initialize_Params)
SAME(cupti_data_initialize, object, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
     pRangeProfilerObject)
SAME(cupti_data_initialize, data_size, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
     counterDataSize)
SAME(cupti_data_initialize, data, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData)

HEAD(cupti_set_config, level, CUpti_RangeProfiler_SetConfig_Params)
SAME(cupti_set_config, object, CUpti_RangeProfiler_SetConfig_Params, pRangeProfilerObject)
SAME(cupti_set_config, image_size, CUpti_RangeProfiler_SetConfig_Params, configSize)
SAME(cupti_set_config, image, CUpti_RangeProfiler_SetConfig_Params, pConfig)
SAME(cupti_set_config, data_size, CUpti_RangeProfiler_SetConfig_Params, counterDataImageSize)
SAME(cupti_set_config, data, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage)
SAME(cupti_set_config, range, CUpti_RangeProfiler_SetConfig_Params, range)
SAME(cupti_set_config, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode)
SAME(cupti_set_config, ranges, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass)
SAME(cupti_set_config, levels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels)
SAME(cupti_set_config, least_level, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel)
SAME(cupti_set_config, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex)
SAME(cupti_set_config, level, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel)

HEAD(cupti_stop, all_submitted, CUpti_RangeProfiler_Stop_Params)
SAME(cupti_stop, object, CUpti_RangeProfiler_Stop_Params, pRangeProfilerObject)
SAME(cupti_stop, pass, CUpti_RangeProfiler_Stop_Params, passIndex)
SAME(cupti_stop, level, CUpti_RangeProfiler_Stop_Params, targetNestingLevel)
SAME(cupti_stop, all_submitted, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted)

HEAD(cupti_push, name, CUpti_RangeProfiler_PushRange_Params)
SAME(cupti_push, object, CUpti_RangeProfiler_PushRange_Params, pRangeProfilerObject)
SAME(cupti_push, name, CUpti_RangeProfiler_PushRange_Params, pRangeName)

HEAD(cupti_decode, dropped, CUpti_RangeProfiler_DecodeData_Params)
SAME(cupti_decode, object, CUpti_RangeProfiler_DecodeData_Params, pRangeProfilerObject)
SAME(cupti_decode, dropped, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped)

#define NUMBER(own, theirs) _Static_assert((int)(own) == (int)(theirs), #own);
NUMBER(CUPTI_INVALID_PARAMETER, CUPTI_ERROR_INVALID_PARAMETER)
NUMBER(CUPTI_OUT_OF_MEMORY, CUPTI_ERROR_OUT_OF_MEMORY)
NUMBER(CUPTI_INVALID_METRIC_NAME, CUPTI_ERROR_INVALID_METRIC_NAME)
NUMBER(CUPTI_NOT_SUPPORTED, CUPTI_ERROR_NOT_SUPPORTED)
NUMBER(CUPTI_VIRTUAL, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED)
NUMBER(CUPTI_NO_PRIVILEGE, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
NUMBER(CUPTI_ANOTHER_SUBSCRIBER, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
NUMBER(CUPTI_VIRTUAL_NOT_ALLOWED, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
NUMBER(CUPTI_CONFIDENTIAL, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED)
NUMBER(CUPTI_MINING, CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED)
NUMBER(CUPTI_MIG, CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED)
NUMBER(CUPTI_SLI, CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED)
NUMBER(CUPTI_INVALID_CHIP, CUPTI_ERROR_INVALID_CHIP_NAME)
NUMBER(CUPTI_RANGE_PROFILER, CUPTI_PROFILER_TYPE_RANGE_PROFILER)
NUMBER(CUPTI_RANGE_PROFILER, CUPTI_PROFILER_RANGE_PROFILING)
NUMBER(CUPTI_METRIC_TYPES, CUPTI_METRIC_TYPE__COUNT)
NUMBER(CUPTI_USER_RANGE, CUPTI_UserRange)
NUMBER(CUPTI_USER_REPLAY, CUPTI_UserReplay)
NUMBER(CUPTI_LEVEL_DISABLED, CUPTI_PROFILER_CONFIGURATION_DISABLED)
NUMBER(CUPTI_LEVEL_SUPPORTED, CUPTI_PROFILER_CONFIGURATION_SUPPORTED)

int main(void)
{
    printf("compared with CUPTI %d\n", CUPTI_API_VERSION);
    return 0;
}
#else
int main(void)
{
    printf("SKIP: no CUDA toolkit was found as this was built\n");
    return 77;
}
#endif
