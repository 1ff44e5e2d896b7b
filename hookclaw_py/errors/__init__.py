"""The error tree. Each message says what failed, where, why, and what to do about it."""

from __future__ import annotations


class HookclawError(Exception):
    """Anything this package raises on purpose; ``at_shell`` names the options of a command that the message is about."""

    def __init__(self, message: str = "", *, at_shell: str = "") -> None:
        self.at_shell = at_shell
        super().__init__(message)


class ConfigError(HookclawError):
    """The configuration cannot be used; ``problems`` lists everything wrong with it, one sentence each."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class StoreError(HookclawError):
    """The store's database cannot be opened, read or written."""


class AwayError(StoreError):
    """A server does not answer, or lets nobody in: that it began and that it ended is in the log, once for all who ask it."""


class TooLongError(StoreError):
    """The path of a note, say, is longer than an index of the store's database can hold; whatever else there is can be written."""


class RevisionError(HookclawError):
    """A record cannot be changed in this way."""


class IndexingError(HookclawError):
    """A workspace cannot be indexed at all (one bad file is a warning, not this)."""


class RetrievalError(HookclawError):
    """A retriever cannot answer."""


class WriterBusyError(RetrievalError):
    """Another process is writing to a retriever and will commit; nothing is damaged, and its changes will be seen."""


class IndexClosedError(RetrievalError):
    """A retriever was used after ``close()``."""


class EmbeddingError(RetrievalError):
    """The embedder cannot turn a text into a vector."""


class ModelError(HookclawError):
    """A model is missing, altered or not the one that its manifest describes."""


class MissingExtraError(HookclawError):
    """A part needs packages that come with an extra of this package, and they are not installed."""

    def __init__(self, part: str, extra: str) -> None:
        from hookclaw_py.errors.remedies import install_extra

        super().__init__(f"{part} needs more packages; run `{install_extra(extra)}`")


class DeadlineExceeded(HookclawError):
    """A stage had no answer when the recall's time was up."""
