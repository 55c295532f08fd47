# SPDX-License-Identifier: MIT
"""Kernels of Warp on its CUDA device."""
import unittest

import numpy as np
import warp as wp


@wp.kernel
def scale(a: wp.array(dtype=wp.float32), by: wp.float32):
    i = wp.tid()
    a[i] = a[i] * by + wp.float32(i)


@wp.kernel
def add_all(a: wp.array(dtype=wp.int32), total: wp.array(dtype=wp.int32)):
    wp.atomic_add(total, 0, a[wp.tid()])


class Samples(unittest.TestCase):
    def test_device(self):
        self.assertTrue(wp.get_device("cuda:0").is_cuda)

    def test_a_kernel(self):
        a = wp.array(np.ones(1000, np.float32), device="cuda:0")
        wp.launch(scale, dim=1000, inputs=[a, 2.0], device="cuda:0")
        np.testing.assert_array_equal(a.numpy(), 2 + np.arange(1000))

    def test_atomics(self):
        a = wp.array(np.arange(1000, dtype=np.int32), device="cuda:0")
        total = wp.zeros(1, dtype=wp.int32, device="cuda:0")
        wp.launch(add_all, dim=1000, inputs=[a, total], device="cuda:0")
        self.assertEqual(total.numpy()[0], 499500)


if __name__ == "__main__":
    unittest.main()
