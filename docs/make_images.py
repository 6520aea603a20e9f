"""Draw docs/images/demo.svg from what the program prints: python docs/make_images.py."""  # noqa: INP001 - a script

from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

from plumbrule.api.scoring import score_file
from plumbrule.cli.views.verdict_tables import show_explanation, show_summary
from plumbrule.demo import samples_path
from plumbrule.samples import DatasetFile

IMAGE = Path(__file__).parent / "images" / "demo.svg"
DATASET = "answers.jsonl"
WIDTH = 100

# Rich's own template without its web font: nothing is fetched when the picture is shown.
TEMPLATE = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
    <style>
    .{unique_id}-matrix {{
        font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
        font-size: {char_height}px;
        line-height: {line_height}px;
        font-variant-east-asian: full-width;
    }}
    .{unique_id}-title {{
        font-size: 18px;
        font-weight: bold;
        font-family: sans-serif;
    }}
    {styles}
    </style>
    <defs>
    <clipPath id="{unique_id}-clip-terminal">
      <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
    </clipPath>
    {lines}
    </defs>
    {chrome}
    <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">
    {matrix}
    </g>
    </g>
</svg>
"""


def draw() -> str:
    """Return the picture: the summary of the demo dataset, then its worst answer with the evidence."""
    console = Console(record=True, width=WIDTH, file=StringIO(), highlight=False, force_terminal=True)
    scored = score_file(DatasetFile(samples_path()), worst=2, workers=1)
    show_summary(console, scored)
    show_explanation(console, scored.worst[0])
    drawn = console.export_svg(
        title=f"plumbrule score {DATASET}", theme=MONOKAI, code_format=TEMPLATE, unique_id="plumbrule"
    )
    return "\n".join(line.rstrip() for line in drawn.splitlines()) + "\n"


def main() -> None:
    """Write the picture."""
    IMAGE.parent.mkdir(exist_ok=True)
    IMAGE.write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
