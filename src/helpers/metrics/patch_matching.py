"""Patch similarity (GAP, Eq. 1): how well each patch of one picture is found again in another, both ways."""

from dataclasses import dataclass

import torch

# Similarities in memory at once: 64 MiB of float32.
MOST_CELLS = 2**24


@dataclass(frozen=True, kw_only=True)
class Matches:
    """For each patch of a reference and of a frame, the most similar one of the other.

    Attributes:
        of_reference: (n,) numbers of the frame's patches.
        reference_similarity: (n,) their cosines.
        of_frame: (m,) numbers of the reference's patches.
        frame_similarity: (m,) their cosines.
    """

    of_reference: torch.Tensor
    reference_similarity: torch.Tensor
    of_frame: torch.Tensor
    frame_similarity: torch.Tensor

    @property
    def score(self) -> float:
        """Eq. 1 for this frame."""
        return ((self.reference_similarity.mean() + self.frame_similarity.mean()) / 2).item()


def unit(tokens: torch.Tensor) -> torch.Tensor:
    """Tokens (…, dims) brought to length 1; a token of zeros stays, and is similar to nothing."""
    return torch.nn.functional.normalize(tokens, dim=-1)


def patch_similarity(
    reference: torch.Tensor, frames: torch.Tensor, *, most_cells: int = MOST_CELLS
) -> torch.Tensor:
    """The symmetric maximum matching score of frames with a reference (GAP, section 3.2, Eq. 1).

    Half the mean over the reference's patches of their highest cosine with any patch of the frame, and half
    the mean over the frame's patches of theirs. The numbers of patches may differ.

    Args:
        reference: (n, dims), of length 1 each, as `unit` makes them.
        frames: (frames, m, dims), of length 1 each; same type and device.
        most_cells: the most similarities in memory at once.

    Returns:
        (frames,) scores from -1 to 1, on the same device; 1 where each patch has its equal in the other.

    Raises:
        ValueError: other shapes, or no patches.
    """
    if reference.ndim != 2 or frames.ndim != 3 or reference.shape[-1] != frames.shape[-1]:
        raise ValueError(
            f"found tokens of the shapes {tuple(reference.shape)} and {tuple(frames.shape)}, "
            "expected (n, dims) and (frames, m, dims)"
        )
    n, m = len(reference), frames.shape[1]
    if not n or not m:
        raise ValueError(f"found {n} and {m} patches, expected at least one on either side")
    together = max(1, most_cells // (n * m))
    rows = n if together > 1 else max(1, most_cells // m)
    scores = [_scores(reference, frames[at : at + together], rows) for at in range(0, len(frames), together)]
    return torch.cat(scores) if scores else frames.new_empty(0)


def _scores(reference: torch.Tensor, frames: torch.Tensor, rows: int) -> torch.Tensor:
    """The scores of a few frames, from so many of the reference's patches at a time."""
    best_of_reference, best_of_frame = 0, None
    for at in range(0, len(reference), rows):
        cosines = reference[at : at + rows] @ frames.mT
        best_of_reference = best_of_reference + cosines.amax(dim=2).sum(dim=1)
        best = cosines.amax(dim=1)
        best_of_frame = best if best_of_frame is None else torch.maximum(best_of_frame, best)
    return (best_of_reference / len(reference) + best_of_frame.mean(dim=1)) / 2


def best_matches(reference: torch.Tensor, frame: torch.Tensor) -> Matches:
    """The matches behind a frame's score, for pictures of them.

    Args:
        reference: (n, dims), of length 1 each.
        frame: (m, dims), of length 1 each.
    """
    cosines = reference @ frame.T
    of_reference, of_frame = cosines.max(dim=1), cosines.max(dim=0)
    return Matches(
        of_reference=of_reference.indices,
        reference_similarity=of_reference.values,
        of_frame=of_frame.indices,
        frame_similarity=of_frame.values,
    )
