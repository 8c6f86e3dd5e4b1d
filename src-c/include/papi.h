/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi.h: the public C interface of fpapi. The manual pages are made from its comments:
 * fpapi/generator/contracts.py tells what they look like.
 *
 * Conventions that hold for every function unless its own text says otherwise:
 *  - A function that returns int returns PAPI_OK (0) or one of the negative PAPI_E* codes below.
 *  - PAPI_ENOINIT: the library is not initialised. Every low-level function can return it.
 *  - PAPI_ENOEVST: the handle is not an event set of the calling thread (never created, destroyed,
 *    or created by another thread: a thread uses the event sets that it made).
 *  - PAPI_ECLOST: the event set was made before fork() and its counters belong to the parent.
 *  - PAPI_ESYS: a system call failed; errno is as that call left it.
 *  - Counts are 64-bit, in events, in the order in which the events were added.
 *  - Nothing is printed, unless PAPI_set_debug() or one of the environment variables PAPI_VERBOSE and
 *    PAPI_DEBUG asks; but a program that ends and cannot write its regions says so on stderr.
 */
#ifndef PAPI_H
#define PAPI_H

#if defined(__STRICT_ANSI__) && !defined(__cplusplus) && !defined(__STDC_VERSION__)
#pragma GCC system_header /* strict C90: no complaint of long long, nor of the macro PAPI_perror */
#endif

#include <limits.h> /* this one and the next: codes expect them from here */
#include <signal.h>
#include <stddef.h>
#include <sys/types.h> /* caddr_t, too */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- version */

#define PAPI_VERSION_NUMBER(maj, min, rev, inc) (((maj) << 24) | ((min) << 16) | ((rev) << 8) | (inc))
#define PAPI_VERSION_MAJOR(x) (((x) >> 24) & 0xff)
#define PAPI_VERSION_MINOR(x) (((x) >> 16) & 0xff)
#define PAPI_VERSION_REVISION(x) (((x) >> 8) & 0xff)
#define PAPI_VERSION_INCREMENT(x) ((x)&0xff)

/* The version of the interface that this header describes. Scripts look for it without spaces. */
/* clang-format off */
#define PAPI_VERSION PAPI_VERSION_NUMBER(7,3,0,0)
/* clang-format on */
#define PAPI_VER_CURRENT (PAPI_VERSION & 0xffff0000)

/* ---- return codes */

#define PAPI_OK 0              /* no error */
#define PAPI_EINVAL -1         /* invalid argument */
#define PAPI_ENOMEM -2         /* out of memory */
#define PAPI_ESYS -3           /* a system or C library call failed: see errno */
#define PAPI_ECMP -4           /* not supported by this component */
#define PAPI_ESBSTR PAPI_ECMP  /* the same, under its older name */
#define PAPI_ECLOST -5         /* access to the counters was lost or interrupted */
#define PAPI_EBUG -6           /* internal error */
#define PAPI_ENOEVNT -7        /* no such event on this machine */
#define PAPI_ECNFLCT -8        /* the events cannot be counted together */
#define PAPI_ENOTRUN -9        /* the event set is not running */
#define PAPI_EISRUN -10        /* the event set is running */
#define PAPI_ENOEVST -11       /* no such event set */
#define PAPI_ENOTPRESET -12    /* the code is not a preset */
#define PAPI_ENOCNTR -13       /* no hardware counters here */
#define PAPI_EMISC -14         /* any other error */
#define PAPI_EPERM -15         /* the permission is missing */
#define PAPI_ENOINIT -16       /* the library is not initialised */
#define PAPI_ENOCMP -17        /* no such component */
#define PAPI_ENOSUPP -18       /* not supported */
#define PAPI_ENOIMPL -19       /* not implemented */
#define PAPI_EBUF -20          /* a buffer is too small */
#define PAPI_EINVAL_DOM -21    /* the domain is not available */
#define PAPI_EATTR -22         /* invalid or missing event attributes */
#define PAPI_ECOUNT -23        /* too many events or attributes */
#define PAPI_ECOMBO -24        /* a bad combination of features */
#define PAPI_ECMP_DISABLED -25 /* the component is disabled */
#define PAPI_EDELAY_INIT -26   /* the component is not initialised yet */
#define PAPI_EMULPASS -27      /* the event needs several passes */
#define PAPI_PARTIAL -28       /* the component is partly disabled */
#define PAPI_NUM_ERRORS 29     /* how many codes there are, PAPI_OK included */

/* ---- states of things */

#define PAPI_NOT_INITED 0          /* PAPI_is_initialized: nothing was called yet */
#define PAPI_LOW_LEVEL_INITED 1    /* PAPI_library_init was called */
#define PAPI_HIGH_LEVEL_INITED 2   /* a high-level function was called */
#define PAPI_THREAD_LEVEL_INITED 4 /* or-ed in: PAPI_thread_init was called */

#define PAPI_NULL -1 /* the handle of no event set */

/* PAPI_state: or-ed together */
#define PAPI_STOPPED 0x01
#define PAPI_RUNNING 0x02
#define PAPI_PAUSED 0x04
#define PAPI_NOT_INIT 0x08
#define PAPI_OVERFLOWING 0x10
#define PAPI_PROFILING 0x20
#define PAPI_MULTIPLEXING 0x40
#define PAPI_ATTACHED 0x80
#define PAPI_CPU_ATTACHED 0x100
#define PAPI_SHARING 0x800 /* this library's own */
/* Older states that never occur */
#define PAPI_ACCUMULATING 0x200
#define PAPI_HWPROFILING 0x400

/* ---- string lengths */

#define PAPI_MIN_STR_LEN 64
#define PAPI_MAX_STR_LEN 128
#define PAPI_2MAX_STR_LEN 256
#define PAPI_HUGE_STR_LEN 1024

/* ---- event codes */

#define PAPI_PRESET_MASK ((int)0x80000000)
#define PAPI_NATIVE_MASK ((int)0x40000000)
#define PAPI_UE_MASK ((int)0xC0000000)
/* The kind of a code, by its two top bits alone, whether there is such an event or not. */
#define IS_PRESET(code) (((code)&PAPI_UE_MASK) == PAPI_PRESET_MASK)
#define IS_NATIVE(code) (((code)&PAPI_UE_MASK) == PAPI_NATIVE_MASK)
#define IS_USER_DEFINED(code) (((code)&PAPI_UE_MASK) == PAPI_UE_MASK)
#define PAPI_PRESET_AND_MASK ((int)0x80000000)
#define PAPI_NATIVE_AND_MASK ((int)0xBFFFFFFF)
#define PAPI_UE_AND_MASK 0x3FFFFFFF
#define PAPI_NTV_GROUP_AND_MASK 0x00FF0000
#define PAPI_NTV_GROUP_SHIFT 16

#define PAPI_MAX_PRESET_EVENTS 128
#define PAPI_MAX_USER_EVENTS 50
#define USER_EVENT_OPERATION_LEN 512

#include "papiStdEventDefs.h"

/* Modifiers of PAPI_enum_event and PAPI_enum_cmp_event */
#define PAPI_ENUM_EVENTS 0 /* the next event */
#define PAPI_ENUM_ALL PAPI_ENUM_EVENTS
#define PAPI_ENUM_FIRST 1        /* the first event of the kind (and component) of the code */
#define PAPI_PRESET_ENUM_AVAIL 2 /* the next preset that counts on this machine */
#define PAPI_ENUM_PRESET_AVAIL PAPI_PRESET_ENUM_AVAIL
#define PAPI_PRESET_ENUM_CPU 3        /* the next preset of the processor: all are */
#define PAPI_PRESET_ENUM_CPU_AVAIL 4  /* the next of them that counts on this machine */
#define PAPI_PRESET_ENUM_FIRST_COMP 5 /* the first preset of another component: none has any */
#define PAPI_PRESET_ENUM_MSC 6        /* the next preset of one kind: what fits no other */
#define PAPI_PRESET_ENUM_INS 7        /* instructions */
#define PAPI_PRESET_ENUM_IDL 8        /* idle and stalled cycles */
#define PAPI_PRESET_ENUM_BR 9         /* branches */
#define PAPI_PRESET_ENUM_CND 10       /* conditional stores */
#define PAPI_PRESET_ENUM_MEM 11       /* memory accesses */
#define PAPI_PRESET_ENUM_CACH 12      /* caches, of any level */
#define PAPI_PRESET_ENUM_L1 13
#define PAPI_PRESET_ENUM_L2 14
#define PAPI_PRESET_ENUM_L3 15
#define PAPI_PRESET_ENUM_TLB 16
#define PAPI_PRESET_ENUM_FP 17  /* floating point */
#define PAPI_NTV_ENUM_UMASKS 18 /* the next mask of the native event */
#define PAPI_NTV_ENUM_UMASK_COMBOS 19
#define PAPI_NTV_ENUM_IARR 20
#define PAPI_NTV_ENUM_DARR 21
#define PAPI_NTV_ENUM_OPCM 22
#define PAPI_NTV_ENUM_IEAR 23
#define PAPI_NTV_ENUM_DEAR 24
#define PAPI_NTV_ENUM_GROUPS 25
/* The same under their names of PAPI 3 */
#define PAPI_PENT4_ENUM_GROUPS PAPI_ENUM_EVENTS
#define PAPI_PENT4_ENUM_COMBOS PAPI_NTV_ENUM_UMASK_COMBOS
#define PAPI_PENT4_ENUM_BITS PAPI_NTV_ENUM_UMASKS
#define PAPI_ITA_ENUM_IARR PAPI_NTV_ENUM_IARR
#define PAPI_ITA_ENUM_DARR PAPI_NTV_ENUM_DARR
#define PAPI_ITA_ENUM_OPCM PAPI_NTV_ENUM_OPCM
#define PAPI_ITA_ENUM_IEAR PAPI_NTV_ENUM_IEAR
#define PAPI_ITA_ENUM_DEAR PAPI_NTV_ENUM_DEAR
#define PAPI_PWR4_ENUM_GROUPS PAPI_NTV_ENUM_GROUPS

/* The kinds of presets in PAPI_event_info_t.event_type, or-ed */
#define PAPI_PRESET_BIT_MSC (1 << PAPI_PRESET_ENUM_MSC)
#define PAPI_PRESET_BIT_INS (1 << PAPI_PRESET_ENUM_INS)
#define PAPI_PRESET_BIT_IDL (1 << PAPI_PRESET_ENUM_IDL)
#define PAPI_PRESET_BIT_BR (1 << PAPI_PRESET_ENUM_BR)
#define PAPI_PRESET_BIT_CND (1 << PAPI_PRESET_ENUM_CND)
#define PAPI_PRESET_BIT_MEM (1 << PAPI_PRESET_ENUM_MEM)
#define PAPI_PRESET_BIT_CACH (1 << PAPI_PRESET_ENUM_CACH)
#define PAPI_PRESET_BIT_L1 (1 << PAPI_PRESET_ENUM_L1)
#define PAPI_PRESET_BIT_L2 (1 << PAPI_PRESET_ENUM_L2)
#define PAPI_PRESET_BIT_L3 (1 << PAPI_PRESET_ENUM_L3)
#define PAPI_PRESET_BIT_TLB (1 << PAPI_PRESET_ENUM_TLB)
#define PAPI_PRESET_BIT_FP (1 << PAPI_PRESET_ENUM_FP)

#define PAPI_DERIVED 1

/* ---- domains, granularities */

#define PAPI_DOM_USER 0x1       /* user mode */
#define PAPI_DOM_KERNEL 0x2     /* kernel mode, on behalf of the thread */
#define PAPI_DOM_OTHER 0x4      /* transient and exception modes */
#define PAPI_DOM_SUPERVISOR 0x8 /* hypervisor mode */
#define PAPI_DOM_ALL (PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_OTHER | PAPI_DOM_SUPERVISOR)
#define PAPI_DOM_MIN PAPI_DOM_USER
#define PAPI_DOM_MAX PAPI_DOM_ALL
#define PAPI_DOM_HWSPEC ((int)0x80000000)

#define PAPI_GRN_THR 0x1
#define PAPI_GRN_MIN PAPI_GRN_THR
#define PAPI_GRN_PROC 0x2
#define PAPI_GRN_PROCG 0x4
#define PAPI_GRN_SYS 0x8
#define PAPI_GRN_SYS_CPU 0x10
#define PAPI_GRN_MAX PAPI_GRN_SYS_CPU

/* ---- threads */

#define PAPI_TLS_USR1 0
#define PAPI_TLS_USR2 1
#define PAPI_TLS_HIGH_LEVEL 2 /* the high-level interface keeps its state here */
#define PAPI_TLS_NUM 3
#define PAPI_TLS_ALL_THREADS 0x10
#define PAPI_USR1_TLS PAPI_TLS_USR1
#define PAPI_USR2_TLS PAPI_TLS_USR2
#define PAPI_NUM_TLS PAPI_TLS_NUM

#define PAPI_LOCK_USR1 0
#define PAPI_LOCK_USR2 1
#define PAPI_LOCK_NUM 2
#define PAPI_USR1_LOCK PAPI_LOCK_USR1
#define PAPI_USR2_LOCK PAPI_LOCK_USR2
#define PAPI_NUM_LOCK PAPI_LOCK_NUM

/* ---- options, debug, etc. */

#define PAPI_QUIET 0      /* print nothing */
#define PAPI_VERB_ECONT 1 /* print each error on stderr and go on */
#define PAPI_VERB_ESTOP 2 /* the same: this library never ends a program */

#define PAPI_DETACH 1
#define PAPI_DEBUG 2
#define PAPI_MULTIPLEX 3
#define PAPI_DEFDOM 4
#define PAPI_DOMAIN 5
#define PAPI_DEFGRN 6
#define PAPI_GRANUL 7
#define PAPI_DEF_MPX_NS 8
#define PAPI_DEF_MPX_USEC PAPI_DEF_MPX_NS
#define PAPI_MAX_MPX_CTRS 11
#define PAPI_PROFIL 12
#define PAPI_PRELOAD 13
#define PAPI_CLOCKRATE 14
#define PAPI_MAX_HWCTRS 15
#define PAPI_HWINFO 16
#define PAPI_EXEINFO 17
#define PAPI_MAX_CPUS 18
#define PAPI_ATTACH 19
#define PAPI_SHLIBINFO 20
#define PAPI_LIB_VERSION 21
#define PAPI_COMPONENTINFO 22
#define PAPI_SUBSTRATEINFO PAPI_COMPONENTINFO
#define PAPI_DATA_ADDRESS 23
#define PAPI_INSTR_ADDRESS 24
#define PAPI_DEF_ITIMER 25
#define PAPI_DEF_ITIMER_NS 26
#define PAPI_CPU_ATTACH 27
#define PAPI_INHERIT 28
#define PAPI_USER_EVENTS_FILE 29
#define PAPI_PRECISE 64 /* from here on this library's own */
#define PAPI_SHARE 65
#define PAPI_WAIT 66

