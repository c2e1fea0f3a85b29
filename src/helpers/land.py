"""Which parts of the Earth are land: the one-kilometre mask that the package global-land-mask carries.

The package's own functions load the mask as 930 MB of bytes. Here it is read a band at a time and kept as
bits, 117 MB, so that checking places stays cheap beside files of millions of rows. Lakes count as land.
"""

import zipfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

SQUARES = 120  # a degree
_BAND = 240
_SHAPE = (180 * SQUARES, 360 * SQUARES)


def is_land(lat: np.ndarray, lon: np.ndarray) -> np.ndarray:
    """Which points lie on land.

    Args:
        lat: latitudes in degrees, -90 to 90.
        lon: longitudes in degrees, -180 to 180, of the same shape.

    Returns:
        True for land, of the same shape. Small piers, breakwaters and reefs are water at this resolution.

    Raises:
        ValueError: a point that is on no map.
    """
    lat, lon = np.asarray(lat, float), np.asarray(lon, float)
    off = ~((np.abs(lat) <= 90) & (np.abs(lon) <= 180))
    if off.any():
        raise ValueError(
            f"found latitude {lat[off][0]}, longitude {lon[off][0]}; expected -90 to 90 and -180 to 180"
        )
    row = np.minimum(((90 - lat) * SQUARES).astype(int), _SHAPE[0] - 1)
    column = np.minimum(((lon + 180) * SQUARES).astype(int), _SHAPE[1] - 1)
    return (_sea()[row, column // 8] >> (7 - column % 8).astype(np.uint8)) & 1 == 0


def land_picture(squares: int = 2) -> np.ndarray:
    """A coarse map of the land, for the background of a figure.

    Args:
        squares: how many pixels a degree has.

    Returns:
        True for land, of shape (180 * squares, 360 * squares), from north to south and from west to east.
    """
    lat = 90 - (np.arange(180 * squares) + 0.5) / squares
    lon = (np.arange(360 * squares) + 0.5) / squares - 180
    return is_land(*np.meshgrid(lat, lon, indexing="ij"))


@cache
def _sea() -> np.ndarray:
    """The mask, eight squares a byte: 1 is water."""
    # Importing the package would load the mask whole.
    folder = Path(find_spec("global_land_mask").submodule_search_locations[0])
    packed = np.empty((_SHAPE[0], _SHAPE[1] // 8), np.uint8)
    file_name = folder / "globe_combined_mask_compressed.npz"
    with zipfile.ZipFile(file_name) as archive, archive.open("mask.npy") as file:
        np.lib.format.read_magic(file)
        shape, by_column, kind = np.lib.format.read_array_header_1_0(file)
        if (shape, by_column, kind) != (_SHAPE, False, np.dtype(bool)):
            raise ImportError(f"global-land-mask: found a mask of shape {shape}, expected {_SHAPE}")
        for start in range(0, _SHAPE[0], _BAND):
            band = np.frombuffer(file.read(_BAND * _SHAPE[1]), np.uint8)
            packed[start : start + _BAND] = np.packbits(band.reshape(_BAND, -1), axis=1)
    return packed
