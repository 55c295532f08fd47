/* SPDX-License-Identifier: MIT */
/*
 * ten_threads: launches kernels from ten threads, first with one context and module for all
 * threads, then with separate handles for each thread. No thread makes a context current: any
 * handle works in any thread.
 *
 * Exit status: 0 all results are right, 1 there is no usable driver or NVRTC, or a call failed.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include <cushim/cushim.h>

enum { THREADS = 10 };

static const char kernel[] =
    "extern \"C\" __global__ void square(int *out, int i) { *out = i * i; }\n";

static cushim_driver driver;
static cushim_image image;
static cushim_context shared_context;
static cushim_module shared_module;
static atomic_int right;

static cushim_status compute(cushim_context context, cushim_module module, int i, int *ret_square)
{
    CUSHIM_SCOPED(cushim_slice) out = CUSHIM_NONE;
    const struct cushim_launch_config one = cushim_launch_config(.grid = {1}, .block = {1});
    cushim_stream stream;
    cushim_function square;

    CUSHIM_TRY(cushim_stream_default(context, &stream));
    CUSHIM_TRY(cushim_module_function(module, "square", &square));
    CUSHIM_TRY(cushim_slice_zeros(stream, sizeof(int), 1, &out));
    CUSHIM_TRY(cushim_launch(stream, square, one, CUSHIM_OUT(out), CUSHIM_VALUE(i)));
    return cushim_slice_read(stream, out, ret_square, 1);
}

static void tell(int i, cushim_status status, int square)
{
    if (status != CUSHIM_OK)
        fprintf(stderr, "ten_threads: %s\n", cushim_error_text());
    else if (square == i * i)
        right++;
}

static void *with_shared(void *number)
{
    const int i = *(const int *) number;
    int square = 0;
    const cushim_status status = compute(shared_context, shared_module, i, &square);

    tell(i, status, square);
    return NULL;
}

static cushim_status alone(int i, int *ret_square)
{
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;

    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_module_load_image(context, image, NULL, &module));
    return compute(context, module, i, ret_square);
}

static void *with_own(void *number)
{
    const int i = *(const int *) number;
    int square = 0;
    const cushim_status status = alone(i, &square);

    tell(i, status, square);
    return NULL;
}

static void run(void *(*thread)(void *) )
{
    static int numbers[THREADS];
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, thread, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static cushim_status prepare(void)
{
    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &shared_context));
    CUSHIM_TRY(cushim_compile(kernel, NULL, &image));
    return cushim_module_load_image(shared_context, image, NULL, &shared_module);
}

int main(void)
{
    if (prepare() == CUSHIM_OK) {
        run(with_shared);
        run(with_own);
        printf("%d of %d squares are right\n", right, 2 * THREADS);
    } else {
        fprintf(stderr, "ten_threads: %s\n", cushim_error_text());
    }
    cushim_module_free(&shared_module);
    cushim_context_free(&shared_context);
    cushim_image_free(&image);
    cushim_close(&driver);
    return right == 2 * THREADS ? 0 : 1;
}
