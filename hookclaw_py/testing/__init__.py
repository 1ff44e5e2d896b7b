"""For a backend of one's own: the suites that it has to pass, and small parts to try it with. Needs pytest.

from hookclaw_py.testing.stores import StoreContract

class TestMyStore(StoreContract):
    def open_store(self, folder):
        return MyStore(folder)
"""

import pytest

_SUITES = ("store_under_test", "passages", "memories", "happenings", "records", "stores", "vectors")
pytest.register_assert_rewrite(*(f"{__name__}.{suite}" for suite in _SUITES))
