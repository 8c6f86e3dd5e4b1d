/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers, structures and places of src-c/activity/level_zero_tracing.h, against Level Zero's own headers: it
 * compiles where they agree.
 */
#include "activity/level_zero_tracing.h"

#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/ze_api.h>
#include <stddef.h>

#define SAME(ours, theirs) _Static_assert((ours) == (theirs), #ours)
#define CALLED(ours, theirs) SAME(sizeof(void *) * (ours), offsetof(ze_callbacks_t, theirs))
#define ARGUMENT(i, type, member) SAME(sizeof(void *) * (i), offsetof(type, member))
#define MEMBER(ours, our_member, theirs, member)                                                             \
    SAME(offsetof(ours, our_member), offsetof(theirs, member));                                              \
    SAME(sizeof((ours){0}.our_member), sizeof((theirs){0}.member))

SAME(sizeof(struct lz_callbacks), sizeof(ze_callbacks_t));
CALLED(LZ_CONTEXT_DESTROY, Context.pfnDestroyCb);
CALLED(LZ_QUEUE_EXECUTE, CommandQueue.pfnExecuteCommandListsCb);
CALLED(LZ_QUEUE_SYNCHRONIZE, CommandQueue.pfnSynchronizeCb);
CALLED(LZ_LIST_CREATE, CommandList.pfnCreateCb);
CALLED(LZ_LIST_CREATE_IMMEDIATE, CommandList.pfnCreateImmediateCb);
CALLED(LZ_LIST_DESTROY, CommandList.pfnDestroyCb);
CALLED(LZ_LIST_RESET, CommandList.pfnResetCb);
CALLED(LZ_APPEND_COPY, CommandList.pfnAppendMemoryCopyCb);
CALLED(LZ_APPEND_FILL, CommandList.pfnAppendMemoryFillCb);
CALLED(LZ_APPEND_COPY_REGION, CommandList.pfnAppendMemoryCopyRegionCb);
CALLED(LZ_APPEND_KERNEL, CommandList.pfnAppendLaunchKernelCb);
CALLED(LZ_APPEND_COOPERATIVE_KERNEL, CommandList.pfnAppendLaunchCooperativeKernelCb);
CALLED(LZ_APPEND_KERNEL_INDIRECT, CommandList.pfnAppendLaunchKernelIndirectCb);
CALLED(LZ_FENCE_SYNCHRONIZE, Fence.pfnHostSynchronizeCb);
CALLED(LZ_POOL_CREATE, EventPool.pfnCreateCb);
CALLED(LZ_POOL_DESTROY, EventPool.pfnDestroyCb);
CALLED(LZ_EVENT_CREATE, Event.pfnCreateCb);
CALLED(LZ_EVENT_DESTROY, Event.pfnDestroyCb);
CALLED(LZ_EVENT_SYNCHRONIZE, Event.pfnHostSynchronizeCb);
CALLED(LZ_EVENT_RESET, Event.pfnHostResetCb);

