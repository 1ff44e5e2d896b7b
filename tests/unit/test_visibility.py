"""Who sees what: by level and scope, from the host's word alone; what is not known is not shared."""

from __future__ import annotations

import pytest

from hookclaw_py.model.audience import Audience
from hookclaw_py.model.level import MIXED, Level, Reach
from hookclaw_py.stages.visibility import Viewer, viewer_of

LOW_S1 = Viewer(Level.LOW, frozenset({"s1"}))
OTHERS = [audience for audience in Audience if audience is not Audience.OWNER]


@pytest.mark.parametrize(
    ("level", "scope", "expected"),
    [
        ("low", "", True),
        ("low", "s1", True),
        ("medium", "", False),
        ("medium", "s1", False),
        ("low", "s2", False),
        ("medium", "s2", False),
        ("high", "s1", False),
        ("secret", "s1", False),
    ],
)
def test_level_and_scope_decide_what_is_seen(level, scope, expected):
    """M27, M29, vector 26; what would only be listed is not seen."""
    assert LOW_S1.sees(Reach(Level.stored(level), scope)) is expected


def test_a_viewer_without_scopes_sees_only_what_is_everybodys():
    """M29, defect 16: no scopes meant all."""
    nobody = Viewer(Level.CRITICAL)
    assert nobody.sees(Reach(Level.HIGH))
    assert not nobody.sees(Reach(Level.PUBLIC, "s1"))


def test_the_owner_hears_every_scope_up_to_the_ceiling():
    """M14, M27: a record of a shared session is seen in the owner's direct sessions, too."""
    owner = viewer_of(Audience.OWNER, "direct")
    assert all(owner.sees(Reach(Level.HIGH, scope)) for scope in ("", "direct", "s1", MIXED))
    assert not owner.sees(Reach(Level.CRITICAL))


@pytest.mark.parametrize("audience", OTHERS)
def test_others_hear_their_own_scope_up_to_the_shared_ceiling(audience):
    """M14, defect 16: whom the host does not name counts as shared; a memory of a direct session is medium."""
    other = viewer_of(audience, "s1")
    assert other.sees(Reach(Level.LOW, "s1"))
    assert other.sees(Reach(Level.LOW))
    assert not other.sees(Reach(Level.MEDIUM, "s1"))
    assert not other.sees(Reach(Level.LOW, "s2"))


@pytest.mark.parametrize("scope", ["", MIXED])
def test_no_name_of_a_session_opens_what_came_out_of_several(scope):
    """Defects 15, 16."""
    viewer = viewer_of(Audience.GROUP, scope)
    assert not viewer.sees(Reach(Level.LOW, MIXED))
    assert not Viewer(Level.HIGH, frozenset({MIXED})).sees(Reach(Level.LOW, MIXED))
