/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The places in records that src-c/activity/cupti_activity.c reads, against NVIDIA's own headers: it compiles
 * where they agree.
 */
#include <cupti.h>
#include <stddef.h>

#define IS(type, member, place) _Static_assert(offsetof(type, member) == (place), #type "." #member)
#define IS_COPY(type)                                                                                        \
    IS(type, bytes, 8);                                                                                      \
    IS(type, start, 16);                                                                                     \
    IS(type, end, 24);                                                                                       \
    IS(type, deviceId, 32)

IS(CUpti_ActivityKernel10, correlationId, 92);
IS(CUpti_ActivityKernel10, name, 104);
IS(CUpti_ActivityKernel10, start, 16);
IS(CUpti_ActivityKernel10, end, 24);
IS(CUpti_ActivityKernel10, deviceId, 40);
IS_COPY(CUpti_ActivityMemcpy6);
IS_COPY(CUpti_ActivityMemset4);
IS_COPY(CUpti_ActivityMemcpyPtoP4);
IS(CUpti_ActivityMemcpy6, copyKind, 4);
IS(CUpti_ActivityMemcpy6, correlationId, 44);
IS(CUpti_ActivityMemset4, correlationId, 44);
IS(CUpti_ActivityMemcpyPtoP4, correlationId, 60);
IS(CUpti_CallbackData, callbackSite, 0);
IS(CUpti_CallbackData, functionName, 8);
IS(CUpti_CallbackData, correlationId, 64);
_Static_assert(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD == 1 && CUPTI_ACTIVITY_MEMCPY_KIND_DTOH == 2 &&
                   CUPTI_ACTIVITY_MEMCPY_KIND_HTOA == 3 && CUPTI_ACTIVITY_MEMCPY_KIND_ATOH == 4 &&
                   CUPTI_ACTIVITY_MEMCPY_KIND_ATOA == 5 && CUPTI_ACTIVITY_MEMCPY_KIND_ATOD == 6 &&
                   CUPTI_ACTIVITY_MEMCPY_KIND_DTOA == 7 && CUPTI_ACTIVITY_MEMCPY_KIND_DTOD == 8 &&
                   CUPTI_ACTIVITY_MEMCPY_KIND_HTOH == 9 && CUPTI_ACTIVITY_MEMCPY_KIND_PTOP == 10,
               "kinds of copies");
_Static_assert(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL == 10 && CUPTI_ACTIVITY_KIND_KERNEL == 3 &&
                   CUPTI_ACTIVITY_KIND_MEMCPY == 1 && CUPTI_ACTIVITY_KIND_MEMSET == 2 &&
                   CUPTI_ACTIVITY_KIND_MEMCPY2 == 22,
               "kinds of records");
_Static_assert(CUPTI_CB_DOMAIN_DRIVER_API == 1 && CUPTI_CB_DOMAIN_RUNTIME_API == 2 && CUPTI_API_ENTER == 0 &&
                   CUPTI_API_EXIT == 1,
               "callbacks");
_Static_assert(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES == 35 &&
                   CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED == 39 &&
                   CUPTI_ACTIVITY_FLAG_FLUSH_FORCED == 1,
               "results and flags");
