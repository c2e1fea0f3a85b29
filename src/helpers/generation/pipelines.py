"""Loading a model through diffusers and calling it: one prompt, one seed, one clip.

Weights come from safetensors files only, and code that a repository holds is never run.
"""

import gc
import inspect
import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import diffusers
import torch
import transformers

from helpers.generation.adapters import ADAPTERS, Made
from helpers.generation.catalogue import Model, Rung, Settings, Weights
from helpers.generation.outcomes import Clip, OutOfMemoryError, as_uint8
from helpers.paths import ROOT


class Pipeline:
    """A loaded model.

    Attributes:
        model: its description.
        device: where it computes.
        commit: of the weights; None for a local folder.
        pipe: the diffusers pipeline.
    """

    def __init__(self, model: Model, device: str | None = None) -> None:
        """Load a model; it moves to the device when it is first used.

        Args:
            model: its description.
            device: such as "cuda" or "cpu"; by default a GPU where there is one.

        Raises:
            ValueError: the description does not fit the pipeline.
            OSError: no such repository or folder, or it lacks files.
            ImportError: a package that this model needs is not installed.
        """
        self.model = model
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        kind = getattr(diffusers, model.pipeline)
        folder, self.commit = fetched(Weights(id=model.id, revision=model.revision), kind.download)
        self.pipe = kind.from_pretrained(folder, **self._loading())
        _override_scheduler(self.pipe, model.scheduler)
        self._adapter = ADAPTERS[model.family](self.pipe, model)
        # After the adapter, which may add a LoRA: layers that come later would not be stored in 8 bits.
        for name in model.fp8:
            dtype = getattr(torch, model.dtypes.get(name, model.dtype))
            getattr(self.pipe, name).enable_layerwise_casting(
                storage_dtype=torch.float8_e4m3fn, compute_dtype=dtype
            )
        self._placed: Rung | None = None

    def _loading(self) -> dict[str, Any]:
        model = self.model
        options: dict[str, Any] = {"use_safetensors": True, "trust_remote_code": False}
        dtypes = {"default": model.dtype, **model.dtypes}
        options["dtype"] = {name: getattr(torch, dtype) for name, dtype in dtypes.items()}
        if model.quantisation:
            options["quantization_config"] = diffusers.PipelineQuantizationConfig(**model.quantisation)
        if model.guardrail == "stand-in":
            from helpers.generation.guardrail import StandIn

            options["safety_checker"] = StandIn()
        return options

    def generate(
        self, prompt: str, negative_prompt: str, settings: Settings, seed: int, memory: Rung
    ) -> Clip:
        """Make one clip.

        Args:
            prompt: what to show; passed as it stands.
            negative_prompt: what not to show.
            settings: all arguments of the call.
            seed: of a generator that is made for this clip alone, on the CPU, so that the noise does not
                depend on the device or on the clips before.
            memory: which means against running out of memory to use.

        Raises:
            OutOfMemoryError: the device's memory ran out.
            GuardrailError: a guardrail refused.
            ValueError: the pictures hold values that are no numbers, or the arguments do not fit.
        """
        generator = torch.Generator("cpu").manual_seed(seed)
        try:
            self._place(memory)
            if self.device.startswith("cuda"):
                torch.cuda.reset_peak_memory_stats(self.device)
            made: Made = self._adapter(
                prompt=prompt, negative_prompt=negative_prompt, generator=generator, **settings.call
            )
        except torch.OutOfMemoryError as error:
            raise OutOfMemoryError(str(error).splitlines()[0]) from None
        flags = [*made.flags, *self._truncation(prompt, settings)]
        return Clip(as_uint8(made.frames), made.audio, made.sample_rate, flags)

    def free(self) -> None:
        """Give back what a failed or finished call left in the device's memory."""
        gc.collect()
        if self.device.startswith("cuda"):
            torch.cuda.empty_cache()

    def describe(self, settings: Settings) -> dict[str, Any]:
        """What a clip's record says about the program: commit, defaults, scheduler, device, peak memory."""
        signature = inspect.signature(type(self.pipe).__call__).parameters.values()
        defaults = {
            parameter.name: parameter.default
            for parameter in signature
            if parameter.default not in (inspect.Parameter.empty, None)
            and parameter.name not in settings.call
        }
        cuda = self.device.startswith("cuda")
        peak = (
            torch.cuda.max_memory_allocated(self.device)
            if cuda
            else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        )
        found = {
            "commit": self.commit,
            "pipeline": type(self.pipe).__name__,
            "defaults": defaults,
            "scheduler": {"class": type(self.pipe.scheduler).__name__, **self.pipe.scheduler.config},
            "device": torch.cuda.get_device_name(self.device) if cuda else "cpu",
            "peak_memory_gb": round(peak / 1e9, 3),
            "peak_memory_of": "device" if cuda else "process",
        }
        return json.loads(json.dumps(found, default=str))

    def _place(self, memory: Rung) -> None:
        if memory == self._placed:
            return
        self._placed = None
        for component in (self.pipe.vae, getattr(self.pipe, "audio_vae", None)):
            if hasattr(component, "enable_tiling"):
                component.enable_tiling() if memory.tiling else component.disable_tiling()
        # Offloading moves weights between a device and the CPU, so on the CPU there is nothing to do.
        if self.device != "cpu":
            self.pipe.remove_all_hooks()
            if memory.offload == "model":
                self.pipe.enable_model_cpu_offload(device=self.device)
            elif memory.offload == "sequential":
                self.pipe.enable_sequential_cpu_offload(device=self.device)
            else:
                self.pipe.to(self.device)
        self._placed = memory

    def _truncation(self, prompt: str, settings: Settings) -> list[str]:
        longest = settings.call.get("max_sequence_length")
        if longest is None or self.model.family == "cosmos":  # its prompts come inside a conversation
            return []
        length = len(self.pipe.tokenizer(prompt).input_ids)
        return [f"prompt cut: {length} tokens, {longest} are read"] if length > longest else []


def load(model: Model, device: str | None = None) -> Pipeline:
    """Load a model with little noise: bars only on a terminal, no notes about experimental parts."""
    on_terminal = sys.stderr.isatty()
    for logging in (diffusers.utils.logging, transformers.utils.logging):
        logging.set_verbosity_error()
        if not on_terminal:
            logging.disable_progress_bar()
    pipeline = Pipeline(model, device)
    # The bar shows the steps of each clip, and their time left, for every family alike.
    pipeline.pipe.set_progress_bar_config(disable=not on_terminal, leave=False, dynamic_ncols=True)
    return pipeline


def fetched(weights: Weights, download: Callable[..., Any]) -> tuple[Path, str | None]:
    """The folder with weights and its commit; a local folder as it is, a repository through the hub's cache.

    Args:
        weights: where they lie.
        download: called with id and revision for a repository; returns its folder in the cache, which bears
            the commit as its name.
    """
    for folder in (Path(weights.id), ROOT / weights.id):
        if folder.is_dir():
            return folder, None
    folder = Path(download(weights.id, revision=weights.revision, use_safetensors=True))
    return folder, folder.name


def _override_scheduler(pipe: Any, entries: dict[str, Any]) -> None:
    """Replace entries of the scheduler's configuration; one that it does not have is refused."""
    for name in entries:
        if name not in pipe.scheduler.config:
            known = ", ".join(sorted(pipe.scheduler.config))
            raise ValueError(f"{type(pipe.scheduler).__name__} has no entry '{name}' (expected {known})")
    if entries:
        pipe.scheduler = type(pipe.scheduler).from_config(pipe.scheduler.config, **entries)
