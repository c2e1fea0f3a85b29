"""Tokenizers that need no vocabulary file: one token for each byte."""

from collections.abc import Mapping, Sequence

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

BYTES = 256


def byte_tokenizer(
    special: Sequence[str], roles: Mapping[str, str], *, length: int, chat_template: str | None = None
) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer without merges, so that any text is its UTF-8 bytes.

    Args:
        special: special tokens; they follow the 256 bytes in this order.
        roles: what some of them are for, such as `{"eos_token": "</s>"}`; names that transformers does not
            know become attributes, as processors of pictures expect.
        length: the longest text in tokens.
        chat_template: Jinja for conversations.
    """
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({byte: at for at, byte in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=length,
        chat_template=chat_template,
        clean_up_tokenization_spaces=False,
        **roles,
    )