#define PAPI_INIT_SLOTS 64
#define PAPI_MULTIPLEX_DEFAULT 0
#define PAPI_MULTIPLEX_FORCE_SW 1
#define PAPI_INHERIT_ALL 1
#define PAPI_INHERIT_NONE 0

#define PAPI_PROCESS_TREE 0x1    /* of PAPI_attach_process, which only fpapi has */
#define PAPI_PROCESS_THREADS 0x2 /* the same */

#define PAPI_OVERFLOW_FORCE_SW 0x40
#define PAPI_OVERFLOW_HARDWARE 0x80

#define PAPI_PRECISE_MOST -1

/* Constants of samples (PAPI_sample_open), which are this library's own. */
#define PAPI_SAMPLE_WITH_BRANCHES 0x1

#define PAPI_SAMPLE_LOAD 0x1 /* access */
#define PAPI_SAMPLE_STORE 0x2
#define PAPI_SAMPLE_PREFETCH 0x4
#define PAPI_SAMPLE_EXECUTION 0x8

#define PAPI_SAMPLE_UNKNOWN 0 /* level, tlb, snoop, hops */
#define PAPI_SAMPLE_L1 1
#define PAPI_SAMPLE_BUFFER 2 /* the line was on its way already */
#define PAPI_SAMPLE_L2 3
#define PAPI_SAMPLE_L3 4
#define PAPI_SAMPLE_OTHER_CACHE 5 /* another core's, or another node's */
#define PAPI_SAMPLE_BEYOND_L1 6   /* somewhere */
#define PAPI_SAMPLE_LOCAL_MEMORY 7
#define PAPI_SAMPLE_REMOTE_MEMORY 8 /* another node's */
#define PAPI_SAMPLE_SLOW_MEMORY 9   /* persistent, or behind CXL */
#define PAPI_SAMPLE_DEVICE 10       /* and what is not cached */
#define PAPI_SAMPLE_TLB_FIRST 1
#define PAPI_SAMPLE_TLB_SECOND 2
#define PAPI_SAMPLE_TLB_EITHER 3
#define PAPI_SAMPLE_TLB_WALK 4
#define PAPI_SAMPLE_SNOOP_NONE 1     /* other caches were not asked */
#define PAPI_SAMPLE_SNOOP_MISS 2     /* had nothing */
#define PAPI_SAMPLE_SNOOP_HIT 3      /* had the line */
#define PAPI_SAMPLE_SNOOP_MODIFIED 4 /* had it modified */
#define PAPI_SAMPLE_HOPS_CORE 1      /* to another core, node of the socket, socket, board */
#define PAPI_SAMPLE_HOPS_NODE 2
#define PAPI_SAMPLE_HOPS_SOCKET 3
#define PAPI_SAMPLE_HOPS_BOARD 4

#define PAPI_SAMPLE_EXACT 0x1      /* flags: instruction is the one that caused the sample */
#define PAPI_SAMPLE_KERNEL 0x2     /* it is the kernel's */
#define PAPI_SAMPLE_LOCKED 0x4     /* an atomic access */
#define PAPI_SAMPLE_REMOTE 0x8     /* data of another node */
#define PAPI_SAMPLE_FORWARDED 0x10 /* another core's cache gave the line */
#define PAPI_SAMPLE_BLOCKED 0x20   /* a store before held the load up */

#define PAPI_BRANCH_MISPREDICTED 0x1 /* neither of both: not known */
#define PAPI_BRANCH_PREDICTED 0x2
#define PAPI_BRANCH_IN_TRANSACTION 0x4
#define PAPI_BRANCH_ABORTED 0x8

#define PAPI_PROFIL_POSIX 0x0
#define PAPI_PROFIL_RANDOM 0x1
#define PAPI_PROFIL_WEIGHTED 0x2
#define PAPI_PROFIL_COMPRESS 0x4
#define PAPI_PROFIL_BUCKET_16 0x8
#define PAPI_PROFIL_BUCKET_32 0x10
#define PAPI_PROFIL_BUCKET_64 0x20
#define PAPI_PROFIL_FORCE_SW 0x40
#define PAPI_PROFIL_DATA_EAR 0x80
#define PAPI_PROFIL_INST_EAR 0x100
#define PAPI_PROFIL_BUCKETS (PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_32 | PAPI_PROFIL_BUCKET_64)

/* The kind of an event's value (PAPI_event_info_t) */
#define PAPI_DATATYPE_INT64 0
#define PAPI_DATATYPE_UINT64 1
#define PAPI_DATATYPE_FP64 2
#define PAPI_DATATYPE_BIT64 3
#define PAPI_VALUETYPE_RUNNING_SUM 0
#define PAPI_VALUETYPE_ABSOLUTE 1
#define PAPI_TIMESCOPE_SINCE_START 0
#define PAPI_TIMESCOPE_SINCE_LAST 1
#define PAPI_TIMESCOPE_UNTIL_NEXT 2
#define PAPI_TIMESCOPE_POINT 3
#define PAPI_UPDATETYPE_ARBITRARY 0
#define PAPI_UPDATETYPE_PUSH 1
#define PAPI_UPDATETYPE_PULL 2
#define PAPI_UPDATETYPE_FIXEDFREQ 3
#define PAPI_LOCATION_CORE 0
#define PAPI_LOCATION_CPU 1
#define PAPI_LOCATION_PACKAGE 2
#define PAPI_LOCATION_UNCORE 3

#define PAPI_VENDOR_UNKNOWN 0
#define PAPI_VENDOR_INTEL 1
#define PAPI_VENDOR_AMD 2
#define PAPI_VENDOR_IBM 3
#define PAPI_VENDOR_CRAY 4
#define PAPI_VENDOR_SUN 5
#define PAPI_VENDOR_FREESCALE 6
#define PAPI_VENDOR_ARM 7
#define PAPI_VENDOR_MIPS 8
#define PAPI_VENDOR_ARM_ARM 0x41
#define PAPI_VENDOR_ARM_BROADCOM 0x42
#define PAPI_VENDOR_ARM_CAVIUM 0x43
#define PAPI_VENDOR_ARM_FUJITSU 0x46
#define PAPI_VENDOR_ARM_HISILICON 0x48
#define PAPI_VENDOR_ARM_APM 0x50
#define PAPI_VENDOR_ARM_QUALCOMM 0x51

/* ---- devices (7.x) */

#define PAPI_DEV_TYPE_ID__CPU 0
#define PAPI_DEV_TYPE_ID__CUDA 1
#define PAPI_DEV_TYPE_ID__ROCM 2
#define PAPI_DEV_TYPE_ID__MAX_NUM 3
#define PAPI_DEV_TYPE_ENUM__FIRST 0
#define PAPI_DEV_TYPE_ENUM__CPU 1
#define PAPI_DEV_TYPE_ENUM__CUDA 2
#define PAPI_DEV_TYPE_ENUM__ROCM 4
#define PAPI_DEV_TYPE_ENUM__ALL 7
typedef int PAPI_dev_type_id_e; /* PAPI_DEV_TYPE_ID__* */

typedef enum {
    PAPI_DEV_TYPE_ATTR__INT_PAPI_ID = 0,
    PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID,
    PAPI_DEV_TYPE_ATTR__CHAR_NAME,
    PAPI_DEV_TYPE_ATTR__INT_COUNT,
    PAPI_DEV_TYPE_ATTR__CHAR_STATUS
} PAPI_dev_type_attr_e;

typedef enum {
    PAPI_DEV_ATTR__CPU_CHAR_NAME = 0,
    PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE,
    PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_SIZE,
    PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_SIZE,
    PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_SIZE,
    PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_SIZE,
    PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_LINE_SIZE,
    PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_LINE_SIZE,
    PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_LINE_SIZE,
    PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_COUNT,
    PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_LINE_COUNT,
    PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_LINE_COUNT,
    PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_LINE_COUNT,
    PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_ASSOC,
    PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_ASSOC,
    PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_ASSOC,
    PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_ASSOC,
    PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT,
    PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT,
    PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT,
    PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT,
    PAPI_DEV_ATTR__CPU_UINT_FAMILY,
    PAPI_DEV_ATTR__CPU_UINT_MODEL,
    PAPI_DEV_ATTR__CPU_UINT_STEPPING,
    PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE,
    PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY,
    PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA,
    PAPI_DEV_ATTR__CUDA_ULONG_UID,
    PAPI_DEV_ATTR__CUDA_CHAR_DEVICE_NAME,
    PAPI_DEV_ATTR__CUDA_UINT_WARP_SIZE,
    PAPI_DEV_ATTR__CUDA_UINT_SHM_PER_BLK,
    PAPI_DEV_ATTR__CUDA_UINT_SHM_PER_SM,
    PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_X,
    PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_Y,
    PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_Z,
    PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_X,
    PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_Y,
    PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_Z,
    PAPI_DEV_ATTR__CUDA_UINT_THR_PER_BLK,
    PAPI_DEV_ATTR__CUDA_UINT_SM_COUNT,
    PAPI_DEV_ATTR__CUDA_UINT_MULTI_KERNEL,
    PAPI_DEV_ATTR__CUDA_UINT_MAP_HOST_MEM,
    PAPI_DEV_ATTR__CUDA_UINT_MEMCPY_OVERLAP,
    PAPI_DEV_ATTR__CUDA_UINT_UNIFIED_ADDR,
    PAPI_DEV_ATTR__CUDA_UINT_MANAGED_MEM,
    PAPI_DEV_ATTR__CUDA_UINT_COMP_CAP_MAJOR,
    PAPI_DEV_ATTR__CUDA_UINT_COMP_CAP_MINOR,
    PAPI_DEV_ATTR__CUDA_UINT_BLK_PER_SM,
    PAPI_DEV_ATTR__ROCM_ULONG_UID,
    PAPI_DEV_ATTR__ROCM_CHAR_DEVICE_NAME,
    PAPI_DEV_ATTR__ROCM_UINT_WAVEFRONT_SIZE,
    PAPI_DEV_ATTR__ROCM_UINT_WORKGROUP_SIZE,
    PAPI_DEV_ATTR__ROCM_UINT_WAVE_PER_CU,
    PAPI_DEV_ATTR__ROCM_UINT_SHM_PER_WG,
    PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_X,
    PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_Y,
    PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_Z,
    PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_X,
    PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_Y,
    PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_Z,
    PAPI_DEV_ATTR__ROCM_UINT_CU_COUNT,
    PAPI_DEV_ATTR__ROCM_UINT_SIMD_PER_CU,
    PAPI_DEV_ATTR__ROCM_UINT_COMP_CAP_MAJOR,
    PAPI_DEV_ATTR__ROCM_UINT_COMP_CAP_MINOR
} PAPI_dev_attr_e;

/* ---- structures */

#define long_long long long /* macros: codes write unsigned long_long */
#define u_long_long unsigned long long
typedef void *vptr_t;
typedef char *PAPI_user_defined_events_file_t;
typedef unsigned long PAPI_thread_id_t;

/* The result of PAPI_get_thr_specific with PAPI_TLS_ALL_THREADS. */
typedef struct _papi_all_thr_spec {
    int num;              /* in: the room of the arrays; out: how many threads there are */
    PAPI_thread_id_t *id; /* their numbers, as of PAPI_list_threads; may be NULL */
    void **data;          /* their pointers, in the same order; may be NULL */
} PAPI_all_thr_spec_t;

/* A region of a histogram (PAPI_sprofil), as PAPI_profil takes it. */
typedef struct _papi_sprofil {
    void *pr_base;     /* the buckets */
    unsigned pr_size;  /* bytes */
    vptr_t pr_off;     /* the lowest address */
    unsigned pr_scale; /* 65536: two addresses a bucket; see PAPI_profil */
} PAPI_sprofil_t;

/* Called on an overflow: the event set, the address of the interrupted instruction, one bit for
 * each event (by its position in the set) that overflowed, and the signal's machine context. */
typedef void (*PAPI_overflow_handler_t)(int es, void *address, long long overflow_vector, void *context);
/* Called with the code of each error while debugging is on (PAPI_set_opt with PAPI_DEBUG). What it
 * returns is not looked at. */
typedef int (*PAPI_debug_handler_t)(int code);

/* The description of an event, which PAPI_get_event_info fills. */
#define PAPI_MAX_INFO_TERMS 12
#define PAPI_MAX_COMP_QUALS 8
#define PAPI_PMU_MAX 80
#define PAPI_MAX_MEM_HIERARCHY_LEVELS 4
typedef struct papi_event_info {
    unsigned int event_code;
    char symbol[PAPI_HUGE_STR_LEN];         /* its name */
    char short_descr[PAPI_MIN_STR_LEN];     /* a few words (presets) */
    char long_descr[PAPI_HUGE_STR_LEN];     /* a sentence */
    int component_index;                    /* the component that counts it */
    char units[PAPI_MIN_STR_LEN];           /* of the value; empty for plain counts */
    int location;                           /* PAPI_LOCATION_* */
    int data_type;                          /* PAPI_DATATYPE_* */
    int value_type;                         /* PAPI_VALUETYPE_* */
    int timescope;                          /* PAPI_TIMESCOPE_* */
    int update_type;                        /* PAPI_UPDATETYPE_* */
    int update_freq;                        /* in Hz, where fixed */
    unsigned int count;                     /* presets: how many native events it takes, 0 where the
                                               machine cannot count it. This and what follows also of
                                               shares, such as those of the component topdown */
    unsigned int event_type;                /* presets: its category (PAPI_PRESET_BIT_*) */
    char derived[PAPI_MIN_STR_LEN];         /* presets: NOT_DERIVED, DERIVED_ADD, ... */
    char postfix[PAPI_2MAX_STR_LEN];        /* presets: the formula of DERIVED_POSTFIX */
    unsigned int code[PAPI_MAX_INFO_TERMS]; /* presets: codes of the native events */
    char name[PAPI_MAX_INFO_TERMS][PAPI_2MAX_STR_LEN]; /* and their names */
#ifdef __GNUC__
    __extension__ /* no member name before C11 */
#endif
        union {
        char note[PAPI_HUGE_STR_LEN]; /* a remark; for an event that cannot be counted, why */
        char event_note[PAPI_HUGE_STR_LEN];
    };
    int num_quals; /* native events: how many qualifiers */
    char quals[PAPI_MAX_COMP_QUALS][PAPI_HUGE_STR_LEN];
    char quals_descrs[PAPI_MAX_COMP_QUALS][PAPI_HUGE_STR_LEN];
} PAPI_event_info_t;

