import pytest

from helpers.benchmarks.robots import Robots

# RFC 9309, section 5.1, and what section 2.2 says of it.
EXAMPLE = """
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""


@pytest.mark.parametrize(
    ("agent", "path", "allowed"),
    [
        ("otherbot", "/", True),
        ("otherbot", "/picture.gif", False),
        ("otherbot", "/picture.gift", True),
        ("otherbot", "/publications/a.html", True),
        ("otherbot", "/example/page.html", False),
        ("FooBot", "/", False),
        ("foobot", "/robots.txt", True),
        ("foobot", "/example/page.html", True),
        ("foobot", "/example/other.html", False),
        ("barbot", "/example/page.html", False),
        ("bazbot", "/example/page.html", False),
        ("bazbot", "/example/other.html", True),
        ("quxbot", "/example/page.html", True),
    ],
)
def test_the_example_of_rfc_9309_section_5_1(agent, path, allowed):
    assert Robots.parse(EXAMPLE, agent).allows(f"https://example.com{path}") is allowed


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        # Section 5.2: the longest match wins, in either order.
        (
            "Allow: /example/page/\nDisallow: /example/page/disallowed.gif",
            "/example/page/disallowed.gif",
            False,
        ),
        ("Disallow: /example/page/disallowed.gif\nAllow: /example/page/", "/example/page/allowed.gif", True),
        # Section 2.2.2: allow wins between equals; an empty rule forbids nothing; octets compare decoded.
        ("Disallow: /a\nAllow: /a", "/a", True),
        ("Disallow:", "/a", True),
        ("Disallow: /foo/bar/%E3%83%84", "/foo/bar/ツ", False),
        ("Disallow: /foo/bar/baz", "/foo/bar/%62%61%7A", False),
        ("Disallow: /foo/bar?baz=quz", "/foo/bar?baz=quz", False),
        ("Disallow: /foo", "/Foo", True),
        # Section 2.2.3: wildcards, and the same characters encoded.
        ("Disallow: /\nAllow: /this/*/exactly", "/this/path/exactly", True),
        ("Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-*.html", False),
        ("Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-b.html", True),
        ("Disallow: /*?page=", "/culture?page=2", False),
        ("Disallow: /a # a comment", "/a", False),
    ],
)
def test_the_rules_of_rfc_9309(rules, path, allowed):
    robots = Robots.parse(f"User-agent: *\n{rules}\n", "world-on-screen")
    assert robots.allows(f"https://example.com{path}") is allowed


def test_groups_that_name_the_crawler_hold_together():
    content = "User-agent: us\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n\nuser-agent: US\ndisallow: /b\n"
    robots = Robots.parse(content, "us")
    assert [robots.allows(f"https://example.com/{path}") for path in "abc"] == [False, False, True]


@pytest.mark.parametrize(
    ("content", "delay"), [("Crawl-delay: 2.5", 2.5), ("Crawl-delay: soon", 0), ("Disallow: /x", 0)]
)
def test_reads_the_delay(content, delay):
    assert Robots.parse(f"User-agent: *\n{content}\n", "us").delay == delay


@pytest.mark.parametrize("content", ["", "<html>not found</html>", "Disallow: /", "\0\0: x\n:\n"])
def test_what_is_no_rule_forbids_nothing(content):
    assert Robots.parse(content, "us").allows("https://example.com/a")
