"""Find links in the documentation that lead nowhere: files that are gone, headings that changed."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)


def anchor(heading: str) -> str:
    words = re.sub(r"[^\w\s-]", "", heading.lower())
    return re.sub(r"\s+", "-", words.strip())


def dead_links(page: Path) -> list[str]:
    dead = []
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, heading = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            dead.append(f"{page.relative_to(ROOT)}: no file {target}")
        elif heading and file.suffix == ".md":
            anchors = map(anchor, HEADING.findall(file.read_text(encoding="utf-8")))
            if heading not in anchors:
                dead.append(f"{page.relative_to(ROOT)}: no heading {target}")
    return dead


def main() -> int:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    dead = [link for page in pages for link in dead_links(page)]
    for link in dead:
        print(link)
    print(f"{len(pages)} pages, {len(dead)} dead links")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