/* Caches and translation buffers. Types are or-ed from PAPI_MH_TYPE_*. */
#define PAPI_MH_TYPE_EMPTY 0x0
#define PAPI_MH_TYPE_INST 0x1
#define PAPI_MH_TYPE_DATA 0x2
#define PAPI_MH_TYPE_VECTOR 0x4
#define PAPI_MH_TYPE_TRACE 0x8
#define PAPI_MH_TYPE_UNIFIED (PAPI_MH_TYPE_INST | PAPI_MH_TYPE_DATA)
#define PAPI_MH_CACHE_TYPE(a) ((a)&0xf)
#define PAPI_MH_TYPE_WT 0x00
#define PAPI_MH_TYPE_WB 0x10
#define PAPI_MH_CACHE_WRITE_POLICY(a) ((a)&0xf0)
#define PAPI_MH_TYPE_UNKNOWN 0x000
#define PAPI_MH_TYPE_LRU 0x100
#define PAPI_MH_TYPE_PSEUDO_LRU 0x200
#define PAPI_MH_TYPE_FIFO 0x400
#define PAPI_MH_CACHE_REPLACEMENT_POLICY(a) ((a)&0xf00)
#define PAPI_MH_TYPE_TLB 0x1000
#define PAPI_MH_TYPE_PREF 0x2000
#define PAPI_MH_TYPE_RD_ALLOC 0x10000
#define PAPI_MH_TYPE_WR_ALLOC 0x20000
#define PAPI_MH_TYPE_RW_ALLOC 0x40000
#define PAPI_MH_CACHE_ALLOCATION_POLICY(a) ((a)&0xf0000)
#define PAPI_MH_MAX_LEVELS 6

typedef struct _papi_mh_tlb_info {
    int type;
    int num_entries;
    int page_size;     /* bytes */
    int associativity; /* ways; INT_MAX for fully associative, 0 where unknown */
} PAPI_mh_tlb_info_t;

typedef struct _papi_mh_cache_info {
    int type;
    int size;      /* bytes */
    int line_size; /* bytes */
    int num_lines;
    int associativity; /* ways; SHRT_MAX for fully associative, 0 where unknown */
} PAPI_mh_cache_info_t;

typedef struct _papi_mh_level_info {
    PAPI_mh_tlb_info_t tlb[PAPI_MH_MAX_LEVELS];
    PAPI_mh_cache_info_t cache[PAPI_MH_MAX_LEVELS];
} PAPI_mh_level_t;

typedef struct _papi_mh_info {
    int levels;
    PAPI_mh_level_t level[PAPI_MAX_MEM_HIERARCHY_LEVELS];
} PAPI_mh_info_t;

typedef struct _papi_hw_info {
    int ncpu;    /* CPUs (hardware threads) in one NUMA node */
    int threads; /* hardware threads in one core */
    int cores;   /* cores in one socket */
    int sockets;
    int nnodes;    /* NUMA nodes */
    int totalcpus; /* CPUs (hardware threads) in the machine */
    int vendor;    /* PAPI_VENDOR_* */
    char vendor_string[PAPI_MAX_STR_LEN];
    int model;
    char model_string[PAPI_MAX_STR_LEN];
    float revision; /* the stepping */
    int cpuid_family;
    int cpuid_model;
    int cpuid_stepping;
    int cpu_max_mhz; /* without cpufreq: what the clock is now, or was found to be; never 0 */
    int cpu_min_mhz;
    PAPI_mh_info_t mem_hierarchy;
    int virtualized; /* 1: in a virtual machine */
    char virtual_vendor_string[PAPI_MAX_STR_LEN];
    char virtual_vendor_version[PAPI_MAX_STR_LEN];
    float mhz;     /* the clock rate that a user would quote: the nominal or largest one */
    int clock_mhz; /* ticks of PAPI_get_real_cyc in a microsecond */
    int reserved[8];
} PAPI_hw_info_t;

typedef struct _papi_component_option {
    char name[PAPI_MAX_STR_LEN];
    char short_name[PAPI_MIN_STR_LEN];
    char description[PAPI_MAX_STR_LEN];
    char version[PAPI_MIN_STR_LEN];
    char support_version[PAPI_MIN_STR_LEN]; /* of the library that knows the event names */
    char kernel_version[PAPI_MIN_STR_LEN];
    char disabled_reason[PAPI_HUGE_STR_LEN];
    int disabled;                                      /* 0, or the code of the reason */
    char partially_disabled_reason[PAPI_HUGE_STR_LEN]; /* e.g. software events only, and why */
    int partially_disabled;
    int initialized;
    int CmpIdx;
    int num_cntrs;         /* hardware counters that one event set can use; 0: none here */
    int num_mpx_cntrs;     /* events that a multiplexed event set can hold */
    int num_preset_events; /* presets that count here */
    int num_native_events; /* native events that can be named */
    int default_domain;
    int available_domains;
    int default_granularity;
    int available_granularities;
    int hardware_intr_sig; /* the signal of overflows by hardware */
    int component_type;
    char *pmu_names[PAPI_PMU_MAX]; /* ends with NULL where shorter */
    /* Members of the older PAPI_substrate_info_t alone, where PAPI 7.3 reserves as many bytes. 0: there is no
     * such thing here. */
    int multiplex_timer_sig; /* the kernel multiplexes: no timer and no signal */
    int multiplex_timer_num;
    int opcode_match_width;
    unsigned int data_address_range : 1; /* counting can be limited to addresses */
    unsigned int instr_address_range : 1;
    unsigned int edge_detect : 1; /* native events may count rising edges */
    unsigned int invert : 1;      /* or cycles with fewer events than a threshold */
    unsigned int profile_ear : 1;
    unsigned int grouped_cntrs : 1;
    unsigned int reserved_bits : 26;
    int reserved_ints[4];
    unsigned int hardware_intr : 1;  /* PAPI_overflow by hardware works */
    unsigned int precise_intr : 1;   /* with the address of the very instruction */
    unsigned int posix1b_timers : 1; /* PAPI_overflow by software has a timer of each thread's CPU time */
    unsigned int kernel_profile : 1;
    unsigned int kernel_multiplex : 1;
    unsigned int fast_counter_read : 1; /* counters can be read without a system call */
    unsigned int fast_real_timer : 1;
    unsigned int fast_virtual_timer : 1;
    unsigned int attach : 1;
    unsigned int
        attach_must_ptrace : 1; /* set, although a stopped process is not needed: codes stop theirs by it */
    unsigned int cntr_umasks : 1;
    unsigned int cpu : 1;
    unsigned int inherit : 1;
} PAPI_component_info_t;
typedef PAPI_component_info_t PAPI_substrate_info_t; /* the same under its older name */

/* The addresses of a program or library in memory: from start up to, and not including, end. NULL: no such
 * part. */
typedef struct _papi_address_map {
    char name[PAPI_HUGE_STR_LEN]; /* of a program without its folder, of a library as the loader has it */
    vptr_t text_start, text_end;  /* what can be executed */
    vptr_t data_start, data_end;  /* initialised data */
    vptr_t bss_start, bss_end;    /* data that begin as zeroes; empty: start is end */
} PAPI_address_map_t;

typedef struct _papi_program_info {
    char fullname[PAPI_HUGE_STR_LEN]; /* the file with its whole path */
#ifdef __GNUC__
    __extension__
#endif
        union {
        PAPI_address_map_t address_info;
        struct { /* the same, as older codes have it */
            char name[PAPI_HUGE_STR_LEN];
            vptr_t text_start, text_end;
            vptr_t data_start, data_end;
            vptr_t bss_start, bss_end;
        };
    };
} PAPI_exe_info_t;

typedef struct _papi_shared_lib_info {
    PAPI_address_map_t *map;
    int count;
} PAPI_shlib_info_t;

/* The memory of the process, in kilobytes (1024 bytes) but for pagesize, which is in bytes. PAPI_EINVAL
 * in a field: the kernel does not tell. */
typedef struct papi_dmem_info {
    long long peak;            /* the largest size so far */
    long long size;            /* of the address space that is in use */
    long long resident;        /* of it in memory; the kernel's own count, a few pages per CPU inexact */
    long long high_water_mark; /* the largest resident so far */
    long long shared;          /* resident and of a file, or shared with other processes */
    long long text;            /* code of the program */
    long long library;         /* code of shared libraries */
    long long heap;            /* private and writable: data, bss, heap, private mappings, threads' stacks */
    long long locked;          /* by mlock */
    long long stack;           /* of the first thread, with arguments and environment */
    long long pagesize;
    long long pte; /* page tables */
} PAPI_dmem_info_t;

#define PAPIF_DMEM_VMPEAK 1
#define PAPIF_DMEM_VMSIZE 2
#define PAPIF_DMEM_RESIDENT 3
#define PAPIF_DMEM_HIGH_WATER 4
#define PAPIF_DMEM_SHARED 5
#define PAPIF_DMEM_TEXT 6
#define PAPIF_DMEM_LIBRARY 7
#define PAPIF_DMEM_HEAP 8
#define PAPIF_DMEM_LOCKED 9
#define PAPIF_DMEM_STACK 10
#define PAPIF_DMEM_PAGESIZE 11
#define PAPIF_DMEM_PTE 12
#define PAPIF_DMEM_MAXVAL 12

/* Arguments of PAPI_get_opt and PAPI_set_opt */
typedef struct _papi_preload_option {
    char lib_preload_env[PAPI_MAX_STR_LEN];
    char lib_preload_sep;
    char lib_dir_env[PAPI_MAX_STR_LEN];
    char lib_dir_sep;
} PAPI_preload_info_t;
typedef PAPI_preload_info_t PAPI_preload_option_t;
typedef struct _papi_debug_option {
    int level;
    PAPI_debug_handler_t handler;
} PAPI_debug_option_t;
typedef struct _papi_inherit_option {
    int eventset;
    int inherit;
} PAPI_inherit_option_t;
typedef struct _papi_domain_option {
    int def_cidx;
    int eventset;
    int domain;
} PAPI_domain_option_t;
typedef struct _papi_granularity_option {
    int def_cidx;
    int eventset;
    int granularity;
} PAPI_granularity_option_t;
typedef struct _papi_attach_option {
    int eventset;
    unsigned long tid;
} PAPI_attach_option_t;
typedef struct _papi_cpu_option {
    int eventset;
    unsigned int cpu_num;
} PAPI_cpu_option_t;
typedef struct _papi_multiplex_option {
    int eventset;
#ifdef __GNUC__
    __extension__
#endif
        union {
        int ns;
        int us;
    };
    int flags;
} PAPI_multiplex_option_t;
typedef struct _papi_itimer_option {
    int itimer_num;
    int itimer_sig;
    int ns;
    int flags;
} PAPI_itimer_option_t;
typedef struct _papi_mpx_info { /* of PAPI 3 to 7, which no call takes */
    int timer_sig;
    int timer_num;
    int timer_us;
} PAPI_mpx_info_t;
typedef struct _papi_addr_range_option {
    int eventset;
    vptr_t start, end;
    int start_off, end_off;
} PAPI_addr_range_option_t;
typedef struct _papi_precise_option { /* this library's own */
    int eventset;
    int level;  /* 0 to 3: the kernel's precise_ip of samples; PAPI_PRECISE_MOST */
    int in_use; /* of PAPI_get_opt: the least of the events that overflow by hardware; -1: none does */
} PAPI_precise_option_t;
typedef struct _papi_share_option { /* this library's own */
    int eventset;
    int on; /* 1 or 0 */
} PAPI_share_option_t;
typedef struct _papi_wait_option { /* this library's own */
    int eventset;
    double seconds;
} PAPI_wait_option_t;
typedef struct papi_overflow_option {
    int type;
} PAPI_overflow_option_t;

typedef union {
    PAPI_preload_info_t preload;
    PAPI_debug_option_t debug;
    PAPI_inherit_option_t inherit;
    PAPI_granularity_option_t granularity;
    PAPI_granularity_option_t defgranularity;
    PAPI_domain_option_t domain;
    PAPI_domain_option_t defdomain;
    PAPI_attach_option_t attach;
    PAPI_cpu_option_t cpu;
    PAPI_multiplex_option_t multiplex;
    PAPI_itimer_option_t itimer;
    PAPI_hw_info_t *hw_info;
    PAPI_shlib_info_t *shlib_info;
    PAPI_exe_info_t *exe_info;
    PAPI_component_info_t *cmp_info;
    PAPI_substrate_info_t *sub_info;
    PAPI_overflow_option_t ovf_info;
    PAPI_addr_range_option_t addr;
    PAPI_user_defined_events_file_t events_file;
    PAPI_precise_option_t precise;
    PAPI_share_option_t share;
    PAPI_wait_option_t wait;
} PAPI_option_t;

/* A sample (PAPI_sample_open), this library's own. What is not known is 0, or as is said. */
typedef struct _papi_sample {
    long long time;        /* ns of CLOCK_MONOTONIC */
    long long instruction; /* its address */
    long long address;     /* of the data */
    long long period;
    long long latency; /* of a load, in cycles; -1: not known */
    int process, thread, cpu;
    int access;      /* PAPI_SAMPLE_LOAD, ... */
    int level;       /* PAPI_SAMPLE_L1, ...: where the data was */
    int tlb;         /* PAPI_SAMPLE_TLB_FIRST, ... */
    int snoop, hops; /* PAPI_SAMPLE_SNOOP_NONE, ..., PAPI_SAMPLE_HOPS_CORE, ... */
    int flags;       /* PAPI_SAMPLE_EXACT, ... */
    int branches, first_branch;
    int reserved;
} PAPI_sample_t;
typedef struct _papi_branch {
    long long from, to;
    int cycles; /* since the branch before; 0: not known */
    int type;   /* PERF_BR_* of linux/perf_event.h; 0: not known */
    int flags;  /* PAPI_BRANCH_MISPREDICTED, ... */
    int reserved;
} PAPI_branch_t;
/* Places of the members in a sample of PAPIF_sample_read, and in a branch of PAPIF_sample_branches: numbers
 * of integer(8), samples(PAPIF_SAMPLE_MAXVAL, n). PAPIF_SAMPLE_FIRST_BRANCH is counted from 1. */
