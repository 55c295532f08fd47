# SPDX-License-Identifier: MIT
"""Arrays of DrJit on its CUDA device, compared with NumPy."""
import unittest

import drjit as dr
import numpy as np
from drjit.cuda import Float, UInt
from drjit.cuda.ad import Float as FloatAd

X = np.arange(1, 1001, dtype=np.float32)


class Samples(unittest.TestCase):
    def near(self, found, wanted):
        np.testing.assert_allclose(np.array(found), wanted, rtol=1e-4, atol=1e-4)

    def test_arithmetic(self):
        self.near(Float(X) * 3 + 1, X * 3 + 1)

    def test_functions(self):
        for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "floor"):
            with self.subTest(name=name):
                self.near(getattr(dr, name)(Float(X / 100)), getattr(np, name)(X / 100))

    def test_sums(self):
        self.near(dr.sum(Float(X)), X.sum())
        self.near(dr.cumsum(Float(X)), X.cumsum())
        self.near(dr.max(Float(X)), X.max())

    def test_gather_and_scatter(self):
        i = UInt(np.arange(999, -1, -1))
        self.near(dr.gather(Float, Float(X), i), X[::-1])
        target = dr.zeros(Float, 10)
        dr.scatter_add(target, Float(X), UInt(np.arange(1000) % 10))
        self.near(target, X.reshape(100, 10).sum(axis=0))

    def test_gradient(self):
        x = FloatAd(X)
        dr.enable_grad(x)
        dr.backward(dr.sum(x * x))
        self.near(dr.grad(x), 2 * X)


if __name__ == "__main__":
    unittest.main()
