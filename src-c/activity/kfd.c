/* SPDX-License-Identifier: BSD-3-Clause */
#include "activity/kfd.h"
#include "base/sysroot.h"

#include <stdlib.h>
#include <string.h>

#define NODE "/sys/class/kfd/kfd/topology/nodes/%d/%s"

static const char *root(void)
{
    const char *root = secure_getenv("PAPI_SYSROOT");
    return root != NULL ? root : "";
}

/* 1: a node is a device, 0: it is a processor, -1: there is none of this number. */
static int is_device_node(int node)
{
    char path[128];
    long long id;
    snprintf(path, sizeof path, NODE, node, "gpu_id");
    return sysroot_number(root(), path, &id) == 0 ? id != 0 : -1;
}

bool kfd_shows_device(void)
{
    int found = 0;
    for (int node = 0; found == 0; node++)
        found = is_device_node(node);
    return found > 0;
}

static void read_properties(int node, unsigned long *vendor, unsigned long *location, unsigned long *domain)
{
    char path[128], line[128], name[64];
    unsigned long value;
    snprintf(path, sizeof path, NODE, node, "properties");
    FILE *file = sysroot_open(root(), path);
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%63s %lu", name, &value) == 2)
            *(strcmp(name, "vendor_id") == 0     ? vendor
              : strcmp(name, "location_id") == 0 ? location
              : strcmp(name, "domain") == 0      ? domain
                                                 : &(unsigned long){0}) = value;
    if (file != NULL)
        fclose(file);
}

/* The place on the bus is one number: bus, device and function. */
static void read_device(int node, struct kfd_device *device)
{
    enum { AMD = 0x1002 };
    unsigned long vendor = 0, at = 0, domain = 0;
    char path[128];
    read_properties(node, &vendor, &at, &domain);
    if (vendor != AMD || domain > 0xffff)
        return;
    snprintf(device->address, sizeof device->address, "%04x:%02x:%02x.%x", (unsigned)domain,
             (unsigned)(at >> 8 & 0xff), (unsigned)(at >> 3 & 0x1f), (unsigned)(at & 7));
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/product_name", device->address);
    if (sysroot_line(root(), path, device->name, sizeof device->name) > 0)
        return;
    snprintf(path, sizeof path, NODE, node, "name");
    if (sysroot_line(root(), path, device->name, sizeof device->name) < 0)
        device->name[0] = '\0';
}

void kfd_devices(const bool *is_device, int n_agents, struct kfd_device *device, int n_devices)
{
    int n = 0;
    for (int node = 0; node < n_agents; node++)
        if (is_device_node(node) != is_device[node])
            return;
    if (is_device_node(n_agents) >= 0)
        return;
    for (int node = 0; node < n_agents && n < n_devices; node++)
        if (is_device[node])
            read_device(node, &device[n++]);
}