#define PAPIF_SAMPLE_TIME 1
#define PAPIF_SAMPLE_INSTRUCTION 2
#define PAPIF_SAMPLE_ADDRESS 3
#define PAPIF_SAMPLE_PERIOD 4
#define PAPIF_SAMPLE_LATENCY 5
#define PAPIF_SAMPLE_PROCESS 6
#define PAPIF_SAMPLE_THREAD 7
#define PAPIF_SAMPLE_CPU 8
#define PAPIF_SAMPLE_ACCESS 9
#define PAPIF_SAMPLE_LEVEL 10
#define PAPIF_SAMPLE_TLB 11
#define PAPIF_SAMPLE_SNOOP 12
#define PAPIF_SAMPLE_HOPS 13
#define PAPIF_SAMPLE_FLAGS 14
#define PAPIF_SAMPLE_N_BRANCHES 15
#define PAPIF_SAMPLE_FIRST_BRANCH 16
#define PAPIF_SAMPLE_MAXVAL 16
#define PAPIF_BRANCH_FROM 1
#define PAPIF_BRANCH_TO 2
#define PAPIF_BRANCH_CYCLES 3
#define PAPIF_BRANCH_TYPE 4
#define PAPIF_BRANCH_FLAGS 5
#define PAPIF_BRANCH_MAXVAL 5

/*   branches  of the sample alone, sample->branches of them */
typedef void (*PAPI_sample_handler_t)(int sampler, PAPI_sample_t *sample, PAPI_branch_t *branches,
                                      void *context);

#ifdef PAPI_BUILD /* the library itself is compiled with hidden symbols */
#pragma GCC visibility push(default)
#endif

/* ============================================================ the library */

/* Initialises the library for the process. It may be called again, from any thread; after
 * PAPI_shutdown it starts afresh.
 *   version  the caller's PAPI_VER_CURRENT; every version word of 5.x, 6.x and 7.x is accepted
 * Returns the version word that was passed, or PAPI_EINVAL (no such version), PAPI_ENOMEM. */
int PAPI_library_init(int version);

/* PAPI_NOT_INITED, PAPI_LOW_LEVEL_INITED or PAPI_HIGH_LEVEL_INITED; PAPI_THREAD_LEVEL_INITED is
 * or-ed in after PAPI_thread_init. Never an error. */
int PAPI_is_initialized(void);

/* Stops and frees every event set of every thread and all that the library holds. Handles from
 * before are invalid afterwards. Harmless where nothing was initialised.
 *   Any thread may call it, whatever the other threads are doing: computing with armed overflows, in a call,
 * in a handler, ending; and so may a handler of overflows that did not interrupt malloc. The other threads'
 * event sets stop counting, and their calls say that the library is not initialised; one that has begun may
 * still succeed.
 * Nothing is waited for: a handler that has begun in another thread runs to its end, and a histogram of
 * PAPI_profil may get a last sample, so keep the handler's code and the histogram until that thread has ended
 * or called the library again. The descriptors and buffers of another thread's event sets are given back at
 * its end, or by its next PAPI_library_init, PAPI_register_thread, PAPI_create_eventset or PAPI_shutdown. */
void PAPI_shutdown(void);

/* The text of an error code ("PAPI_OK" to "PAPI_PARTIAL"), with the reason of the calling thread's
 * last error where that had this code: which setting refused an event, say, and what to do: the nearest name
 * that exists, or the command that counts the event here without the processor's counters (of papi_counted
 * and papi_emulate, where they are installed beside the library or in PATH, with the program's own command
 * line). Valid until the thread's next PAPI call that fails. NULL for a number that is not an error code. */
char *PAPI_strerror(int code);
#define PAPI_descr_error(code) PAPI_strerror(code)

/* Prints msg and the text of the calling thread's last error on stderr. */
void PAPI_perror(const char *msg);

/* The three-argument form of the classic interface: the text of an error code into a string. In C the
 * name PAPI_perror stands for it where there are three arguments. May be called before PAPI_library_init.
 *   code         an error code
 *   destination  length bytes; always ends with a null byte, cut where too short
 *   length       bytes; 0: print on stderr instead
 * PAPI_EINVAL: no such code, or destination is NULL with a length, or the length is negative. */
int PAPI_perror_string(int code, char *destination, int length);

/* PAPI_perror(msg) and PAPI_perror(code, destination, length) in one source. */
#ifndef __cplusplus
#define PAPI_PERROR_PICK(a, b, c, which, ...) which
#define PAPI_perror(...) PAPI_PERROR_PICK(__VA_ARGS__, PAPI_perror_string, , PAPI_perror, )(__VA_ARGS__)
#endif

/* Sets what the library prints.
 *   level  PAPI_QUIET, PAPI_VERB_ECONT (each error on stderr) or PAPI_VERB_ESTOP (as ECONT)
 * A line reads "PAPI Error: Error Code code, symbol, description"; where a system call failed the
 * text of errno follows. A handler of the program's own is set with PAPI_set_opt(PAPI_DEBUG, ...). May be
 * called before PAPI_library_init, which sets PAPI_VERB_ECONT where PAPI_VERBOSE or PAPI_DEBUG is in the
 * environment (and not 0). PAPI_EINVAL: no such level. */
int PAPI_set_debug(int level);

/* Reads an option. The value comes in *ptr or, for the options marked (r), as the return value;
 * for those ptr may be NULL.
 *   option  PAPI_LIB_VERSION (r), PAPI_MAX_HWCTRS (r), PAPI_MAX_MPX_CTRS (r), PAPI_MAX_CPUS (r),
 *           PAPI_CLOCKRATE (r, MHz), PAPI_DEFDOM (r), PAPI_DEFGRN (r), PAPI_DOMAIN, PAPI_GRANUL,
 *           PAPI_DEBUG, PAPI_HWINFO, PAPI_COMPONENTINFO
 *           PAPI_PRELOAD: the variables that have the loader load libraries first and look for them
 *           PAPI_EXEINFO, PAPI_SHLIBINFO, PAPI_SUBSTRATEINFO (the same number as PAPI_COMPONENTINFO):
 *           the pointer that PAPI_get_executable_info, PAPI_get_shared_lib_info and
 *           PAPI_get_substrate_info return, with their errors
 * of event sets (each structure has the handle):
 *           PAPI_MULTIPLEX    returns 1 if the set is multiplexed, else 0; multiplex.ns as PAPI_DEF_MPX_NS
 *           PAPI_ATTACH       returns 1 if the set is attached to a thread, else 0; attach.tid is the
 *                             thread, also where it has ended; 0 for none
 *           PAPI_DETACH       the same with the results exchanged
 *           PAPI_CPU_ATTACH   returns 1 if the set is attached to a CPU, else 0; cpu.cpu_num is its number
 *           PAPI_INHERIT      inherit.inherit is PAPI_INHERIT_ALL or PAPI_INHERIT_NONE
 *           PAPI_PRECISE      precise.level as it was set; precise.in_use is the least precision of the
 *                             events that overflow by hardware, -1 where none does
 *           PAPI_SHARE        share.on is 1 or 0
 *           PAPI_WAIT         wait.seconds is how long PAPI_start waits for counters, at most; 0: not at all
 *         and
 *           PAPI_DEF_MPX_NS   multiplex.ns is how long events that take turns keep a hardware counter, in
 *                             nanoseconds (also under the name PAPI_DEF_MPX_USEC); 0: nobody takes turns
 *                             here, or it is not known
 *           PAPI_DEF_ITIMER, PAPI_DEF_ITIMER_NS  of overflows by software: itimer.itimer_num is
 *                             ITIMER_PROF, because CPU time is what the timer of each thread measures,
 *                             itimer_sig its signal and ns the time from one comparison to the next;
 *                             flags is 0
 * Returns PAPI_OK, the value of an option
 * marked (r), the answer named above, or an error code. PAPI_EINVAL: no such option, or NULL where a
 * structure is needed. PAPI_ENOEVST. PAPI_ECMP: PAPI_DATA_ADDRESS and PAPI_INSTR_ADDRESS, which no component
 * has. PAPI_ENOMEM. PAPI_ESYS: no descriptor or memory is free to find the answer. */
int PAPI_get_opt(int option, PAPI_option_t *ptr);

/* Reads an option of one component, as PAPI_get_opt does.
 *   option  PAPI_DEFDOM (r), PAPI_DEFGRN (r), PAPI_MAX_HWCTRS (r), PAPI_MAX_MPX_CTRS (r),
 *           PAPI_DEF_MPX_NS, PAPI_COMPONENTINFO
 *   cidx    the component's index, 0 to PAPI_num_components() - 1
 * Returns as PAPI_get_opt does. PAPI_EINVAL: not an option of a component, or NULL where a structure
 * is needed. PAPI_ENOCMP: no component has this index. PAPI_ENOMEM. PAPI_ESYS: as PAPI_get_opt. */
int PAPI_get_cmp_opt(int option, PAPI_option_t *ptr, int cidx);

/* Changes an option. Those of an event set need it stopped; its counts stay, and where the change fails
 * all stays as it was.
 *   option  PAPI_DEFDOM, PAPI_DOMAIN, PAPI_DEFGRN
 *           PAPI_USER_EVENTS_FILE  reads the definitions of events in the file events_file, beside those that
 *                            there are; rows that are not in order are left out, and the first of them
 *                            is the error (PAPI_EINVAL; PAPI_ESYS: the file cannot be read)
 *           PAPI_DEBUG       the level of PAPI_set_debug and, while it is not PAPI_QUIET, a handler to call
 *                            with the code of each error, in the thread that has it, instead of printing;
 *                            NULL: print. Errors that the handler itself causes do not call it again.
 *                            Before PAPI_library_init, too
 *           PAPI_GRANUL      PAPI_GRN_THR; PAPI_GRN_SYS_CPU for a set that is attached to a CPU
 *           PAPI_MULTIPLEX   as PAPI_set_multiplex; multiplex.flags is PAPI_MULTIPLEX_DEFAULT, multiplex.ns
 *                            a wish that the kernel does not hear
 *           PAPI_ATTACH, PAPI_DETACH  as PAPI_attach and PAPI_detach
 *           PAPI_CPU_ATTACH  counts all that runs on the CPU cpu.cpu_num, of any process, until PAPI_detach
 *           PAPI_INHERIT     PAPI_INHERIT_ALL: the counts of the threads and processes that the counted
 *                            thread starts from now on are added to its own, and theirs. As long as any
 *                            of these runs (a pool of threads for good), the events and options of the
 *                            set cannot be changed (PAPI_ECNFLCT), since the kernel would count it for
 *                            the new event, or for all events, no more. PAPI_cleanup_eventset begins
 *                            anew, with what is started from then on. PAPI_INHERIT_NONE: no more.
 *                            With the event set PAPI_NULL: the default of event sets made from now on,
 *                            in all threads. The kernel counts no program that runs with other
 *                            rights than its user's (setuid, such as sudo). Under papi_emulate: the
 *                            counts of all threads of the program, and of the processes that it
 *                            starts, while the set runs, whoever started them and when
 *           PAPI_SHARE       share.on 1: the set counts beside whatever else uses counters, and its values
 *                            are scaled (PAPI_read_shares); 0: no more
 *           PAPI_WAIT        PAPI_start waits for the set's counters, for wait.seconds at most, where others
 *                            have them (PAPI_start). With PAPI_NULL: the default of sets made from now on
 *           PAPI_PRECISE     how near the addresses of overflows are to the instructions that caused
 *                            them, by precise.level: PAPI_PRECISE_MOST (the default), as near as the
 *                            processor can with the same counts; 0 to 3, exactly what Linux calls
 *                            precise_ip, where 2 is that instruction. PAPI_ENOSUPP: the processor has
 *                            none so precise
 *           PAPI_DEF_MPX_NS  only the value that it has: the kernel's turns are the same for all programs
 *           PAPI_DEF_ITIMER, PAPI_DEF_ITIMER_NS  only what PAPI_get_opt answers
 * PAPI_EINVAL: no such option or value, NULL, a thread or CPU that is not there, multiplexed or detached
 * already. PAPI_ENOINIT: any option but PAPI_DEBUG before PAPI_library_init.
 * PAPI_ENOEVST, PAPI_EISRUN, PAPI_ECLOST, PAPI_EINVAL_DOM, PAPI_ENOMEM, PAPI_ESYS. PAPI_EPERM: a
 * permission is missing (a whole CPU: kernel.perf_event_paranoid 0 or CAP_PERFMON; another thread: that to
 * trace it). PAPI_ECNFLCT, PAPI_ENOEVNT: the set's events cannot be counted so, or (PAPI_ECNFLCT) something
 * that has inherited its counters runs. PAPI_ECMP: the component cannot do it. PAPI_ENOSUPP:
 * PAPI_MULTIPLEX_FORCE_SW. PAPI_EINVAL also for what excludes one another, in whatever order it is asked for:
 * a thread and a CPU to be attached to, a CPU and inheritance; overflow by hardware and multiplexing,
 * sharing, inheritance, another thread or a CPU; PAPI_SHARE and PAPI_PROCESS_THREADS. */
int PAPI_set_opt(int option, PAPI_option_t *ptr);

/* ================================================================ threads */

/* Declares a function that returns a number for the calling thread, a different one for each.
 * The library itself needs none; PAPI_thread_id answers with it. May be repeated in any thread.
 *   id_fn  pthread_self, omp_get_thread_num, ... ; called in the thread that asks
 * PAPI_EINVAL: id_fn is NULL. */
int PAPI_thread_init(unsigned long (*id_fn)(void));

/* The calling thread's number, as the function given to PAPI_thread_init tells it. Returns
 * (unsigned long)PAPI_EMISC before PAPI_thread_init. */
unsigned long PAPI_thread_id(void);

/* Lists the threads that are registered now, in no order. A thread is registered from its first event
 * set, thread-specific pointer, PAPI_library_init or PAPI_register_thread until it ends, or unregisters.
 *   ids     room for *number numbers, or NULL to be told how many there are: what the function given to
 *           PAPI_thread_init answered when the thread was registered or last called PAPI_thread_id,
 *           PAPI_thread_init or PAPI_register_thread; the kernel's number (gettid) where it was not
 *           asked
 *   number  in: the room; out: how many threads there are (it may be more than the room)
 * PAPI_EINVAL: number is NULL, or *number is negative. */
int PAPI_list_threads(PAPI_thread_id_t *ids, int *number);

/* Registers the calling thread. Optional: its first call does so, and it releases all it has when it
 * ends. PAPI_ENOMEM. */
int PAPI_register_thread(void);

/* Destroys the calling thread's event sets and forgets the thread, which its next call registers
 * again. PAPI_EISRUN: one of them is running; nothing is destroyed. */
int PAPI_unregister_thread(void);

/* Reads or stores a pointer of the calling thread, one for each tag; NULL before it is stored.
 *   tag  PAPI_TLS_USR1 or PAPI_TLS_USR2. PAPI_TLS_HIGH_LEVEL is the high-level interface's: what is
 *        stored there is released with free() when the thread ends. To read, PAPI_TLS_ALL_THREADS may be
 *        or-ed in: then ptr is a PAPI_all_thr_spec_t * in disguise, and gets the pointers of all
 *        registered threads
 *   ptr  to store: any pointer, NULL too; to read: where it goes
 * PAPI_EINVAL: no such tag, nowhere to put the pointer (ptr is NULL), or a negative room. PAPI_ENOMEM. */
