/* SPDX-License-Identifier: MIT */
/* Devices. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

SUITE(safe_device);

Test(safe_device, devices)
{
    int n = 0, major = 0, minor = -1, value = 0, device = 9, last;
    struct cushim_uuid uuid = {{0}}, zero = {{0}};
    char name[64] = "", pci[16] = "";
    size_t bytes = 0;
    struct world w;

    open_world(&w);
    assert_ok(cushim_device_count(w.driver, &n));
    cr_assert(gt(int, n, 0));
    last = n - 1;
    assert_ok(cushim_device_name(w.driver, last, name, sizeof(name)));
    cr_expect(ne(str, S(name), S("")));
    assert_ok(cushim_device_uuid(w.driver, last, &uuid));
    cr_expect(ne(int, memcmp(&uuid, &zero, sizeof(uuid)), 0));
    assert_ok(cushim_device_memory(w.driver, 0, &bytes));
    cr_expect(gt(sz, bytes, (size_t) 1 << 30));
    assert_ok(cushim_device_attribute(w.driver, 0, 10, &value));
    cr_expect(eq(int, value, 32));
    assert_refused(cushim_device_attribute(w.driver, 0, 100000, &value), 1, "cuDeviceGetAttribute");
    assert_ok(cushim_device_compute_capability(w.driver, 0, &major, &minor));
    cr_expect(gt(int, major, 0));
    cr_expect(ge(int, minor, 0));
    assert_ok(cushim_device_pci_id(w.driver, last, pci, sizeof(pci)));
    assert_ok(cushim_device_by_pci_id(w.driver, pci, &device));
    cr_expect(eq(int, device, last));
    assert_refused(cushim_device_name(w.driver, n, name, sizeof(name)), 101, "cuDeviceGet");
    assert_refused(cushim_device_count(w.driver, NULL), CUSHIM_ERROR_INVALID_ARGUMENT, "ret_count");
    close_world(&w);
}

Test(safe_device, devices_of_the_mock)
{
    int n = 0, major = 0, minor = 0;
    char name[64] = "";
    bool can = false;
    struct world w;

    MOCK_ONLY("it knows the devices");
    open_world(&w);
    assert_ok(cushim_device_count(w.driver, &n));
    cr_expect(eq(int, n, 2));
    assert_ok(cushim_device_name(w.driver, 1, name, sizeof(name)));
    cr_expect(eq(str, S(name), S("NVIDIA H200")));
    assert_ok(cushim_device_compute_capability(w.driver, 0, &major, &minor));
    cr_expect(eq(int, major, 9));
    assert_ok(cushim_device_can_access_peer(w.driver, 0, 1, &can));
    cr_expect(eq(int, can, 1));
    close_world(&w);
}

Test(safe_device, why_the_mock_has_no_devices_is_in_the_error)
{
    static const char expected[] =
        "cuInit answers 1 CUDA_ERROR_INVALID_VALUE: CUSHIM_MOCK_DEVICES: "
        "there is no device 'abacus'";
    cushim_driver driver = CUSHIM_NONE;
    char older[512];

    MOCK_ONLY("it names devices that the mock does not know");
    snprintf(older, sizeof(older), "%.*s/11.8/libcuda.so.1", (int) (strrchr(MOCK, '/') - MOCK),
             MOCK);
    run_alone();
    setenv("CUSHIM_MOCK_DEVICES", "abacus", 1);
    assert_refused(cushim_open(cushim_open_params(.library = MOCK), &driver), 1, expected);
    assert_refused(cushim_open(cushim_open_params(.library = older), &driver), 1, expected);
}
