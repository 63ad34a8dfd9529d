"""Cuts Inter down to the letters of our six languages and the weights 400 to 700.

usage: font.py SOURCE TARGET; runs with Debian's python3-fonttools and python3-brotli.
"""

import sys

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

# Latin, Latin-1, the letters of Romanian, signs of money, quotes, dashes, arrows, minus, ≈.
RANGES = [
    (0x20, 0x7E), (0xA0, 0xFF), (0x102, 0x103), (0x11E, 0x11F), (0x130, 0x131), (0x152, 0x153),
    (0x15E, 0x163), (0x160, 0x161), (0x178, 0x178), (0x17D, 0x17E), (0x218, 0x21B), (0x104, 0x107),
    (0x10C, 0x10D), (0x118, 0x119), (0x141, 0x144), (0x15A, 0x15B), (0x179, 0x17C),
    (0x2010, 0x2015), (0x2018, 0x201E), (0x2022, 0x2022), (0x2026, 0x2026), (0x202F, 0x202F),
    (0x2032, 0x2033), (0x2039, 0x203A), (0x20A0, 0x20BF), (0x2190, 0x2193), (0x2212, 0x2212),
    (0x2248, 0x2248), (0x2009, 0x2009), (0x200B, 0x200F),
]  # fmt: skip


def main(source: str, target: str) -> None:
    font = TTFont(source)
    limits = {"wght": (400, 700), "slnt": 0, "opsz": 14, "ital": 0}
    axes = {axis.axisTag for axis in font["fvar"].axes}
    options = Options()
    options.layout_features = ["kern", "tnum", "ccmp", "locl", "mark", "mkmk", "calt"]
    options.flavor = "woff2"
    options.hinting = False
    options.desubroutinize = True
    options.name_IDs = [1, 2, 4, 6]
    subsetter = Subsetter(options)
    letters = [code for low, high in RANGES for code in range(low, high + 1)]
    # First fewer letters, then fewer weights: the second is slow for each letter.
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    font = instantiateVariableFont(font, {k: v for k, v in limits.items() if k in axes})
    font.flavor = "woff2"
    font.save(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
