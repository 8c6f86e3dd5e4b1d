/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "hardware/parts.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define DMI "/sys/class/dmi/id/"

/* A value of sysfs or of the device tree: without blanks at its end, or the byte 0 there. */
static int read_text(struct reading *from, const char *path, char *out, size_t size)
{
    int length = sysroot_line(from->root, path, out, size);
    if (length < 0)
        reading_failed(from);
    if (length <= 0)
        return -1;
    size_t n = strlen(out);
    while (n > 0 && out[n - 1] == ' ')
        out[--n] = '\0';
    return n > 0 ? 0 : -1;
}

static void set_vendor(PAPI_hw_info_t *info, const char *name)
{
    snprintf(info->virtual_vendor_string, sizeof info->virtual_vendor_string, "%s", name);
}

/* The name of a signature that cpuid gives; one that nobody knows is its own name. */
static const char *signature_name(const char *signature)
{
    static const char *const table[][2] = {
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
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(signature, table[i][0]) == 0)
            return table[i][1];
    return signature;
}

/* Xen names itself in sysfs, with its version. */
static int from_sys_hypervisor(struct reading *from, PAPI_hw_info_t *info)
{
    char type[64];
    if (read_text(from, "/sys/hypervisor/type", type, sizeof type) != 0)
        return 0;
    set_vendor(info, strcmp(type, "xen") == 0 ? "Xen" : type);
    long long major, minor;
    if (sysroot_number(from->root, "/sys/hypervisor/version/major", &major) == 0 &&
        sysroot_number(from->root, "/sys/hypervisor/version/minor", &minor) == 0)
        snprintf(info->virtual_vendor_version, sizeof info->virtual_vendor_version, "%lld.%lld", major,
                 minor);
    else
        reading_failed(from);
    return 1;
}

/* POWER and ARM guests without firmware tables. */
static int from_device_tree(struct reading *from, PAPI_hw_info_t *info)
{
    char text[128];
    if (read_text(from, "/proc/device-tree/hypervisor/compatible", text, sizeof text) == 0) {
        if (strcmp(text, "linux,kvm") == 0)
            set_vendor(info, "KVM");
        else if (strstr(text, "xen") != NULL)
            set_vendor(info, "Xen");
        else
            set_vendor(info, text);
        return 1;
    }
    /* A partition of a POWER server, which PowerVM runs. */
    if (read_text(from, "/proc/device-tree/ibm,partition-name", text, sizeof text) != 0)
        return 0;
    set_vendor(info, "PowerVM");
    return 1;
}

/* What the firmware says, for guests whose processor does not tell. product: NULL for any. */
static const struct firmware {
    const char *vendor, *product, *name;
} firmware[] = {
    {"QEMU", NULL, "QEMU"},
    {"KVM", NULL, "KVM"},
    {"Red Hat", "KVM", "KVM"},
    {"VMware", NULL, "VMware"},
    {"innotek GmbH", NULL, "VirtualBox"},
    {"Xen", NULL, "Xen"},
    {"Parallels", NULL, "Parallels"},
    {"Microsoft Corporation", "Virtual Machine", "Microsoft Hyper-V"},
    {"Amazon EC2", NULL, "Amazon EC2"},
    {"Google", "Google Compute Engine", "Google Compute Engine"},
    {"Alibaba Cloud", NULL, "Alibaba Cloud"},
    {"OpenStack Foundation", NULL, "OpenStack"},
    {"DigitalOcean", NULL, "DigitalOcean"},
    {"Hetzner", "vServer", "Hetzner"},
    {"Apple Inc.", "Apple Virtualization", "Apple Virtualization"},
};

static int starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const struct firmware *find_firmware(const char *vendor, const char *product)
{
    /* Clouds rent whole machines under the same vendor: c6g.metal, ecs.ebmgn6... */
    if (strstr(product, "metal") != NULL || strstr(product, "ecs.ebm") != NULL)
        return NULL;
    for (size_t i = 0; i < sizeof firmware / sizeof firmware[0]; i++)
        if (starts_with(vendor, firmware[i].vendor) &&
            (firmware[i].product == NULL || starts_with(product, firmware[i].product)))
            return &firmware[i];
    return NULL;
}

static int from_firmware(struct reading *from, PAPI_hw_info_t *info)
{
    char vendor[128], product[128], version[PAPI_MAX_STR_LEN];
    if (read_text(from, DMI "sys_vendor", vendor, sizeof vendor) != 0)
        return 0;
    if (read_text(from, DMI "product_name", product, sizeof product) != 0)
        product[0] = '\0';
    const struct firmware *found = find_firmware(vendor, product);
    if (found == NULL)
        return 0;
    set_vendor(info, found->name);
    if (read_text(from, DMI "product_version", version, sizeof version) == 0 &&
        strcasecmp(version, "None") != 0 && strcasecmp(version, "Not Specified") != 0)
        snprintf(info->virtual_vendor_version, sizeof info->virtual_vendor_version, "%s", version);
    return 1;
}

void virtual_fill(struct reading *from, const struct cpuinfo *cpu, PAPI_hw_info_t *info)
{
    char signature[16] = "";
    int announced = from->root[0] == '\0' && cpuid_hypervisor(signature, sizeof signature);
    int described =
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
