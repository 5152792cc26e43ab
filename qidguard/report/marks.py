"""The few signs a console report draws with; each has a twin for terminals that only know ASCII."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Marks:
    """Signs of one console.

    Args:
        met: Before a threshold that holds.
        missed: Before a threshold that does not.
        warned: Before one that does not, and only warns.
        blocks: The filled part of a bar, from an eighth of a cell to a whole one.
        rest: The empty part of a bar.
        dot: Between facts on one line.
        bullet: Before an item.
    """

    met: str
    missed: str
    warned: str
    blocks: str
    rest: str
    dot: str
    bullet: str

    def bar(self, share: float, cells: int) -> str:
        """Return a bar of ``cells`` characters; a share above 0 always shows, one below 1 never looks full.

        Args:
            share: What is filled, 0..1.
            cells: Width in characters, ≥ 1.

        Returns:
            The bar.

        Units:
            ``share`` is a share of the whole bar.

        Example:
            >>> UNICODE.bar(0.5, 4), ASCII.bar(0.5, 4), ASCII.bar(0.001, 4), ASCII.bar(0.999, 4)
            ('██░░', '##..', '#...', '###.')
        """
        steps = len(self.blocks)
        total = cells * steps
        filled = round(min(1.0, max(0.0, share)) * total)
        if 0 < share < 1:
            filled = min(max(filled, 1), total - 1 if steps > 1 or cells > 1 else total)
        whole, part = divmod(filled, steps)
        text = self.blocks[-1] * whole + (self.blocks[part - 1] if part else "")
        return text + self.rest * (cells - len(text))


UNICODE = Marks(met="✓", missed="✗", warned="!", blocks="▏▎▍▌▋▊▉█", rest="░", dot="·", bullet="•")
ASCII = Marks(met="ok", missed="NO", warned="!!", blocks="#", rest=".", dot="-", bullet="*")
