"""The one tokenizer, and what it is made of: folding, languages, tokens."""

from hookclaw_py.text.dictionary import in_dictionary as in_dictionary
from hookclaw_py.text.folding import encodable as encodable
from hookclaw_py.text.folding import ends as ends
from hookclaw_py.text.folding import fold as fold
from hookclaw_py.text.folding import on_one_line as on_one_line
from hookclaw_py.text.languages import STOP_WORDS as STOP_WORDS
from hookclaw_py.text.languages import guess_language as guess_language
from hookclaw_py.text.simplified import simplified as simplified
from hookclaw_py.text.tokens import TOKENIZER_VERSION as TOKENIZER_VERSION
from hookclaw_py.text.tokens import asking as asking
from hookclaw_py.text.tokens import count_words as count_words
from hookclaw_py.text.tokens import forms as forms
from hookclaw_py.text.tokens import is_identifier as is_identifier
from hookclaw_py.text.tokens import jaccard as jaccard
from hookclaw_py.text.tokens import raw_tokens as raw_tokens
from hookclaw_py.text.tokens import runs as runs
from hookclaw_py.text.tokens import stop_words as stop_words
from hookclaw_py.text.tokens import terms as terms
from hookclaw_py.text.tokens import terms_asked as terms_asked
from hookclaw_py.text.tokens import words as words