ARGUMENT(0, ze_command_list_append_launch_kernel_params_t, phCommandList);
ARGUMENT(1, ze_command_list_append_launch_kernel_params_t, phKernel);
ARGUMENT(3, ze_command_list_append_launch_kernel_params_t, phSignalEvent);
ARGUMENT(1, ze_command_list_append_launch_cooperative_kernel_params_t, phKernel);
ARGUMENT(3, ze_command_list_append_launch_cooperative_kernel_params_t, phSignalEvent);
ARGUMENT(1, ze_command_list_append_launch_kernel_indirect_params_t, phKernel);
ARGUMENT(3, ze_command_list_append_launch_kernel_indirect_params_t, phSignalEvent);
ARGUMENT(1, ze_command_list_append_memory_copy_params_t, pdstptr);
ARGUMENT(2, ze_command_list_append_memory_copy_params_t, psrcptr);
ARGUMENT(3, ze_command_list_append_memory_copy_params_t, psize);
ARGUMENT(4, ze_command_list_append_memory_copy_params_t, phSignalEvent);
ARGUMENT(4, ze_command_list_append_memory_fill_params_t, psize);
ARGUMENT(5, ze_command_list_append_memory_fill_params_t, phSignalEvent);
ARGUMENT(1, ze_command_list_append_memory_copy_region_params_t, pdstptr);
ARGUMENT(2, ze_command_list_append_memory_copy_region_params_t, pdstRegion);
ARGUMENT(5, ze_command_list_append_memory_copy_region_params_t, psrcptr);
ARGUMENT(9, ze_command_list_append_memory_copy_region_params_t, phSignalEvent);
ARGUMENT(0, ze_command_list_create_params_t, phContext);
ARGUMENT(1, ze_command_list_create_params_t, phDevice);
ARGUMENT(3, ze_command_list_create_params_t, pphCommandList);
ARGUMENT(3, ze_command_list_create_immediate_params_t, pphCommandList);
ARGUMENT(1, ze_command_queue_execute_command_lists_params_t, pnumCommandLists);
ARGUMENT(2, ze_command_queue_execute_command_lists_params_t, pphCommandLists);
ARGUMENT(1, ze_event_pool_create_params_t, pdesc);
ARGUMENT(4, ze_event_pool_create_params_t, pphEventPool);
ARGUMENT(0, ze_event_create_params_t, phEventPool);
ARGUMENT(2, ze_event_create_params_t, pphEvent);

SAME(sizeof(struct lz_event_pool), sizeof(ze_event_pool_desc_t));
MEMBER(struct lz_event_pool, flags, ze_event_pool_desc_t, flags);
MEMBER(struct lz_event_pool, count, ze_event_pool_desc_t, count);
SAME(sizeof(struct lz_event), sizeof(ze_event_desc_t));
MEMBER(struct lz_event, index, ze_event_desc_t, index);
SAME(sizeof(struct lz_times), sizeof(ze_kernel_timestamp_result_t));
MEMBER(struct lz_times, begin, ze_kernel_timestamp_result_t, global.kernelStart);
MEMBER(struct lz_times, end, ze_kernel_timestamp_result_t, global.kernelEnd);
SAME(sizeof(struct lz_memory), sizeof(ze_memory_allocation_properties_t));
MEMBER(struct lz_memory, type, ze_memory_allocation_properties_t, type);
SAME(sizeof(struct lz_pci), sizeof(ze_pci_ext_properties_t));
MEMBER(struct lz_pci, bus, ze_pci_ext_properties_t, address.bus);
MEMBER(struct lz_pci, function, ze_pci_ext_properties_t, address.function);
SAME(sizeof(struct lz_region), sizeof(ze_copy_region_t));
MEMBER(struct lz_region, width, ze_copy_region_t, width);
MEMBER(struct lz_region, depth, ze_copy_region_t, depth);
SAME(sizeof(struct lz_tracer), sizeof(zel_tracer_desc_t));
MEMBER(struct lz_device_properties, kernel_timestamp_bits, ze_device_properties_t, kernelTimestampValidBits);
MEMBER(struct lz_device_properties, timer, ze_device_properties_t, timerResolution);

SAME((int)LZ_DEVICE_PROPERTIES_1_2, (int)ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2);
SAME((int)LZ_EVENT_POOL, (int)ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
SAME((int)LZ_EVENT_IN_POOL, (int)ZE_STRUCTURE_TYPE_EVENT_DESC);
SAME((int)LZ_MEMORY, (int)ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES);
SAME((int)LZ_PCI, (int)ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES);
SAME((int)LZ_TRACER, (int)ZEL_STRUCTURE_TYPE_TRACER_DESC);
SAME((int)LZ_POOL_FOR_HOST, (int)ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
SAME((int)LZ_POOL_FOR_PROCESSES, (int)ZE_EVENT_POOL_FLAG_IPC);
SAME((int)LZ_POOL_WITH_TIMES, (int)ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
SAME((int)LZ_MEMORY_UNKNOWN, (int)ZE_MEMORY_TYPE_UNKNOWN);
SAME((int)LZ_MEMORY_OF_HOST, (int)ZE_MEMORY_TYPE_HOST);
SAME((int)LZ_MEMORY_OF_DEVICE, (int)ZE_MEMORY_TYPE_DEVICE);
