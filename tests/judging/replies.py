"""What a judge may reply, made from what it was asked."""

import json

YES = "Evidence: people bow.\n\\boxed{yes}"


def schema(text: str) -> dict:
    """The JSON Schema that a prompt ends with."""
    start = text.index("Schema, with every key present")
    return json.JSONDecoder().raw_decode(text, text.index("{", start))[0]


def grades(text: str, score: object = 4, **scores: object) -> str:
    """A reply that grades every criterion that a prompt asks about."""
    wanted, content = schema(text), {}
    for name in wanted["required"]:
        form = wanted["$defs"][wanted["properties"][name]["$ref"].rpartition("/")[2]]
        content[name] = dict.fromkeys(form["required"], f"what {name} shows")
        content[name]["score"] = scores.get(name, score)
    return json.dumps(content)


def fitting(text: str) -> str:
    """A good reply to whatever is asked."""
    return YES if "boxed" in text else grades(text)
