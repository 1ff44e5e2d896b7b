"""Pages: self-contained HTML made from templates; what comes from notes and prompts is escaped where it is put in."""

from __future__ import annotations

from typing import Any


def render(room: str, template: str, **values: Any) -> str:
    """Return the page that ``template`` of a room ("evaluation", "insight") makes of ``values``."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    shelves = [PackageLoader(f"hookclaw_py.{name}") for name in dict.fromkeys([room, "evaluation"])]
    pages = Environment(
        loader=ChoiceLoader(shelves), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return pages.get_template(template).render(**values)
