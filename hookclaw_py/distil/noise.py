"""What of tool calls is no memory."""

from __future__ import annotations

from hookclaw_py.distil.calls import Action, ToolCall
from hookclaw_py.regex import regex

_ASIDE_TOOLS = """
    todowrite askuserquestion slashcommand listmcpresourcestool skill tts canvas cron subagents agents_list session_status
    tool_call tool_search
"""
_ASIDE = frozenset(_ASIDE_TOOLS.split())
_ASIDE_PREFIXES = ("memory_", "sessions_")
_NOTHING = frozenset({"", "ok", "done", "true", "{}", "[]"})
_SHORT = 40  # characters of output
_LONG_JSON = 3_000
_TELLING = regex(
    r"""(?xi) \b(?: (?:py)?test s? | jest | vitest | tox | check | lint | build | make | compile | deploy | ship | release | publish | rollout
      | install | upgrade | update | migrate | backup | restore | commit | push | merge | rebase | revert | tag
      | restart | start | stop | enable | disable | set | add | create | drop | delete | remove | rm | mv | rename | unlock
      | force-unlock | apply | grant | revoke | reset | kill | reload | chmod | chown | mount )\b | _drop_ | _create_ """
)


def is_aside(call: ToolCall) -> bool:
    """Say whether a call only looks after the agent itself: its lists, its memory, its other sessions."""
    tool = call.tool.casefold()
    return not tool or tool in _ASIDE or tool.startswith(_ASIDE_PREFIXES)


def is_noise(call: ToolCall) -> bool:
    """Say whether a call says nothing that is worth keeping: of the reads that succeed only the path is kept, elsewhere."""
    if is_aside(call):
        return True
    if not call.ok or call.action in (Action.EDIT, Action.WRITE):
        return False
    output = call.output.strip()
    if call.action is Action.READ or (output[:1] in "{[" and len(output) > _LONG_JSON):
        return True
    if call.action is Action.RUN:
        return len(output) < _SHORT and not is_news(call)
    return output.casefold() in _NOTHING


def is_news(call: ToolCall) -> bool:
    """Say whether a command changes, builds, tests or delivers something: then its success is news, however short."""
    return bool(_TELLING.search(call.subject))
