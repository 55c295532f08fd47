/* SPDX-License-Identifier: MIT */
/*
 * Many threads open a driver whose constructor takes its time: it is loaded once, and
 * all get the same table. Called with a path, or with "auto" and a library path.
 */
#include "plain.h"

#include <pthread.h>

enum { THREADS = 16 };

static const char *library;
static pthread_barrier_t barrier;
static atomic_int constructed;
static const cushim_entry *tables[THREADS];

/* Called by the library's constructor. */
__attribute__((visibility("default"))) void fake_loaded(void);

void fake_loaded(void)
{
    atomic_fetch_add(&constructed, 1);
}

static void *open_use_close(void *user)
{
    const size_t number = (size_t) (uintptr_t) user;
    cushim_driver driver = CUSHIM_NONE;
    int version = 0;

    pthread_barrier_wait(&barrier);
    CHECK_INT(cushim_open(cushim_open_params(.library = library), &driver), CUSHIM_OK);
    tables[number] = cushim_driver_functions(driver, CUSHIM_CUDA_ROWS);
    CHECK_INT(cushim_driver_version(driver, &version), CUSHIM_OK);
    CHECK_INT(version, 13000);
    CHECK_INT(call_row(driver, CUSHIM_ROW_cuDeviceGet), FAKE_ROW + CUSHIM_ROW_cuDeviceGet);
    CHECK_INT(call_row(driver, CUSHIM_ROW_cuMemFree_v2), 302);
    CHECK_CONTAINS(cushim_error_text(), "cuMemFree_v2");
    cushim_close(&driver);
    CHECK_INT(driver.id, 0);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    library = argc > 1 ? argv[1] : FAKE("slow");
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, open_use_close, (void *) i), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    CHECK_INT(atomic_load(&constructed), 1);
    for (size_t i = 1; i < THREADS; i++)
        CHECK_INT(tables[i] == tables[0], 1);
    return failures();
}
