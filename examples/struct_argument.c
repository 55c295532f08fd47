/* SPDX-License-Identifier: MIT */
/*
 * struct_argument: passes a structure to a kernel by value. The structure must have the same layout
 * on the host and in the kernel. The launch checks that the sizes are equal.
 *
 * Exit status: 0 the result is right, 1 there is no usable driver or NVRTC, or a call failed.
 */
#include <stdio.h>

#include <cushim/cushim.h>

#define PARTICLE                                                                                   \
    struct particle {                                                                              \
        float position[3], velocity[3];                                                            \
        int id;                                                                                    \
    };
#define TEXT(...)    TEXT_OF(__VA_ARGS__)
#define TEXT_OF(...) #__VA_ARGS__

PARTICLE

static const char kernel[] = TEXT(PARTICLE) /* the same declaration for both compilers */
    "\nextern \"C\" __global__ void move(struct particle p, float seconds, float *out) {\n"
    "    for (int i = 0; i < 3; i++)\n"
    "        out[i] = p.position[i] + seconds * p.velocity[i];\n"
    "    out[3] = p.id;\n"
    "}\n";

static cushim_status move(const struct particle *p, float seconds, float *out)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) result = CUSHIM_NONE;
    const struct cushim_launch_config one = cushim_launch_config(.grid = {1}, .block = {1});
    cushim_stream stream;
    cushim_function f;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_stream_default(context, &stream));
    CUSHIM_TRY(cushim_module_compile(context, kernel, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "move", &f));
    CUSHIM_TRY(cushim_slice_zeros(stream, sizeof(float), 4, &result));
    CUSHIM_TRY(
        cushim_launch(stream, f, one, CUSHIM_VALUE(*p), CUSHIM_VALUE(seconds), CUSHIM_OUT(result)));
    /* A number instead of the structure is refused before the driver is called. */
    if (cushim_launch(stream, f, one, CUSHIM_VALUE(1), CUSHIM_VALUE(seconds), CUSHIM_OUT(result)))
        printf("refused: %s\n", cushim_error_text());
    return cushim_slice_read(stream, result, out, 4);
}

int main(void)
{
    const struct particle p = {.position = {1, 2, 3}, .velocity = {10, 20, 30}, .id = 7};
    float out[4];

    if (move(&p, 0.5f, out) != CUSHIM_OK) {
        fprintf(stderr, "struct_argument: %s\n", cushim_error_text());
        return 1;
    }
    printf("particle %g is at %g %g %g\n", out[3], out[0], out[1], out[2]);
    return out[0] == 6 && out[1] == 12 && out[2] == 18 && out[3] == 7 ? 0 : 1;
}
