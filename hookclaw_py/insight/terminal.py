"""Terminal: the one way to it. Notes, paths, prompts and errors are other people's text: on the way out they become plain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from hookclaw_py.privacy.plain import plain

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderResult


def say(message: object = "", *, err: bool = False, nl: bool = True, bold: bool | None = None) -> None:
    """Print a message on stdout, or stderr."""
    click.secho(plain(str(message)), err=err, nl=nl, bold=bold)


def console(*, stderr: bool = False) -> Console:
    """Return a console for tables and styled text; the styles are ours, the text becomes plain."""
    from rich.console import Console, RenderHook

    class Cleaning(RenderHook):
        def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
            return [_Plain(renderable) for renderable in renderables]

    made = Console(stderr=stderr)
    made.push_render_hook(Cleaning())
    return made


class _Plain:
    """Anything that can be printed, its text made plain after it has got its styles."""

    def __init__(self, printed: Any) -> None:
        self._printed = printed

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self._segments(console, options)

    def _segments(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        for segment in console.render(self._printed, options):
            yield segment if segment.control else segment._replace(text=plain(segment.text))
