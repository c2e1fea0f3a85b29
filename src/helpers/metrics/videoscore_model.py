"""VideoScore's network on the current transformers: Idefics2 with a linear head on the last token."""

from typing import Any

import torch
from transformers import AutoConfig, AutoProcessor, Idefics2Config, Idefics2Model
from transformers.models.idefics2.modeling_idefics2 import Idefics2PreTrainedModel

from helpers.chat.quiet import quiet_transformers
from helpers.metrics.loading import best_device, explained
from helpers.metrics.measurer import ModelError


class Idefics2Scores(Idefics2PreTrainedModel):
    """Idefics2 with a linear head, its weights named as the published checkpoints name them.

    The authors' class (mantis-vl, `Idefics2ForSequenceClassification`) imports modules that transformers 5 no
    longer has. It applies a linear layer with a bias to each token's last state and takes the result at the
    last token that is not padding, without an activation.
    """

    def __init__(self, config: Idefics2Config) -> None:
        super().__init__(config)
        self.model = Idefics2Model(config)
        self.score = torch.nn.Linear(config.text_config.hidden_size, config.num_labels)
        self.post_init()

    def forward(self, **inputs: Any) -> torch.Tensor:
        """The outputs of one conversation without padding.

        Args:
            **inputs: what the processor makes of it, one row.

        Returns:
            (outputs,) raw, float32.
        """
        states = self.model(**inputs, use_cache=False).last_hidden_state
        return self.score(states[0, -1]).float()


def load_scores(
    model: str, revision: str | None, *, outputs: int, device: str | None, dtype: str
) -> tuple[Idefics2Scores, Any]:
    """The network and its processor, which leaves each frame in one piece.

    Args:
        model: an id on the Hugging Face Hub, or a folder; weights must be safetensors files.
        revision: the commit, tag or branch on the Hub.
        outputs: how many the head must have.
        device: such as cuda or cpu; None takes a GPU where there is one.
        dtype: what the weights are held in; auto is as published.

    Raises:
        ModelError: no such model, another architecture or number of outputs, or weights that are missing.
    """
    with quiet_transformers(), explained(model):
        config = AutoConfig.from_pretrained(model, revision=revision)
        if config.model_type != "idefics2" or config.num_labels != outputs:
            raise ModelError(
                f"{model} is {config.model_type} with {config.num_labels} outputs; "
                f"expected idefics2 with {outputs}"
            )
        processor = AutoProcessor.from_pretrained(model, revision=revision)
        network, found = Idefics2Scores.from_pretrained(
            model, revision=revision, dtype=dtype, use_safetensors=True, output_loading_info=True
        )
    missing = sorted(found["missing_keys"])
    if missing:
        # transformers would go on with random numbers in their place.
        raise ModelError(f"{model} lacks {len(missing)} of the weights, such as {missing[0]}")
    processor.image_processor.do_image_splitting = False
    return network.to(best_device(device)).eval(), processor
