"""Keys come from environment variables, are read when a connection opens, and stay out of every text."""

import os
import re
from urllib.parse import urlsplit

_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
# A placeholder as short as "none" or "abc" is no secret, and hiding it would damage replies.
SHORTEST_SECRET = 8


def check_variable(name: str | None) -> None:
    """Refuse what is no variable's name; it may be a key, so the message does not show it.

    Raises:
        ValueError: a name that is not made of capitals, digits and underscores.
    """
    if name is not None and not _NAME.fullmatch(name):
        raise ValueError(
            "key_variable: expected the NAME of an environment variable, such as OPENAI_API_KEY, not a key"
        )


def check_address(url: str) -> None:
    """Refuse an address that is none or that carries a secret.

    Raises:
        ValueError: no http address, or one with a user, a password or a query.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("base_url: expected an address such as http://localhost:8000/v1")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError(
            "base_url: expected no user, password or query in it; name the key's variable instead"
        )


def read_key(variable: str | None) -> str:
    """The key in an environment variable; the empty string where no variable is named.

    Raises:
        ValueError: the variable is not set, or holds what no HTTP header can carry.
    """
    if variable is None:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ValueError(f"the environment variable {variable} is not set; it should hold the server's key")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ValueError(f"the environment variable {variable} holds more than a key (a space, a line break)")
    return key


def hide(text: str, key: str) -> str:
    """The text without the key: servers have been seen to repeat it in their messages."""
    return text.replace(key, "[key]") if len(key) >= SHORTEST_SECRET else text
