from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image


@pytest.fixture
def landmarks():
    return pd.DataFrame(
        {
            "landmark_id": ["gldv2-1", "gldv2-2", "gldv2-3"],
            "name": ["Uluru", "Fish & <b>Chips</b> Tower", "Pier"],
            "city": [None, "Lima", "Brighton"],
            "country": ["Australia", "Peru", "United Kingdom"],
        }
    )


@pytest.fixture
def candidates(tmp_path: Path):
    """Two photographs of the first landmark, one of the second and a broken one, none of the third."""
    rows = []
    for landmark, image, shade in [("gldv2-1", "aa", 40), ("gldv2-1", "ab", 120), ("gldv2-2", "ba", 200)]:
        path = tmp_path / f"{image}.png"
        Image.fromarray(np.full((30, 60, 3), shade, np.uint8)).save(path)
        rows.append([landmark, image, str(path), f"{image}.jpg", "A. Person", "CC BY 4.0"])
    broken = tmp_path / "bb.jpg"
    broken.write_bytes((tmp_path / "ba.png").read_bytes()[:60])
    rows.append(["gldv2-2", "bb", str(broken), "<script>alert(1)</script>", "x'\"><img src=x>", None])
    rows.append(["gldv2-3", "ca", None, None, None, None])
    return pd.DataFrame(rows, columns=["landmark_id", "image_id", "path", "title", "author", "licence"])
