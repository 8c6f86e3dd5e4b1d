/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/hardware.h"
#include "base/text_rows.h"
#include "hardware/parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Fills in the description. 0, or the error of a read that failed for a reason that passes. */
static int fill(const char *root, PAPI_hw_info_t *info)
{
    struct reading from = {.root = root != NULL ? root : ""};
    struct cpuinfo cpu;
    memset(info, 0, sizeof *info);
    if (cpuinfo_read(from.root, CPUINFO_FIRST, &cpu) != 0)
        reading_failed(&from);
    processor_identify(&from, &cpu, info);
    topology_fill(&from, info);
    frequency_fill(&from, &cpu, info);
    virtual_fill(&from, &cpu, info);
    return from.error;
}

int hardware_info_fill(const char *root, PAPI_hw_info_t *info)
{
    int saved = errno; /* a file that is not there is no error of the caller's */
    int error = fill(root, info);
    if (error == EIO || error == EINTR)
        error = fill(root, info);
    /* Some drivers answer EIO for ever: such a file says nothing, as one that is not there. */
    errno = error != 0 && error != EIO ? error : saved;
    return error != 0 && error != EIO ? -1 : 0;
}

/* ---- virtual machines and containers */

#define DMI "/sys/class/dmi/id/"

static void set_vendor(PAPI_hw_info_t *info, const char *name)
{
    snprintf(info->virtual_vendor_string, sizeof info->virtual_vendor_string, "%s", name);
}

/* The name of a hypervisor's signature in cpuid; an unknown one is its own name. */
static const char *signature_name(const char *signature)
{
    TEXT_ROWS_BEGIN
    static const char table[][2][24] = {
        {"KVMKVMKVM", "KVM"},
        {"Linux KVM Hv", "KVM"},
        {"TCGTCGTCGTCG", "QEMU TCG"},
        {"VMwareVMware", "VMware"},
        {"Microsoft Hv", "Microsoft Hyper-V"},
        {"XenVMMXenVMM", "Xen"},
        {"VBoxVBoxVBox", "VirtualBox"},
        {"bhyve bhyve ", "bhyve"},
        {" lrpepyh  vr", "Parallels"},
        {"prl hyperv  ", "Parallels"},
        {"ACRNACRNACRN", "ACRN"},
    };
    TEXT_ROWS_END
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(signature, table[i][0]) == 0)
            return table[i][1];
    return signature;
}

/* Finds Xen, which names itself in sysfs, with its version. */
static bool from_sys_hypervisor(struct reading *from, PAPI_hw_info_t *info)
{
    char type[64];
    if (!reading_text(from, type, sizeof type, "/sys/hypervisor/type"))
        return false;
    set_vendor(info, strcmp(type, "xen") == 0 ? "Xen" : type);
    long long major = reading_number(from, "/sys/hypervisor/version/major"),
              minor = reading_number(from, "/sys/hypervisor/version/minor");
    if (major >= 0 && minor >= 0)
        snprintf(info->virtual_vendor_version, sizeof info->virtual_vendor_version, "%lld.%lld", major,
                 minor);
    return true;
}

/* Finds the hypervisors of POWER and Arm guests without firmware tables. */
static bool from_device_tree(struct reading *from, PAPI_hw_info_t *info)
{
    char text[128];
    bool named = reading_text(from, text, sizeof text, "/proc/device-tree/hypervisor/compatible");
    if (named)
        set_vendor(info, strcmp(text, "linux,kvm") == 0 ? "KVM" : strstr(text, "xen") ? "Xen" : text);
    else if (reading_text(from, text, sizeof text, "/proc/device-tree/ibm,partition-name"))
        set_vendor(info, "PowerVM"); /* which runs the partitions of a POWER server */
    return info->virtual_vendor_string[0] != '\0';
}

/* Hypervisors by the firmware's vendor and product, for guests whose processor does not say. product: ""
 * for any. */
TEXT_ROWS_BEGIN
static const struct firmware {
    char vendor[24], product[24], name[24];
} firmware[] = {
    {"QEMU", "", "QEMU"},
    {"KVM", "", "KVM"},
    {"Red Hat", "KVM", "KVM"},
    {"VMware", "", "VMware"},
    {"innotek GmbH", "", "VirtualBox"},
    {"Xen", "", "Xen"},
    {"Parallels", "", "Parallels"},
    {"Microsoft Corporation", "Virtual Machine", "Microsoft Hyper-V"},
    {"Amazon EC2", "", "Amazon EC2"},
    {"Google", "Google Compute Engine", "Google Compute Engine"},
    {"Alibaba Cloud", "", "Alibaba Cloud"},
    {"OpenStack Foundation", "", "OpenStack"},
    {"DigitalOcean", "", "DigitalOcean"},
    {"Hetzner", "vServer", "Hetzner"},
    {"Apple Inc.", "Apple Virtualization", "Apple Virtualization"},
};
TEXT_ROWS_END

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const struct firmware *find_firmware(const char *vendor, const char *product)
{
    /* Clouds rent whole machines under the same vendor: c6g.metal, ecs.ebmgn6... */
    if (strstr(product, "metal") != NULL || strstr(product, "ecs.ebm") != NULL)
        return NULL;
    for (size_t i = 0; i < sizeof firmware / sizeof firmware[0]; i++)
        if (starts_with(vendor, firmware[i].vendor) && starts_with(product, firmware[i].product))
            return &firmware[i];
    return NULL;
}

static bool from_firmware(struct reading *from, PAPI_hw_info_t *info)
{
    char vendor[128], product[128] = "", version[PAPI_MAX_STR_LEN];
    if (!reading_text(from, vendor, sizeof vendor, DMI "sys_vendor"))
        return false;
    reading_text(from, product, sizeof product, DMI "product_name");
    const struct firmware *found = find_firmware(vendor, product);
    if (found == NULL)
        return false;
    set_vendor(info, found->name);
    if (reading_text(from, version, sizeof version, DMI "product_version") &&
        strcasecmp(version, "None") != 0 && strcasecmp(version, "Not Specified") != 0)
        snprintf(info->virtual_vendor_version, sizeof info->virtual_vendor_version, "%s", version);
    return true;
}

void virtual_fill(struct reading *from, const struct cpuinfo *cpu, PAPI_hw_info_t *info)
{
    char signature[16] = "";
    bool announced = from->root[0] == '\0' && cpuid_hypervisor(signature, sizeof signature);
    bool described =
        from_sys_hypervisor(from, info) || from_device_tree(from, info) || from_firmware(from, info);
    if (signature[0])
        set_vendor(info, signature_name(signature));
    /* x86 has a flag for it, which settles the question. */
    info->virtualized = announced || (cpu->has_flags ? cpu->hypervisor : described);
    if (!info->virtualized) {
        memset(info->virtual_vendor_string, 0, sizeof info->virtual_vendor_string);
        memset(info->virtual_vendor_version, 0, sizeof info->virtual_vendor_version);
    }
}