int PAPI_get_thr_specific(int tag, void **ptr);
int PAPI_set_thr_specific(int tag, void *ptr);

/* Takes one of two locks that the library has for the program. They work at all times,
 * before PAPI_library_init too, and PAPI_shutdown leaves them alone.
 *   lock  PAPI_LOCK_USR1 or PAPI_LOCK_USR2
 * A thread may take a lock again that it has, and releases it as often. A signal handler, of an
 * overflow say, may use them: where the interrupted thread has the lock itself the handler gets it,
 * since it would wait for ever otherwise; it keeps out the other threads, not what it interrupted.
 * A thread that ends gives its locks back. In the child of a fork the locks of other threads are free.
 * Unlike void functions of that name, both tell errors. PAPI_EINVAL: no such lock. PAPI_ENOMEM: the
 * process could not be prepared for the first lock. */
int PAPI_lock(int lock);

/* Releases a lock that PAPI_lock took. It works at all times, before PAPI_library_init too. A refused
 * call leaves the lock as it is.
 *   lock  PAPI_LOCK_USR1 or PAPI_LOCK_USR2
 * PAPI_EINVAL: no such lock. PAPI_EPERM: the calling thread has not got it. */
int PAPI_unlock(int lock);

/* ============================================================= event sets */

/* Makes an empty event set, which belongs to the calling thread. It takes the default domain and
 * granularity.
 *   *es  must be PAPI_NULL; becomes the handle
 * PAPI_EINVAL: es is NULL or *es is not PAPI_NULL. PAPI_ENOMEM. */
int PAPI_create_eventset(int *es);

/* Adds an event to a stopped set; the counters are opened here, not at the start. A set holds events of
 * one component: that of its first event. Where the call fails, the set is as before.
 *   code  a preset or native event code
 * PAPI_EINVAL: not an event code, or the event is in the set already. PAPI_ENOMEM. PAPI_EISRUN.
 * PAPI_ECNFLCT: the machine cannot count it together with the others, or something that has inherited the
 * set's counters runs (PAPI_INHERIT). PAPI_ENOTPRESET: the preset mask with no such preset. PAPI_ENOEVNT:
 * this machine cannot count it. PAPI_EPERM: the kernel does not let this user count it. PAPI_ECMP_DISABLED:
 * the component that would count it is off. PAPI_ECLOST: the set was made before a fork. PAPI_ESYS: no
 * descriptor is free, or the kernel fails. */
int PAPI_add_event(int es, int code);

/* Adds n events, which stay in the order of the array. Where one fails, those before it stay in the set.
 *   codes  n event codes
 * Returns PAPI_OK, or how many were added before one failed, or the error of the first.
 * PAPI_EINVAL: codes is NULL or n < 1. Errors as of PAPI_add_event. */
int PAPI_add_events(int es, int *codes, int n);

/* Adds an event by its name.
 *   name  a preset ("PAPI_TOT_INS"), an event of libpfm4 ("perf::CYCLES", "adl_glc::INST_RETIRED:ANY")
 *         or of the kernel ("cpu/event=0x3c,umask=0x0/")
 * PAPI_EINVAL: name is NULL. PAPI_ENOTPRESET: it begins with PAPI_ and is not a preset. PAPI_ENOEVNT: no
 * event has this name. Errors as of PAPI_add_event. */
int PAPI_add_named_event(int es, const char *name);

/* Takes an event out of a stopped set; those behind it move up.
 *   code  a preset or native event code
 * PAPI_EINVAL: it is not in the set. PAPI_EISRUN. PAPI_ENOTPRESET: the preset mask with no such preset.
 * PAPI_ECLOST: the set was made before a fork. PAPI_ENOMEM, PAPI_ESYS, PAPI_EPERM, PAPI_ECNFLCT: the events
 * that would stay cannot be opened without it; the set is as before. */
int PAPI_remove_event(int es, int code);

/* Takes n events out.
 *   codes  n event codes
 * Returns PAPI_OK, or how many were taken out before one failed, or the error of the first.
 * PAPI_EINVAL: codes is NULL or n < 1. Errors as of PAPI_remove_event. */
int PAPI_remove_events(int es, int *codes, int n);

/* Takes an event out by its name, as PAPI_add_named_event takes it.
 * PAPI_EINVAL: name is NULL. PAPI_ENOTPRESET: it begins with PAPI_ and is not a preset. PAPI_ENOEVNT: no
 * event has this name. Errors as of PAPI_remove_event. */
int PAPI_remove_named_event(int es, const char *name);

/* Lists the event codes in the order of the counts.
 *   codes  room for *n codes; may be NULL where *n is 0
 *   *n     in: the room; out: how many events the set has (it may be more than the room)
 * PAPI_EINVAL: n is NULL, *n < 0, or codes is NULL with room claimed. */
int PAPI_list_events(int es, int *codes, int *n);

/* The number of events in the set; a preset is one, whatever it is derived from. */
int PAPI_num_events(int es);

/* Takes all events out of a stopped set and closes their counters; the set is bound to no component any
 * more. Its domain stays, and whether it is multiplexed, attached or inherited. PAPI_EISRUN. */
int PAPI_cleanup_eventset(int es);

/* Frees an empty event set.
 *   *es  the handle; becomes PAPI_NULL
 * PAPI_EINVAL: es is NULL or the set is not empty: PAPI_cleanup_eventset empties it. PAPI_EISRUN. */
int PAPI_destroy_eventset(int *es);

/* The state of an event set.
 *   status  PAPI_STOPPED or PAPI_RUNNING; or-ed in: PAPI_OVERFLOWING, PAPI_PROFILING, PAPI_MULTIPLEXING,
 *           PAPI_SHARING, PAPI_CPU_ATTACHED and PAPI_ATTACHED
 * PAPI_ATTACHED is there as long as the thread lives to which the set is attached (PAPI_get_opt(PAPI_ATTACH)
 * names it afterwards too). PAPI_EINVAL: status is NULL. */
int PAPI_state(int es, int *status);

/* Binds the set to a component before its first event, which would do it as well.
 *   cidx  the component's index. 0 is the processor's counters: where another component counts in their place
 *         (papi_emulate), a set that is bound to 0 takes that one's events, too
 * PAPI_EINVAL: it is bound to another. PAPI_ENOCMP: no component has this index. PAPI_ECMP_DISABLED: the
 * component is off. PAPI_EISRUN. PAPI_ECLOST: the set was made before a fork. */
int PAPI_assign_eventset_component(int es, int cidx);

/* The index of the component that counts the set. PAPI_ENOCMP: the set has no event and was not bound
 * to a component. */
int PAPI_get_eventset_component(int es);

/* =============================================================== counting */

/* A signal's handler may start, stop, read, accumulate and reset event sets of its thread, whatever it has
 * interrupted. Where that is one of these calls on the same set, a reading works, and so does a stop unless
 * the set is being started or stopped (PAPI_ENOTRUN) or in PAPI_write (PAPI_ECNFLCT); other changes are
 * refused, without effect (PAPI_ECNFLCT). A call that a handler has left by siglongjmp leaves the set like
 * that, and PAPI_stop does not mend it: after a start or stop it goes on answering PAPI_ENOTRUN, though
 * counters may be on. PAPI_cleanup_eventset does, without PAPI_stop before it and while the thread has no
 * signal blocked (sigsetjmp with 1 puts the mask back): it turns the counters off and takes the events out,
 * which can be added anew. */

/* Zeroes the counts and starts counting. With PAPI_WAIT (PAPI_set_opt), if something else has the counters,
 * it tries again until the set has them, for at most so many seconds; signals are handled meanwhile. If the
 * set is attached to another thread, or to a process, it first tries counters of the calling thread, beside
 * those of its own sets that run, and moves that to each CPU on which the other one may run, and back.
 * PAPI_EINVAL: the set is empty. PAPI_EISRUN. PAPI_ECNFLCT: something else has the counters, such as another
 * set that runs, and had them for as long as PAPI_WAIT says. PAPI_ECLOST: also if the thread to which the
 * set is attached has ended. PAPI_ESYS. */
int PAPI_start(int es);

/* Stops counting. The counts stay in the set, for PAPI_read, until PAPI_start or PAPI_reset.
 *   values  room for one count an event, or NULL
 * PAPI_ENOTRUN: also in a handler that has interrupted the set's start or stop, and once one has left that.
 * PAPI_ECNFLCT: the kernel never got to count, or took the counters away for a while, or an event of a
 * multiplexed set, or one that shares its counters, had no turn; the set is stopped all the same, and has no
 * counts until its next start or reset. PAPI_ECLOST: overflows of PAPI_overflow are missing, because the
 * kernel stopped a counter that overflowed too often, or the program blocked the signal; or counts as of
 * PAPI_read (it is stopped, and values are written). PAPI_ESYS. */
int PAPI_stop(int es, long long *values);

/* Copies the counts of a set, running or stopped. The set goes on counting. The value of a level, such as a
 * temperature, is what the machine shows now, or showed when the set was stopped; that of a real number is
 * its bits (value_type and data_type of PAPI_event_info_t). A share, such as a percentage, is that of what
 * was counted since the last PAPI_start or PAPI_reset, and not a number (NaN) where nothing was.
 *   values  room for one count an event
 * PAPI_EINVAL: values is NULL, or the set is empty. PAPI_ECNFLCT: the set runs but the kernel has not
 * counted, or not all the time; or an event of a multiplexed set has had no turn yet, one that shares its
 * counters has had none of them, or inherited counts are not complete. PAPI_ECLOST: the set was made before a
 * fork; or (values are written) a counter that begins at 0 again was not read for so long that its count may
 * be too little, or the CPU that the set is attached to was switched off, after which nothing is counted
 * until it is attached once more. PAPI_ESYS: the kernel fails. Where a number in a file or of a device is not
 * there any more, or cannot be read, the code is the one with which its event could not be added now. */
int PAPI_read(int es, long long *values);

/* Copies the counts, and the time at which they were read.
 *   values  room for one count an event
 *   cycles  the time, in the unit and from the moment of PAPI_get_real_cyc
 * PAPI_EINVAL: values or cycles is NULL. Errors as of PAPI_read; where it gives values with PAPI_ECLOST,
 * cycles is their time. */
int PAPI_read_ts(int es, long long *values, long long *cycles);

/* Adds the counts of a set, running or stopped, to those in values and zeroes them in the set, which
 * goes on counting. A level is added as it is.
 *   values  one count an event, which the caller has set
 * PAPI_EINVAL: values is NULL. PAPI_ECMP: an event of the set is a share, such as a percentage, which has no
 * sums: nothing is added. Errors as of PAPI_read. */
int PAPI_accum(int es, long long *values);

/* Zeroes the counts of a set, running or stopped; levels stay. Errors as of PAPI_read. */
int PAPI_reset(int es);

/* Sets the counts, of a running set too. A derived event that takes more than one native event
 * has no single counter to set. A level that is to be another one than now is set in the machine, such as a
 * limit of power.
 *   values  one count an event
 * PAPI_EINVAL: values is NULL, or the machine does not take a level. PAPI_ECMP: the set has such a derived
 * event, or a level that cannot be set. Errors as of PAPI_read, also where this user may not set it. */
int PAPI_write(int es, long long *values);

/* ================================================= multiplexing, attachment */

/* Optional: PAPI_OK on an initialised library. */
int PAPI_multiplex_init(void);

/* Multiplexes a set, with or without events, bound to a component or not: it takes more events than
 * there are counters, up to PAPI_MAX_MPX_CTRS, and the kernel lets them take turns. Each count is scaled by
 * the time that the event was on a counter since PAPI_start; an event that was there all the time is
 * exact. Counts never go back from one read to the next. An event that has had no turn yet is an error of
 * the read (PAPI_ECNFLCT), so read no earlier than some turns (PAPI_DEF_MPX_NS) after the start.
 * PAPI_EINVAL: it is multiplexed already, or its events overflow by hardware. PAPI_ECNFLCT: something that
 * has inherited its counters runs (PAPI_INHERIT). PAPI_EISRUN, PAPI_ECLOST, PAPI_ENOMEM, PAPI_ESYS. */
int PAPI_set_multiplex(int es);

/* 1 if the set is multiplexed, 0 if not. PAPI_ESYS: no descriptor or memory is free to find out. */
int PAPI_get_multiplex(int es);

/* Tells in which part of the time each event of a set was counted, since PAPI_start or since its counts were
 * zeroed (PAPI_reset, PAPI_accum, PAPI_write); for a stopped set, in its last run. PAPI has no such function.
 *   shares  room for one number per event, from 0 to 1
 * 1: the event was counted all the time, and its value is exact; this is also the share if there was no time
 * yet. Less: the value is an estimate, of a multiplexed set or of one that shares its counters, which assumes
 * that the event happened at the same rate while it was not counted. 0: it was not counted at all, and
 * PAPI_read is an error.
 *   PAPI_set_opt with PAPI_SHARE has a set share its counters with whatever else uses them, such as a monitor
 * of the whole machine or the kernel's watchdog, for a while or all the time. Its events are counted together
 * whenever that is possible, and their values are scaled like those of a multiplexed set; PAPI_state has
 * PAPI_SHARING. An event is added without testing whether there are counters for it at that moment. If there
 * were none between two resets, or between PAPI_start and PAPI_stop, or only for less than 0.1 milliseconds,
 * a reading of that time is an error, however much was counted before. A later estimate may be smaller than
 * an earlier one.
 *   A set of a process or of a control group adds up what its threads, or its CPUs, counted. Threads of which
 * nothing is known, because they ran only for a moment in which others had the counters, do not prevent a
 * sum: their time, if it is at most 1 % of all, is counted at the rate of the rest, and makes the share
 * smaller. A reading that lacks more is an error. PAPI_EINVAL: shares is NULL, or the set is empty.
 * PAPI_ECNFLCT: it has no counts, and neither is multiplexed nor shares its counters, so that it is not known
 * for how long it had them. PAPI_ECLOST: it was made before a fork, or as PAPI_read. PAPI_ESYS. */
int PAPI_read_shares(int es, double *shares);

