# SPDX-License-Identifier: MIT
"""What programs do with CuPy first."""
import unittest

import cupy
import numpy as np


class Samples(unittest.TestCase):
    def test_device(self):
        self.assertGreaterEqual(cupy.cuda.runtime.getDeviceCount(), 1)

    def test_an_array(self):
        np.testing.assert_array_equal((cupy.arange(10) * 2).get(), np.arange(10) * 2)

    def test_a_kernel(self):
        twice = cupy.RawKernel('extern "C" __global__ void twice(float *a) { a[threadIdx.x] *= 2; }', "twice")
        a = cupy.ones(32, dtype=cupy.float32)
        twice((1,), (32,), (a,))
        np.testing.assert_array_equal(a.get(), np.full(32, 2, np.float32))


if __name__ == "__main__":
    unittest.main()
