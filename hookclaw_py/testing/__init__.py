"""For a backend of one's own: the suites that it has to pass, and small parts to try it with. Needs pytest.

from hookclaw_py.testing.stores import StoreContract

class TestMyStore(StoreContract):
    def open_store(self, folder):
        return MyStore(folder)
"""

import pytest

pytest.register_assert_rewrite("hookclaw_py.testing.stores", "hookclaw_py.testing.vectors")
