"""WordPiece over a list of words in a twentieth of the memory, behind the library's own normalising, parting and framing.

The library keeps its words twice, by text and by number: 17 MB for 65,000. Here a word is the hash of its bytes, beside its number.
Source of the algorithm: Devlin et al., "BERT", NAACL 2019, whose ``tokenization.py`` looks for the longest beginning that is in the list.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from tokenizers import PreTokenizedString, Token, Tokenizer

_KEPT = 4_096  # words whose pieces are kept for the next texts


class WordPiece:
    """Encodes as the library's ``Tokenizer`` of the same file, byte for byte of its ids and offsets; any number of threads may call it."""

    def __init__(self, content: bytes, max_tokens: int) -> None:
        """Make it of a ``tokenizer.json``, whose texts are cut at ``max_tokens``.

        Raises:
            ValueError: if it is none.
            KeyError: if it is none of WordPiece with words of its own.
        """
        said = json.loads(content)
        model = said["model"]
        if model["type"] != "WordPiece":
            raise KeyError(model["type"])
        self._words, self._unknown, self._content = _Words(model["vocab"]), model["unk_token"], content
        self._longest, self._inside = model["max_input_chars_per_word"], model["continuing_subword_prefix"]
        self._special = [added["content"] for added in said["added_tokens"]]
        model["vocab"] = {name: model["vocab"][name] for name in {*self._special, self._unknown}}
        self._frame = _plain(Tokenizer.from_str(json.dumps(said)), max_tokens)
        self._normalizer, self._pre_tokenizer = self._frame.normalizer, self._frame.pre_tokenizer
        self._max_tokens = max_tokens
        self._pieces = lru_cache(maxsize=_KEPT)(self._parted)
        self._whole: Tokenizer | None = None

    def encode(self, text: str, *, add_special_tokens: bool = True) -> Any:
        """Return the library's ``Encoding`` of a text."""
        if "[" in text and any(special in text for special in self._special):
            return self._of_the_library().encode(text, add_special_tokens=add_special_tokens)
        parts = PreTokenizedString(text)
        parts.normalize(self._normalizer.normalize)
        self._pre_tokenizer.pre_tokenize(parts)
        parts.tokenize(self._pieces)
        encoding = parts.to_encoding()
        if add_special_tokens:
            return self._frame.post_process(encoding)
        if len(encoding) > self._max_tokens:
            encoding.truncate(self._max_tokens)
        return encoding

    def token_to_id(self, token: str) -> int | None:
        """Return the number of a word of the list."""
        return self._words.get(token)

    def _parted(self, word: str) -> list[Token]:
        """Return the pieces of a word, each as long as can be; the library counts their bytes."""
        found, start, size = list[Token](), 0, len(word)
        while start < size <= self._longest:
            for end in range(size, start, -1):
                piece = (self._inside if start else "") + word[start:end]
                if (number := self._words.get(piece)) is not None:
                    break
            else:
                break
            begins = len(word[:start].encode())
            found.append(Token(number, piece, (begins, begins + len(word[start:end].encode()))))
            start = end
        if start < size:
            return [Token(self._words.get(self._unknown) or 0, self._unknown, (0, len(word.encode())))]
        return found

    def _of_the_library(self) -> Tokenizer:
        """Return the library's own, for the rare text that spells out one of the model's signs: these are no words."""
        if self._whole is None:
            self._whole = _plain(Tokenizer.from_buffer(self._content), self._max_tokens)
        return self._whole


class _Words:
    """Numbers by word, found by the hash of its bytes: that two of 65,000 have the same one is a chance of 1 in 10 billion."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        hashes = np.fromiter((hash(word.encode()) for word in numbers), np.int64, len(numbers))
        order = hashes.argsort()
        self._hashes = array("q", hashes[order].tobytes())
        self._numbers = array("q", np.fromiter(numbers.values(), np.int64, len(numbers))[order].tobytes())

    def get(self, word: str) -> int | None:
        """Return a word's number."""
        key = hash(word.encode())
        place = bisect_left(self._hashes, key)
        return self._numbers[place] if place < len(self._hashes) and self._hashes[place] == key else None


def _plain(tokenizer: Tokenizer, max_tokens: int) -> Tokenizer:
    """Return a tokenizer that pads nothing and cuts at ``max_tokens``; the file's own settings pad and cut to 128."""
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def open_tokenizer(content: bytes, max_tokens: int) -> Any:
    """Return what encodes as a ``tokenizer.json`` says, pads nothing and cuts at ``max_tokens``: ours for WordPiece, else the library's.

    Raises:
        ValueError: if it is no tokenizer.
    """
    try:
        return WordPiece(content, max_tokens)
    except (KeyError, TypeError):
        return _plain(Tokenizer.from_buffer(content), max_tokens)
