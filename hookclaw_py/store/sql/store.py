"""A store in SQL, in all its parts; what is left to say is on which database, see ``connections``."""

from __future__ import annotations

from typing import Self

from hookclaw_py.store.sql.diary import Diary
from hookclaw_py.store.sql.experience import Experience
from hookclaw_py.store.sql.handing_over import HandingOver
from hookclaw_py.store.sql.ledger import Ledger
from hookclaw_py.store.sql.passages import Kept, Passages
from hookclaw_py.store.sql.records import RecordBook
from hookclaw_py.store.sql.wordings import Wordings


class SQLStore(Passages, Wordings, RecordBook, Ledger, Diary, Experience, HandingOver):
    """One agent's memory. A dialect's store is this and the dialect's ``Connections``, which are open before this begins."""

    def __init__(self, kept: Kept) -> None:
        Passages.__init__(self, kept)
        RecordBook.__init__(self)
        Experience.__init__(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
