# SPDX-License-Identifier: MIT
"""What programs do with cuda-core: compile, link, launch, copy, time."""
import unittest

import numpy as np
from cuda.bindings import driver
from cuda.core import (Device, LaunchConfig, Linker, LinkerOptions, ObjectCode, Program, ProgramOptions,
                       launch)

SCALE = """
template <typename T> __global__ void scale(T *a, T by, size_t n)
{
    size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x;
    if (i < n) a[i] *= by;
}
"""
SUM = """
extern "C" __global__ void sum(const int *a, int *total, int n)
{
    __shared__ int part;
    if (!threadIdx.x) part = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&part, a[i]);
    __syncthreads();
    if (!threadIdx.x) atomicAdd(total, part);
}
"""
CALLER = ('extern "C" __device__ int twice(int);'
          'extern "C" __global__ void apply(int *a) { a[threadIdx.x] = twice(a[threadIdx.x]); }')
CALLEE = 'extern "C" __device__ int twice(int x) { return 2 * x; }'


def check(answer):
    if answer[0] != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(str(answer[0]))
    return answer[1] if len(answer) == 2 else answer[1:]


class Samples(unittest.TestCase):
    def setUp(self):
        self.device = Device()
        self.device.set_current()
        self.stream = self.device.create_stream()
        self.arch = f"sm_{self.device.arch}"

    def kernel(self, source, name, target="cubin", **options):
        program = Program(source, "c++", ProgramOptions(std="c++17", arch=self.arch))
        return program.compile(target, **options).get_kernel(name)

    def upload(self, array):
        buffer = self.device.allocate(array.nbytes, stream=self.stream)
        self.stream.sync()
        check(driver.cuMemcpyHtoD(int(buffer.handle), array.ctypes.data, array.nbytes))
        return buffer

    def download(self, buffer, like):
        result = np.empty_like(like)
        self.stream.sync()
        check(driver.cuMemcpyDtoH(result.ctypes.data, int(buffer.handle), result.nbytes))
        return result

    def scaled(self, kind, name, target):
        array = np.arange(1000).astype(kind)
        buffer = self.upload(array)
        kernel = self.kernel(SCALE, f"scale<{name}>", target, name_expressions=[f"scale<{name}>"])
        launch(self.stream, LaunchConfig(grid=4, block=256), kernel, buffer, kind(3), np.uint64(1000))
        np.testing.assert_array_equal(self.download(buffer, array), array * 3)

    def test_device(self):
        self.assertTrue(self.device.name)
        self.assertEqual(len(self.device.uuid.replace("-", "")), 32)
        self.assertGreater(self.device.properties.multiprocessor_count, 0)

    def test_template_as_cubin(self):
        self.scaled(np.float32, "float", "cubin")

    def test_template_as_ptx(self):
        self.scaled(np.float32, "float", "ptx")

    def test_template_of_doubles(self):
        self.scaled(np.float64, "double", "cubin")

    def test_shared_memory_and_atomics(self):
        array = np.arange(5000, dtype=np.int32)
        numbers, total = self.upload(array), self.upload(np.zeros(1, np.int32))
        launch(self.stream, LaunchConfig(grid=20, block=256), self.kernel(SUM, "sum"), numbers, total, np.int32(5000))
        self.assertEqual(self.download(total, np.zeros(1, np.int32))[0], array.sum())

    def test_two_programs_linked(self):
        options = ProgramOptions(std="c++17", arch=self.arch, relocatable_device_code=True)
        parts = [Program(text, "c++", options).compile("ptx") for text in (CALLER, CALLEE)]
        linked = Linker(*parts, options=LinkerOptions(arch=self.arch)).link("cubin")
        array = np.arange(32, dtype=np.int32)
        buffer = self.upload(array)
        launch(self.stream, LaunchConfig(grid=1, block=32), linked.get_kernel("apply"), buffer)
        np.testing.assert_array_equal(self.download(buffer, array), 2 * array)

    def test_image_from_bytes(self):
        code = Program(SUM, "c++", ProgramOptions(arch=self.arch)).compile("cubin").code
        self.assertTrue(ObjectCode.from_cubin(code).get_kernel("sum"))

    def test_attributes_of_a_kernel(self):
        attributes = self.kernel(SUM, "sum").attributes
        self.assertGreater(attributes.max_threads_per_block, 0)
        self.assertEqual(attributes.shared_size_bytes, 4)

    def test_log_of_a_mistake(self):
        with self.assertRaisesRegex(Exception, "undefined"):
            Program('extern "C" __global__ void k() { missing(); }', "c++",
                    ProgramOptions(arch=self.arch)).compile("cubin")

    def test_events(self):
        first = self.stream.record()
        self.stream.wait(first)
        self.stream.sync()
        self.assertTrue(first.is_done)

    def test_two_streams(self):
        other = self.device.create_stream()
        array = np.ones(1000, np.float32)
        buffer = self.upload(array)
        kernel = self.kernel(SCALE, "scale<float>", name_expressions=["scale<float>"])
        config = LaunchConfig(grid=4, block=256)
        launch(self.stream, config, kernel, buffer, np.float32(2), np.uint64(1000))
        other.wait(self.stream.record())
        launch(other, config, kernel, buffer, np.float32(3), np.uint64(1000))
        other.sync()
        np.testing.assert_array_equal(self.download(buffer, array), 6 * array)

    def test_copies_between_buffers(self):
        array = np.arange(100, dtype=np.int32)
        source, target = self.upload(array), self.upload(0 * array)
        source.copy_to(target, stream=self.stream)
        np.testing.assert_array_equal(self.download(target, array), array)


if __name__ == "__main__":
    unittest.main()