/* Has a stopped set count another thread, of any process, in place of the calling one. Its
 * values stay readable when the thread has ended; only PAPI_start then fails (PAPI_ECLOST). Where it executes
 * a program with other rights (setuid), or one that its user may not read, the kernel counts nothing more:
 * PAPI_stop is PAPI_ECLOST then, with what was counted before.
 *   tid  the kernel's number of the thread: of gettid(), of fork() for the first thread of a child
 * One thread is counted: PAPI_INHERIT adds those, and the processes, that it starts later. A set that is
 * attached already goes to the other thread. One that is attached to the calling thread counts as it did
 * before. PAPI_EINVAL: there is no such thread; or the set is attached to a CPU, or its events overflow by
 * hardware and the thread is another. PAPI_EPERM: it is another user's, or may not be traced. PAPI_EISRUN,
 * PAPI_ECLOST, PAPI_ENOMEM, PAPI_ESYS. PAPI_ECNFLCT, PAPI_ENOEVNT: the set's events cannot be counted there.
 * PAPI_ECMP: the component cannot do it; in papi_emulate, a set that has PAPI_INHERIT can be attached to a
 * process of the same run, of which all threads and what it starts are counted. */
int PAPI_attach(int es, unsigned long tid);

/* Has a stopped set count all threads of a running process, and the threads and processes that they start
 * from then on, directly or not. The counts of a thread that ends stay in the sum. PAPI attaches to single
 * threads only. Each thread is counted from its own moment during PAPI_start on.
 *   pid    of the process; the calling one, too
 *   flags  0, or the sum of
 *          PAPI_PROCESS_TREE     also the processes that it has started before, and what these have
 *          PAPI_PROCESS_THREADS  each thread by itself, for PAPI_read_threads
 * With PAPI_PROCESS_THREADS, a new thread is held by ptrace before its first instruction until its counters
 * are open, some tens of microseconds, so that it misses nothing; a debugger cannot be attached meanwhile.
 * Without it, no thread is stopped; but when a thread executes a program with other rights (setuid, such
 * as sudo), or one that its user may not read, the kernel ends the counting: what it does from then on is
 * missing in the sum, and there is no error. With PAPI_PROCESS_THREADS it is counted, or reads are
 * PAPI_ECLOST; but if the caller lacks CAP_SYS_PTRACE, a setuid program does not get its rights, as under
 * a debugger.
 * Each event takes a file descriptor for each thread, and several events take one more, by which they are
 * read at once; each thread multiplexes by itself. If the set is attached to something else already, it is
 * attached to the process instead, until PAPI_attach or PAPI_detach. PAPI_EINVAL: there is no such process,
 * it has ended, or pid is that of one of its threads; another flag; the calling process with
 * PAPI_PROCESS_THREADS; or as PAPI_attach. PAPI_ECNFLCT: the process starts threads or processes so fast, or
 * is so short of processors, for seconds, that none can be counted exactly; or as PAPI_attach. PAPI_EPERM,
 * PAPI_EISRUN, PAPI_ECLOST, PAPI_ENOMEM, PAPI_ENOEVNT, PAPI_ECMP: as PAPI_attach. PAPI_ESYS: also if /proc is
 * that of another PID namespace, and has other processes. */
int PAPI_attach_process(int es, int pid, int flags);

/* Gives the counts of each thread since PAPI_start, exactly, for a set that is attached with
 * PAPI_PROCESS_THREADS, running or stopped: of all threads that existed since then. Their sum is what
 * PAPI_read gives, unless the counts were reset since PAPI_start.
 *   tids    the kernel's numbers of the threads
 *   ended   1 for a thread that has ended, else 0
 *   values  for each thread, one after the other, the values of all events of the set; -1 for a thread that
 *           could not be given counters, for example for want of file descriptors
 *   n       before: the number of threads for which the arrays have room; after: the number of threads
 * If n is 0 before, the arrays may be NULL; if it is larger after, those for which there is no room are left
 * out.
 * PAPI_EINVAL: NULL; a set without events, or not attached so. PAPI_ENOMEM. PAPI_ECLOST: as PAPI_read, and
 * where a new thread could not be given counters or somebody has ended the process that follows the threads:
 * what is there is given. PAPI_ECNFLCT, PAPI_ESYS: as PAPI_read. */
int PAPI_read_threads(int es, long long *tids, long long *ended, long long *values, int *n);

/* Has a stopped set count all tasks of a control group, such as that of a container or of a batch job, and of
 * the groups below it, on every CPU. PAPI has no such function.
 *   path  the group's folder; or the group as /proc/PID/cgroup shows it, in the tree of perf_event
 * If the set is attached to another control group already, it is attached to this one instead. If a CPU is
 * switched off, or on, while the set is attached, each reading is PAPI_ECLOST, with what was counted. When
 * the group has been removed, its counts can still be read, and PAPI_start fails (PAPI_ECLOST). Each event
 * takes a file descriptor for each CPU. PAPI_EINVAL: there is no such group, or it is in a tree in which the
 * kernel does not count; the set is attached to a thread, a process or a CPU, inherited, or its events
 * overflow by hardware; or NULL. PAPI_EPERM: the right to count whole CPUs is missing. PAPI_EISRUN,
 * PAPI_ECLOST, PAPI_ENOMEM, PAPI_ESYS. PAPI_ECNFLCT, PAPI_ENOEVNT: the set's events cannot be counted there.
 * PAPI_ECMP: the component cannot do it. */
int PAPI_attach_cgroup(int es, const char *path);

/* Has a stopped set count the calling thread again, after PAPI_attach, PAPI_attach_process,
 * PAPI_attach_cgroup or PAPI_CPU_ATTACH. PAPI_EINVAL: it is not attached. PAPI_EISRUN, PAPI_ECLOST,
 * PAPI_ECNFLCT, PAPI_ENOMEM, PAPI_ESYS. */
int PAPI_detach(int es);

/* ================================================================ samples */

/* Opens a sampler: it takes a sample of the calling thread every period counts of one event. The sample has
 * what the processor and the kernel know: the address of the instruction and of the data, the CPU, where the
 * data was and how long a load took. The sampler belongs to the thread. PAPI has none.
 *   event    a native event, or a preset that is one, counted by perf_event: the processor's, such as
 *            "cpu/mem-loads,ldlat=3/", "ibs_op/cnt_ctl=1/" or "arm_spe_0/ts_enable=1/", or the kernel's:
 *            "perf::PAGE-FAULTS" has the addresses that faulted
 *   flags    0, or PAPI_SAMPLE_WITH_BRANCHES: with the branches that were taken before each sample
 *   sampler  receives the number of the sampler
 * Samples are as precise as the event can be (PAPI_PRECISE). PAPI_EINVAL: NULL, a period below 1, or too
 * small for a clock, or none that IBS (multiples of 16) or SPE (of 256) has, unknown flags, an event that
 * several make; PAPI_ENOEVNT: there is no such event here; PAPI_ENOTPRESET; PAPI_ENOSUPP: its component or
 * counter gives no samples, or none with branches; PAPI_ENOINIT, PAPI_ENOMEM (also where the user's memory
 * for samples is used up: kernel.perf_event_mlock_kb, ulimit -l), PAPI_EPERM, PAPI_ECMP_DISABLED,
 * PAPI_ECNFLCT, PAPI_ESYS. */
int PAPI_sample_open(const char *event, long long period, int flags, int *sampler);

/* Has a handler called for each sample of a stopped sampler, in the thread, by the signal of overflows,
 * instead of samples that wait. It may call PAPI_sample_stop, and what a handler of PAPI_overflow may.
 *   handler  NULL: samples wait again
 * PAPI_EINVAL: the thread has no such sampler; PAPI_EISRUN: it runs; PAPI_ECLOST: it was opened before a
 * fork; PAPI_ENOSUPP: Arm's SPE, whose samples come many at a time; PAPI_ENOINIT; PAPI_ENOMEM, PAPI_ESYS: it
 * cannot be opened again. */
int PAPI_sample_handler(int sampler, PAPI_sample_handler_t handler);

/* Starts sampling; samples that have not been read are dropped. PAPI_EINVAL: the thread has no such sampler;
 * PAPI_EISRUN; PAPI_ECNFLCT: the event gets no counter, because something else holds them; PAPI_ECLOST: it
 * was opened before a fork; PAPI_ENOINIT, PAPI_ESYS. */
int PAPI_sample_start(int sampler);

/* Stops sampling; samples that wait can still be read. PAPI_ECLOST: it is stopped, and samples are missing,
 * because the buffer was full, the signal blocked or the kernel stopped the event for a while; or it was
 * opened before a fork. PAPI_ECNFLCT: it is stopped, and something else has taken its counter. PAPI_EINVAL:
 * the thread has no such sampler; PAPI_ENOTRUN, PAPI_ENOINIT, PAPI_ESYS. */
int PAPI_sample_stop(int sampler);

/* Takes samples that wait, the oldest first, from a sampler that runs or is stopped. No signal interrupts
 * the program, and no system call is made.
 *   n  how many samples there is room for; receives how many there are. Fewer than there is room for: none
 *      waits any more, or those that are given have 32,768 branches
 * PAPI_EINVAL: the thread has no such sampler, or it has a handler; NULL; *n is negative. PAPI_ECLOST: it was
 * opened before a fork. PAPI_ENOINIT. */
int PAPI_sample_read(int sampler, PAPI_sample_t *samples, int *n);

/* Copies the branches of the samples that PAPI_sample_read gave last: those of a sample begin at its
 * first_branch, from 0, the latest first.
 *   n  how many there is room for; receives how many there are
 * PAPI_EBUF: more than that, and none was copied. PAPI_EINVAL: the thread has no such sampler; NULL; *n is
 * negative. PAPI_ECLOST: it was opened before a fork. PAPI_ENOINIT. */
int PAPI_sample_branches(int sampler, PAPI_branch_t *branches, int *n);

/* Tells how many samples since the start found no room in the buffer. Before Linux 6.0 those at the end are
 * not known before the next sample. PAPI_EINVAL: the thread has no such sampler, or NULL; PAPI_ECLOST: it was
 * opened before a fork; PAPI_ENOINIT. */
int PAPI_sample_lost(int sampler, long long *lost);

/* Ends a sampler, running or not, and sets sampler to PAPI_NULL. PAPI_EINVAL: NULL, or the thread has no such
 * sampler; PAPI_EISRUN: its handler runs; PAPI_ENOINIT. */
int PAPI_sample_close(int *sampler);

/* =================================================== overflow and profiling */

/* Has handler called on the counting thread each time that an event of a stopped set has counted
 * threshold times more since PAPI_start. PAPI_reset and its like do not move the thresholds.
 *   code       an event that the set has
 *   threshold  events from one call to the next; 0: no more calls for this event
 *   flags      0: by hardware where the component reports overflows, else by software;
 *              PAPI_OVERFLOW_HARDWARE, PAPI_OVERFLOW_FORCE_SW: the form; all of a set have the same
 *   handler    one for all events of a set; the last one given counts. It runs in a signal handler
 *              and may call PAPI_read, PAPI_accum, PAPI_reset and PAPI_stop. Other calls work
 *              too, since it does not interrupt a call of its thread that has the library's lock but
 *              comes after it; but it must not clean up or destroy a set that the program is using,
 *              nor allocate memory where it may have interrupted malloc.
 * By hardware the component (for perf_event the kernel, with its software events too) reports each
 * overflow: one call for each, in which one bit of the vector is set and the address is that of the
 * instruction at which the interrupt came, as exactly as the component knows it. The event must be
 * counted by one counter. The signal, of both forms, is SIGSTKFLT (hardware_intr_sig of the component).
 * lldb has to be told to pass it on: "process handle SIGSTKFLT -s false -n false -p true"; gdb does not know
 * this signal, stops at each, and loses it, whatever "handle" says: debug handlers with lldb. Where the
 * program blocks it, overflows wait in a buffer (2,000, fewer where memory for samples is short). What the
 * handler does is counted too, unless it takes longer than a threshold: then counting pauses while it runs,
 * until PAPI_stop. The kernel's clocks (perf::TASK-CLOCK, perf::CPU-CLOCK) overflow at most every 100,000 ns,
 * and only where the program is in the set's domain at that moment. PAPI_stop says PAPI_ECLOST where
 * overflows are missing; with a threshold so small that the program would not get on any more, counting ends
 * after a while. By software a timer looks at the counts each millisecond of the thread's CPU time, or each
 * tick of the kernel where that is longer: one call for all events that have passed a threshold since the
 * last look, with a bit for each and the address where the signal came. Derived events work too. A created
 * counter of libsde overflows by hardware, that is at the addition itself, where PAPI_OVERFLOW_HARDWARE is
 * given. Stop the set before an exec: a signal that is on its way would end the new program. PAPI_EINVAL: a
 * negative threshold, or one too small for a clock or for the processor's counter (the reason names the
 * least), unknown flags, both forms, handler is NULL, an event that the set has not; or by hardware one that
 * several counters make, or a set that is multiplexed, inherited, or attached to another thread or to a CPU;
 * PAPI_EISRUN; PAPI_ECNFLCT: the set has overflows of the other form, or another of its events overflows by
 * the same counter; PAPI_ENOSUPP: the event's counter delivers no overflows, or its values are real numbers;
 * PAPI_ENOMEM: also where the user's memory for samples (kernel.perf_event_mlock_kb, ulimit -l) or timers
 * (ulimit -i) are used up; PAPI_ECLOST: the set was made before a fork; PAPI_ESYS; PAPI_ENOEVST;
 * PAPI_ENOINIT. */
int PAPI_overflow(int es, int code, int threshold, int flags, PAPI_overflow_handler_t handler);

/* The positions in the set of the events that an overflow vector names.
 *   array   room for *number positions
 *   number  in: the length of array; out: how many there are
 * PAPI_EINVAL: a null pointer, no room, no bit in the vector, or no event of the set overflows. */
int PAPI_get_overflow_event_index(int es, long long vector, int *array, int *number);

/* Counts the addresses at which an event passes its threshold in a histogram, between PAPI_start and
 * PAPI_stop: what PAPI_overflow tells a handler, without one.
 *   buf        the buckets: 16, 32 or 64 bits each, by flags; the caller zeroes them
 *   bufsiz     bytes of buf: (end - start) * (bytes of a bucket / 2) * (scale / 65536)
 *   offset     the lowest address
 *   scale      0x20000: one address a bucket; 65536: two; 0x8000: four; ...; 2: all in one bucket
 *   threshold  events from one sample to the next; 0: no profile for this event any more
 *   flags      PAPI_PROFIL_POSIX or several of RANDOM (a random quarter is left out), WEIGHTED
 *              (by software a sample counts as many times as thresholds were passed since the last
 *              look; by hardware each is one), COMPRESS (the fuller a bucket, the fewer samples it
 *              takes: one of 2^k, k the sixteenths of its range that are full), BUCKET_16, _32, _64,
 *              FORCE_SW (PAPI_OVERFLOW_FORCE_SW)
 * A full bucket stays full. Errors as of PAPI_overflow; PAPI_EINVAL also for a buffer that is NULL,
 * not aligned to its buckets or smaller than one, and for other scales. */
