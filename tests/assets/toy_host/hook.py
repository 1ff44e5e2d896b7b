"""A host of somebody else, whole: it wraps its prompts in a line of its own, and asks for memories before each.

    python hook.py FOLDER_OF_NOTES < what the host sends to its model

What it wraps around a prompt is its own affair: it takes that off before it asks.
"""

import re
import sys

from hookclaw_py.hosts.caller import Failed, ask, tell

WRAPPED = re.compile(r"\A<<toy turn \d+ of .*>>\n")


def main() -> None:
    """Print the block for the prompt on stdin; nothing when there is none, or nobody to ask."""
    folder, prompt = sys.argv[1], WRAPPED.sub("", sys.stdin.read())
    who = {"agentId": "toy", "sessionKey": "toy", "audience": "owner", "workspaceDir": folder}
    try:
        result = ask("before_agent_start", {**who, "prompt": prompt, "timeoutMs": 1900}, prompt=True)
    except Failed as error:
        tell(str(error))
        return
    sys.stdout.write(result.get("prependContext", ""))


if __name__ == "__main__":
    main()
