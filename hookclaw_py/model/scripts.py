"""Scripts in which a word does not end where a blank stands, as parts of a class of characters."""

UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e80-\u0eff\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u17dc-\u17ff\u3005"
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, kana, Han, Hangul (whose particles stick to the word), each without its punctuation."""