int PAPI_profil(void *buf, unsigned bufsiz, vptr_t offset, unsigned scale, int es, int code, int threshold,
                int flags);

/* The offset is a pointer or, as in older codes, an unsigned long. */
#ifndef PAPI_BUILD
#define PAPI_profil(buf, bufsiz, offset, scale, es, code, threshold, flags)                                  \
    PAPI_profil(buf, bufsiz, (vptr_t)(size_t)(offset), scale, es, code, threshold, flags)
#endif

/* Counts addresses in several histograms at once, as PAPI_profil does in one: the first region that has
 * the address counts it.
 *   prof  n regions; they are copied. The buffer of one with the scale 2 holds one whole bucket, although
 *         codes give its size as 1
 *   n     at least 1
 * PAPI_EINVAL: prof is NULL or n < 1. Errors as of PAPI_profil. */
int PAPI_sprofil(PAPI_sprofil_t *prof, int n, int es, int code, int threshold, int flags);

/* ===================================================== domain, granularity */

/* Sets the domain of event sets made from now on, in all threads.
 *   domain  PAPI_DOM_USER (the default), PAPI_DOM_KERNEL, ... or-ed, or PAPI_DOM_ALL
 * Some events of the kernel itself (context switches, migrations) happen in kernel mode only; they
 * are counted in every domain. Counting in kernel mode takes a permission: without it PAPI_add_event
 * gives its error. PAPI_EINVAL: not a domain. PAPI_EINVAL_DOM: the kernel does not tell it apart. */
int PAPI_set_domain(int domain);

/* Sets the domain as PAPI_set_domain does, which all components share.
 *   cidx  the component's index
 * PAPI_ENOCMP: no component has this index. Errors as of PAPI_set_domain. */
int PAPI_set_cmp_domain(int domain, int cidx);

/* Sets the granularity of event sets made from now on.
 *   granularity  PAPI_GRN_THR: an event set counts for a thread
 * PAPI_EINVAL: not a granularity. PAPI_ECMP: one that is not offered; to a whole CPU an event set is
 * attached (PAPI_set_opt, PAPI_CPU_ATTACH), and threads that a thread starts are counted with
 * PAPI_INHERIT. */
int PAPI_set_granularity(int granularity);

/* Sets the granularity as PAPI_set_granularity does, which all components share.
 *   cidx  the component's index
 * PAPI_ENOCMP: no component has this index. Errors as of PAPI_set_granularity. */
int PAPI_set_cmp_granularity(int granularity, int cidx);

/* ================================================================= timers */

/* Real time since a fixed moment, in clock ticks (of the time-stamp counter where it runs at a
 * constant rate, of PAPI_hw_info_t.clock_mhz otherwise), microseconds, nanoseconds. They always
 * succeed, before PAPI_library_init too. */
long long PAPI_get_real_cyc(void);
long long PAPI_get_real_usec(void);
long long PAPI_get_real_nsec(void);

/* CPU time of the calling thread, in user and kernel mode, in the units of PAPI_get_real_cyc, _usec and
 * _nsec. They always succeed, before PAPI_library_init too. */
long long PAPI_get_virt_cyc(void);
long long PAPI_get_virt_usec(void);
long long PAPI_get_virt_nsec(void);

/* ================================================================= events */

/* Tells whether an event counts on this machine, which the kernel was asked once. PAPI_OK: it counts.
 * PAPI_EINVAL: not an event code, or name is NULL. PAPI_ENOTPRESET: the preset mask, or a name that begins
 * with PAPI_, and no such preset. PAPI_ENOEVNT: it cannot be counted here; PAPI_strerror says why. */
int PAPI_query_event(int code);
int PAPI_query_named_event(const char *name);

/* The name of an event code.
 *   out  room for PAPI_MAX_STR_LEN bytes
 * PAPI_EINVAL: out is NULL or code is not an event code. PAPI_ENOTPRESET: the preset mask with no such
 * preset. PAPI_ENOEVNT: no event was named that has this code. PAPI_EBUF: the name is longer. */
int PAPI_event_code_to_name(int code, char *out);

/* The code of an event name. It says nothing on whether the event counts: that is PAPI_query_event.
 *   in   a preset, an event that a file or the program defined, or a native event as libpfm4 or the
 *        kernel spells it (see PAPI_add_named_event). Those that have masks take them behind colons, and
 *        libpfm4's modifiers: ":u" and ":k" (user and kernel mode, also ":u=1:k=0") take the place of the
 *        event set's domain
 *   out  the code; that of a native event holds until PAPI_shutdown and may differ in another run
 * PAPI_EINVAL: in or out is NULL. PAPI_ENOTPRESET: the name begins with PAPI_ and is not a preset.
 * PAPI_ENOEVNT: no event has this name. PAPI_ENOMEM. */
int PAPI_event_name_to_code(const char *in, int *out);

/* Describes an event, one that does not count here too: then count is 0, and note says why. The
 * qualifiers of a native event are libpfm4's modifiers that its name can take, with a value that each
 * could have; the first PAPI_MAX_COMP_QUALS of them. Masks are not qualifiers: PAPI_enum_event steps
 * through them.
 *   info  all of it is filled
 * PAPI_EINVAL: info is NULL or code is not an event code. PAPI_ENOTPRESET: the preset mask with no such
 * preset. PAPI_ENOEVNT: no event was named that has this code. */
int PAPI_get_event_info(int code, PAPI_event_info_t *info);

/* Steps to the next event.
 *   *code     in: PAPI_PRESET_MASK, PAPI_NATIVE_MASK or PAPI_UE_MASK (the user's events), or the last
 *             code; out: the next code
 *   modifier  PAPI_ENUM_EVENTS: any next event of that sort; PAPI_ENUM_FIRST: the first
 *             Presets: PAPI_PRESET_ENUM_AVAIL: that counts on this machine; PAPI_PRESET_ENUM_INS and
 *             its like: of one kind, whether it counts here or not
 *             User events: PAPI_PRESET_ENUM_AVAIL too
 *             Native events: PAPI_NTV_ENUM_UMASKS: the event with its first mask, or with the mask
 *             behind that in *code. The others list nothing: combinations of masks are too many to list
 *             (any can be named), and no processor that Linux still runs on has the rest.
 * PAPI_ENOEVNT: there is none. PAPI_EINVAL: code is NULL or no event code, or no such modifier.
 * PAPI_ENOMEM. */
int PAPI_enum_event(int *code, int modifier);

/* Steps to the next event of one component, as PAPI_enum_event does.
 *   cidx  the component's index
 * PAPI_ENOCMP: no component has this index. Errors as of PAPI_enum_event. */
int PAPI_enum_cmp_event(int *code, int modifier, int cidx);

/* Defines an event, until PAPI_shutdown.
 *   info     event_code: only PAPI_PRESET_MASK or PAPI_UE_MASK (a user event) in it matters, and only
 *            where the symbol is new; symbol: its name (a new one of letters, digits, "_", "-" and ".",
 * shorter than PAPI_MAX_STR_LEN); derived: NOT_DERIVED, DERIVED_ADD, DERIVED_SUB, DERIVED_CMPD or
 *            DERIVED_POSTFIX; postfix: the formula of the last, such as "N0|2|*|N1|+|"; name: the native
 *            events, presets and user events that it takes, up to the first that is empty;
 *            short_descr, long_descr, note: may be empty
 *   *code    receives the event's code
 *   replace  not 0: an event of this name that has a definition gets this one
 * PAPI_EINVAL: an argument is NULL, or a field does not fit or names what is not an event here.
 * PAPI_ENOEVNT: event_code is that of a native event, or of none. PAPI_EPERM: the event is defined, and
 * replace is 0. PAPI_EISRUN: it is in an event set. PAPI_ENOTPRESET: the table is full
 * (PAPI_MAX_PRESET_EVENTS, PAPI_MAX_USER_EVENTS). PAPI_ENOMEM. */
int PAPI_set_event_info(PAPI_event_info_t *info, int *code, int replace);

/* Defines presets from a file, all of it or, on an error, none. Its rows, behind a row of titles, are
 *   name,derived,postfix,short_descr,long_descr,note,native,...
 * as PAPI_set_event_info has them; texts may stand in double quotes. Rows that are empty, begin with "#" or
 * have neither derived nor native events are passed over.
 *   file     its name
 *   replace  not 0: events that have a definition get a new one
 * PAPI_EINVAL: file is NULL, or a row is not in order. PAPI_ESYS: it cannot be read.
 * PAPI_EPERM, PAPI_EISRUN, PAPI_ENOTPRESET: as PAPI_set_event_info. PAPI_strerror has file and line.
 * PAPI_ENOMEM. */
int PAPI_encode_events(char *file, int replace);

/* The index of the component that counts an event. PAPI_ENOEVNT: no event was named that has this code.
 * PAPI_EINVAL: not an event code. PAPI_ENOTPRESET: the preset mask with no such preset. */
int PAPI_get_event_component(int code);
#define PAPI_COMPONENT_INDEX(code) PAPI_get_event_component(code)

/* ============================================================ the machine */

/* Describes the machine: processors, caches and clock rates, from hwloc and /proc; found out by the
 * first call. The structure belongs to the library and stays until PAPI_shutdown.
 * NULL: PAPI_library_init was not called, or out of memory or of file descriptors; a later call tries again.
 */
const PAPI_hw_info_t *PAPI_get_hardware_info(void);

/* The memory of the process as it is now, from /proc/self. Under papi_emulate it is the memory of the
 * emulator with the program in it. PAPI_EINVAL: info is NULL. PAPI_ESYS: /proc cannot be read; errno is
 * that of the opening, or ENODATA where it tells nothing of memory. */
int PAPI_get_dmem_info(PAPI_dmem_info_t *info);

/* The program's file and its addresses in memory: [text_start, text_end) has all its functions, and is a
 * region for PAPI_profil. Valid until PAPI_shutdown. NULL: PAPI_ENOINIT, PAPI_ENOMEM, or PAPI_ENOSUPP
 * where the loader knows of no program. */
const PAPI_exe_info_t *PAPI_get_executable_info(void);

/* The shared libraries that are loaded now, those of dlopen too, in the loader's order; none (map is
 * NULL) in a static program. The kernel's code in each process (the vdso) is in no file and is left
 * out. What one call gave is never changed by a later one, and valid until PAPI_shutdown; as long as
 * nothing was loaded or unloaded the answer is the same pointer. NULL: PAPI_ENOINIT, PAPI_ENOMEM. */
const PAPI_shlib_info_t *PAPI_get_shared_lib_info(void);

/* The component that counts on the processor, under the name that components had when there was one:
 * that of index 0, or what takes its place under papi_emulate. Valid until PAPI_shutdown. NULL:
 * PAPI_ENOINIT, PAPI_ENOMEM. */
const PAPI_substrate_info_t *PAPI_get_substrate_info(void);

/* The number of hardware counters that one event set can use, of the component that counts the presets.
 * 0: this machine shows none. PAPI_ESYS: no descriptor or memory is free to find out. */
int PAPI_num_hwctrs(void);

/* The number of hardware counters of one component.
 *   cidx  its index
 * 0: this machine shows none. PAPI_ENOCMP: no component has this index. PAPI_ESYS: as above. */
int PAPI_num_cmp_hwctrs(int cidx);

/* The number of components. Never an error. */
int PAPI_num_components(void);

/* Describes a component: what it is called, whether it is off and why, how many events and counters it
 * has, what it can do. The structure belongs to the library and stays until PAPI_shutdown.
 *   cidx  its index, 0 to PAPI_num_components() - 1
 * Before PAPI_library_init: its name, version and what else is known without looking at the machine
 * (initialized is 0); asked for again after it, the same structure has the rest. NULL: none has this index,
 * or out of memory. */
const PAPI_component_info_t *PAPI_get_component_info(int cidx);

/* The index of a component.
 *   name  "perf_event", "emulated", ...: papi_component_avail lists them
 * PAPI_EINVAL: name is NULL. PAPI_ENOCMP: no component has this name. */
int PAPI_get_component_index(const char *name);

/* Switches a component off, before PAPI_library_init, until PAPI_shutdown: none of its events can be added.
 *   cidx  its index
 * PAPI_ENOCMP: no component has this index. PAPI_ENOINIT: PAPI_library_init has been called. */
int PAPI_disable_component(int cidx);

/* Switches a component off as PAPI_disable_component does, before PAPI_library_init.
 *   name  as PAPI_get_component_index takes it
 * PAPI_EINVAL: name is NULL. PAPI_ENOCMP: no component has this name. PAPI_ENOINIT: PAPI_library_init has
 * been called. */
int PAPI_disable_component_by_name(const char *name);

/* Steps through the kinds of devices: the processors, CUDA's (NVIDIA) and ROCm's (AMD). Devices are those of
 * the vendor that the kernel shows in /sys/bus/pci/devices; where there are none, the status says so.
 *   modifier  PAPI_DEV_TYPE_ENUM__CPU, __CUDA, __ROCM or-ed, or __ALL: which kinds; __FIRST: the first
 *             kind of all
 *   *handle   in: NULL for the first, or the last handle (anything else is taken as NULL); out: the next
 *             one, NULL after the last. Handles are constants: they stay valid.
 * PAPI_EINVAL: handle is NULL, or no such modifier. PAPI_ENOEVNT: there is no further kind. */
int PAPI_enum_dev_type(int modifier, void **handle);

/* A fact about a kind of devices.
 *   handle  of PAPI_enum_dev_type
 *   attr    PAPI_DEV_TYPE_ATTR__INT_PAPI_ID: PAPI_DEV_TYPE_ID__*; __INT_VENDOR_ID: PAPI_VENDOR_* of the
 *           processor, -1 where none is, else PCI's; __CHAR_NAME: the vendor; __INT_COUNT: how many
 *           devices there are (all processors are one); __CHAR_STATUS: empty, or why there are none
 *   value   an int for the names with INT, a const char * for those with CHAR (valid until
 *           PAPI_shutdown)
 * PAPI_EINVAL: no such handle or attribute, or value is NULL. PAPI_ENOMEM, PAPI_ESYS. */
int PAPI_get_dev_type_attr(void *handle, PAPI_dev_type_attr_e attr, void *value);

