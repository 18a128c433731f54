"""Links of the pages to files beside docs/ (examples, sources) are not part of the site:
they become the file's path. A file that does not exist is a broken link."""

import os
import re

LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)#\s]*)(#[^)\s]*)?\)")


def on_page_markdown(markdown, page, config, files):
    root = os.path.dirname(config.config_file_path)

    def path(match):
        target = os.path.normpath(os.path.join(root, "docs", match.group(2)))
        if not os.path.exists(target):
            raise SystemExit(f"{page.file.src_path}: {match.group(2)} does not exist")
        return f"{match.group(1)} (`{os.path.relpath(target, root)}`)"

    return LINK.sub(path, markdown)
