"""Words of judges and files as a report may print them: short, and without keys or places on a disk."""

import re

from helpers.parameters import SECRET_VALUE

LONGEST = 320
# A key goes to its end, whatever characters it is made of; a path from its root to the next space or quote.
_SECRET = re.compile(rf"(?:{SECRET_VALUE.pattern})[^\s\"'<>,;]*")
_PATH = re.compile(r"(?<![\w/.:])(?:file://|~)?/(?:[\w.@+-]+/)+[^\s\"'<>,;:)]*|\b[A-Za-z]:\\[^\s\"'<>,;]*")


def harmless(text: object, longest: int | None = LONGEST) -> str:
    """A text without what looks like an access key or a path on a disk, cut where it is long.

    Args:
        text: anything; a missing value is the empty text.
        longest: characters; None leaves the length.
    """
    if not isinstance(text, str):
        return ""
    text = _PATH.sub("[path]", _SECRET.sub("[key]", text)).strip()
    if longest is None or len(text) <= longest:
        return text
    return text[:longest].rsplit(" ", 1)[0] + " …"