/* A fact about a device.
 *   id     of a kind's devices, from 0. For __CPU_UINT_NUMA_MEM_SIZE and __CPU_UINT_THR_PER_NUMA a NUMA
 *          node, from 0 to NUMA_COUNT - 1; for __CPU_UINT_THR_NUMA_AFFINITY a CPU (hardware thread), as
 *          the kernel numbers them
 *   attr   PAPI_DEV_ATTR__CPU_*: sizes of caches and their lines are in bytes; CORE_COUNT in one socket,
 *          THREAD_COUNT in one core; NUMA_MEM_SIZE in megabytes (1048576 bytes); THR_PER_NUMA CPUs of
 *          the node; THR_NUMA_AFFINITY the node of the CPU. 0 where the machine does not tell, or has
 *          no such cache.
 *   value  an unsigned int for the names with UINT, unsigned long for ULONG, const char * for CHAR
 * PAPI_EINVAL: no such handle or id, an attribute of another kind of devices, or value is NULL.
 * PAPI_ENOSUPP: of CUDA's and ROCm's devices, but for their names; or there are none. PAPI_ENOMEM, PAPI_ESYS.
 */
int PAPI_get_dev_attr(void *handle, int id, PAPI_dev_attr_e attr, void *value);

/* ==================================================== classic high level
 * These initialise the library themselves and keep one set of counters for each thread. A signal's handler
 * may read and accumulate them, and call PAPI_flops and similar functions (those below, too) where they count
 * already; it may not start or end them, which allocates. Where it has interrupted one of these calls of its
 * thread, it is refused, without effect (PAPI_ECNFLCT). After one was left by siglongjmp they all are, until
 * PAPI_stop_counters or PAPI_rate_stop gives the counters up, which says PAPI_ECNFLCT, too. */

/* The number of hardware counters. 0: the machine shows none. Under papi_emulate, which counts all its events
 * at once, 8. PAPI_ENOMEM. */
int PAPI_num_counters(void);

/* Starts counting n events.
 *   codes  event codes, n of them
 * PAPI_EINVAL: codes is NULL, n < 1 or more than the machine holds. PAPI_EISRUN: counters of these
 * functions run already in this thread. PAPI_ENOTPRESET, PAPI_ENOEVNT, PAPI_EPERM, PAPI_ECMP_DISABLED,
 * PAPI_ECNFLCT, PAPI_ENOMEM, PAPI_ESYS: an event cannot be added, as PAPI_add_event tells. */
int PAPI_start_counters(int *codes, int n);

/* PAPI_read_counters copies the counts and zeroes them, PAPI_accum_counters adds them to values and
 * zeroes them, PAPI_stop_counters copies them and stops.
 *   values  n counts, in the order of PAPI_start_counters
 *   n       the number of events that were started
 * PAPI_stop_counters also ends the counting of PAPI_flips, PAPI_flops and PAPI_ipc; then values may
 * be NULL. PAPI_EINVAL: values is NULL, n does not fit, or PAPI_flips, PAPI_flops or PAPI_ipc count (read
 * and accum). PAPI_ENOTRUN: nothing was started. Errors as of PAPI_read; values stay as they are where no
 * counts are given. */
int PAPI_read_counters(long long *values, int n);
int PAPI_accum_counters(long long *values, int n);
int PAPI_stop_counters(long long *values, int n);

/* Floating-point instructions (flips) or operations (flops) and their rate. The first call starts
 * the counters and gives zeroes; PAPI_stop_counters ends it, so that the next call is a first one again.
 * Later ones give:
 *   rtime, ptime    real and CPU time since the first call, in seconds
 *   flpins, flpops  instructions or operations since the first call (PAPI_FP_INS, PAPI_FP_OPS)
 *   mflips, mflops  rate since the previous call, in millions a second of CPU time
 * The times and the rate of a call take a few operations (2 under papi_emulate), which the next call counts.
 * PAPI_flips, PAPI_flops and PAPI_ipc count beside one another, where the machine has the counters; what ends
 * one of them ends all.
 * PAPI_EINVAL: an argument is NULL, or the counters were started by another function than these three.
 * PAPI_ENOEVNT: this machine does not count them; PAPI_strerror says why. PAPI_EPERM, PAPI_ECMP_DISABLED:
 * they may not be counted. PAPI_ECNFLCT: the counters are taken. PAPI_ENOMEM, PAPI_ESYS. PAPI_ECLOST: in the
 * child of a fork, where the counters are the parent's; PAPI_stop_counters lets it start anew. */
int PAPI_flips(float *rtime, float *ptime, long long *flpins, float *mflips);
int PAPI_flops(float *rtime, float *ptime, long long *flpops, float *mflops);

/* Instructions and instructions per cycle. The first call starts the counters and gives zeroes;
 * PAPI_stop_counters ends it. Later ones give:
 *   rtime, ptime  real and CPU time since the first call, in seconds
 *   ins           instructions since the first call (PAPI_TOT_INS)
 *   ipc           instructions per cycle (PAPI_TOT_CYC) since the previous call
 * Errors as of PAPI_flips. */
int PAPI_ipc(float *rtime, float *ptime, long long *ins, float *ipc);

/* ========================================================== rates and regions
 * High level as PAPI 6 and 7 have it. These functions initialise the library themselves. */

/* The rate of a chosen event. As PAPI_flips and PAPI_flops: the first call starts the counters and gives
 * zeroes; later ones give
 *   code           the event: PAPI_FP_INS, PAPI_VEC_DP, ... (flips); PAPI_FP_OPS, PAPI_SP_OPS,
 *                  PAPI_DP_OPS, ... (flops), or any other that this machine counts
 *   rtime, ptime   real and CPU time since the first call, in seconds
 *   flpins/flpops  events since the first call
 *   mflips/mflops  rate since the previous call, in millions a second of CPU time
 * PAPI_EINVAL: an argument is NULL, code is not an event code, or this thread counts something else, for
 * another of these functions or another event: PAPI_rate_stop ends that. PAPI_ENOTPRESET, PAPI_ENOEVNT,
 * PAPI_EPERM, PAPI_ECMP_DISABLED: the event cannot be counted; PAPI_strerror says why. PAPI_ECNFLCT: the
 * counters are taken. PAPI_ENOMEM, PAPI_ESYS. PAPI_ECLOST: in the child of a fork, where the counters are
 * the parent's; PAPI_rate_stop lets it start anew. */
int PAPI_flips_rate(int code, float *rtime, float *ptime, long long *flpins, float *mflips);
int PAPI_flops_rate(int code, float *rtime, float *ptime, long long *flpops, float *mflops);

/* Events per cycle of the core. The first call starts the counters and gives zeroes.
 *   code          the event; 0: PAPI_TOT_INS
 *   rtime, ptime  real and CPU time since the first call, in seconds
 *   ref           reference cycles since the first call (PAPI_REF_CYC); 0 where the machine does not
 *                 count them, or not together with the others
 *   core          cycles of the core since the first call (PAPI_TOT_CYC)
 *   evt           events since the first call
 *   epc           events per cycle of the core since the previous call
 * Errors as of PAPI_flops_rate; PAPI_TOT_CYC must be countable too. */
int PAPI_epc(int code, float *rtime, float *ptime, long long *ref, long long *core, long long *evt,
             float *epc);

/* Ends what PAPI_flips_rate, PAPI_flops_rate, PAPI_epc, PAPI_flips, PAPI_flops or PAPI_ipc count in the
 * calling thread, so that the next of them begins at zero. PAPI_ENOTRUN: none of them counts.
 * PAPI_ECLOST: the counters were the parent's, in the child of a fork. PAPI_ECNFLCT, PAPI_ESYS: they failed.
 * With these three they are given up all the same. */
int PAPI_rate_stop(void);

/* Regions: named parts of a program whose time and events are counted in every thread, and written at
 * the program's end into a file of JSON. No other call is needed.
 *   region  the name: UTF-8, of any length, not empty; it is copied
 * PAPI_hl_region_begin enters a region, PAPI_hl_region_end leaves it; regions may be nested and repeated,
 * and a region may be begun inside of itself. Each entry stands in the file for itself; beyond about a
 * million (1048576 in all threads together) further entries are added to an earlier one of the same name
 * and parent. PAPI_hl_read keeps the values since the beginning of the region that was begun last.
 * What is counted and written is chosen by environment variables, which the first of these calls reads;
 * a wrong value is passed over:
 *   PAPI_EVENTS              event names, of any components, with commas between; "=instant" after a
 *                            name gives the reading at the end, as for levels, instead of the
 *                            difference ("=delta"); "@" and the name of a group of metrics, or of
 *                            one, gives these and the events that they need. Not set: the usual
 *                            presets that count here, or else what the kernel counts
 *   PAPI_METRICS_FILE        a file with more metrics
 *   PAPI_MULTIPLEX           1: the events may take turns on the counters; without that they do only
 *                            where they cannot be counted at once
 *   PAPI_HL_THREAD_MULTIPLE  0: regions of the first thread alone
 *   PAPI_OUTPUT_DIRECTORY    where papi_hl_output is made; not set: the current directory
 *   PAPI_REPORT              1: a table on stdout at the end of the program; formulas: also what its metrics
 *                            are computed of
 *   PAPI_COUNTED_SHARE       0: the report of a program that counts itself (papi_counted) does not say how
 *                            much of the processor's time was in code that does not, for which a timer
 *                            signals SIGPROF to each thread
 *   PAPI_HL_VERBOSE          1: messages on stderr about events and values that are passed over, about
 *                            the file, and about calls that do not fit; 0: none at all. Not set:
 *                            one message if the file cannot be written at the end of the program
 * The file is papi_hl_output/rank_NNNNNN.json: the rank is that of MPI, or else the first number that is
 * free. A papi_hl_output from before this run is renamed with the time of its last change. A region that
 * is still open is written up to the last of these calls in its thread, and marked "unfinished". Where
 * events take turns, a region that was too short for an event's turn has no value of it. The child
 * of a fork begins anew and writes a file of its own. Nothing is written where a program ends by _exit,
 * exec or a signal: PAPI_hl_stop before that writes the file.
 *
 * PAPI_EINVAL: region is NULL or empty; PAPI_hl_read and PAPI_hl_region_end: it is not the region that was
 * begun last and is still open in this thread (nothing changes; the file tells how many such calls there
 * were). PAPI_ENOMEM: the region or reading is not recorded; the end of a region that was refused gives
 * the same. PAPI_ECNFLCT, PAPI_ESYS: the counters failed; the region is recorded without
 * their events. An event that cannot be counted from the beginning is not an error: it is named in the file,
 * and the others are counted. */
int PAPI_hl_region_begin(const char *region);
int PAPI_hl_read(const char *region);
int PAPI_hl_region_end(const char *region);

/* Stops the calling thread's counters of regions, for programs that use them otherwise afterwards, and
 * writes the file of all threads, with what is known so far. A region that is begun later starts the
 * counters again, and the file is written again at the end of the program.
 * PAPI_ENOTRUN: no region was begun. PAPI_EISRUN: a region is open in this thread. PAPI_ESYS: the file
 * cannot be written; errno and PAPI_strerror say why. PAPI_ENOMEM. */
int PAPI_hl_stop(void);

/* Metrics by name: a formula of events, of the time and of constants of the machine, such as "mflops", "ipc"
 * or "l1d_mpki". papi_event_chooser @ lists them; the file that PAPI_METRICS_FILE names has more.
 *
 * PAPI_metric gives that of counts of an event set, of which it costs nothing before.
 *   es      an event set that has the events of the metric
 *   metric  its name
 *   values  what PAPI_read or PAPI_stop gave, one element an event of the set; NULL: as PAPI_read gives now
 *   nsec    in which the events were counted, in nanoseconds, as the difference of two PAPI_get_real_nsec; 0:
 *           not known, which metrics without a time do not need
 *   value   in the unit of the metric
 * PAPI_EINVAL: metric or value is NULL; there is no such metric; it divides by 0; it needs the time.
 * PAPI_ENOEVNT: the set does not have the events; the reason names the first. PAPI_ENOINIT, PAPI_ENOEVST, and
 * with values NULL what PAPI_read returns. PAPI_ENOMEM. PAPI_ESYS: the file that PAPI_METRICS_FILE names
 * cannot be read now. value keeps its value then. */
int PAPI_metric(int es, const char *metric, long long *values, long long nsec, double *value);

/* The same of a region: of all its entries so far in all threads, as the table of PAPI_REPORT has them, with
 * the time of the thread that was in it for the longest time. The events are those of PAPI_EVENTS, which may
 * name metrics and groups of them with "@" before: PAPI_EVENTS=@flops,@cache.
 *   region  its name
 * PAPI_EINVAL: an argument is NULL; no such region was begun; else as PAPI_metric. PAPI_ENOTRUN: no region
 * was begun at all. PAPI_ECNFLCT: an event of it was not counted in all of the region; the reason says why.
 * PAPI_ENOEVNT, PAPI_ENOMEM, PAPI_ESYS: as PAPI_metric. */
int PAPI_hl_metric(const char *region, const char *metric, double *value);

/* The efficiencies of an MPI job so far, from 0 to 1, as the report of papi_mpirun has them at its end: a
 * program can act on them, or print how a step went. The time of this call is in none of them. By the thread
 * that called MPI_Init.
 *   region  its name, of all its visits so far; "": all since MPI_Init
 *   scope   PAPI_EFF_RANK: of this rank alone, without communication: PAPI_EFF_PARALLEL is the part of its
 * time outside MPI, the others are NaN. PAPI_EFF_JOB: of all ranks, which all must call it for the same
 *           region, as any collective call of MPI
 *   values  PAPI_EFF_COUNT elements; NaN: not known, as the last two are without PAPI_MPI_PATH=1
 * PAPI_EINVAL: an argument is NULL or no scope; no rank, or this one, was in the region; ranks ask for
 * different regions. PAPI_ENOSUPP: the program was not started by papi_mpirun and is not linked with its
 * library; another thread asks. PAPI_ENOTRUN: before MPI_Init, after MPI_Finalize, or the job is not
 * measured. PAPI_ESYS: MPI failed. values keep their values then. */
int PAPI_hl_efficiency(const char *region, int scope, double *values);
#define PAPI_EFF_RANK 0
#define PAPI_EFF_JOB 1
#define PAPI_EFF_PARALLEL 0
#define PAPI_EFF_BALANCE 1
#define PAPI_EFF_IN_NODES 2
#define PAPI_EFF_ACROSS_NODES 3
#define PAPI_EFF_COMMUNICATION 4
#define PAPI_EFF_SERIALISATION 5
#define PAPI_EFF_TRANSFER 6
#define PAPI_EFF_COUNT 7

#ifdef PAPI_BUILD
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
} /* extern "C" */

/* The three-argument form, which C has by the macro. Codes include this file within extern "C" too. */
extern "C++" inline int PAPI_perror(int code, char *destination, int length)
{
    return PAPI_perror_string(code, destination, length);
}
#endif

#endif
