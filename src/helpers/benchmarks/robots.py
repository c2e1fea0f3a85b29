"""What a site's robots.txt allows (RFC 9309, the Robots Exclusion Protocol).

Python 3.11's own reader takes the first rule that fits and knows no wildcards; the standard takes the most
specific rule and has them.
"""

import re
from dataclasses import dataclass
from typing import Self
from urllib.parse import quote, unquote, urlsplit

_LINE = re.compile(r"\s*(?P<key>[A-Za-z-]+)\s*:\s*(?P<value>.*?)\s*$")


@dataclass(frozen=True)
class Robots:
    """The rules that hold for one crawler.

    Attributes:
        rules: path patterns, each with whether it allows.
        delay: seconds that the site asks to leave between requests (`Crawl-delay`, outside the standard).
    """

    rules: tuple[tuple[str, bool], ...] = ()
    delay: float = 0.0

    @classmethod
    def parse(cls, content: str, agent: str) -> Self:
        """Read a robots.txt file.

        Args:
            content: the file's text; lines that are no rule are passed over, as the standard wants.
            agent: the crawler's product token ("world-on-screen"), compared without regard to capitals. All
                groups that name it hold together; where none does, those for "*".
        """
        groups: dict[str, list[tuple[str, str]]] = {}
        named: list[str] = []
        heading = False
        for line in content.splitlines():
            if not (found := _LINE.match(line.partition("#")[0])):
                continue
            key, value = found["key"].casefold(), found["value"]
            if key == "user-agent":
                named = [*named, value.casefold()] if heading else [value.casefold()]
                groups.setdefault(named[-1], [])
            elif key in ("allow", "disallow", "crawl-delay"):
                for name in named:
                    groups[name].append((key, value))
            heading = key == "user-agent"
        lines = groups.get(agent.casefold(), groups.get("*", []))
        rules = tuple((value, key == "allow") for key, value in lines if key != "crawl-delay" and value)
        delays = [value for key, value in lines if key == "crawl-delay"]
        return cls(rules, max((float(delay) for delay in delays if _is_number(delay)), default=0.0))

    def allows(self, url: str) -> bool:
        """Whether a page may be fetched: the longest pattern that fits decides, and "allow" among equals.

        Args:
            url: a whole address; its path and query count.
        """
        parts = urlsplit(url)
        path = _normal(parts.path or "/") + (f"?{_normal(parts.query)}" if parts.query else "")
        if path == "/robots.txt":
            return True
        fitting = [(len(rule), allowed) for rule, allowed in self.rules if _pattern(rule).match(path)]
        return max(fitting, default=(0, True))[1]


def _pattern(rule: str) -> re.Pattern[str]:
    """A rule's path as a pattern: "*" is anything, a final "$" the address's end."""
    end = "$" if rule.endswith("$") else ""
    parts = rule.removesuffix("$").split("*")
    return re.compile(".*".join(re.escape(_normal(part)) for part in parts) + end)


def _normal(path: str) -> str:
    """One spelling for characters that may or may not be percent-encoded."""
    return quote(unquote(path), safe="/?&=;:@,+!$'()*~")


def _is_number(written: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", written) is not None
