"""The report's page: one HTML file that needs nothing else, for large and small screens, light and dark.

What comes from the store is written by people that nobody knows: all of it is escaped. Besides, the page's
policy lets nothing run but the scripts whose digests it names, and nothing be fetched from anywhere.
"""

import base64
import gzip
import hashlib
import json
from html import escape
from pathlib import Path

from colonnade.runs.comparing import contenders
from colonnade.runs.reading import Records
from colonnade.runs.report.library import library
from colonnade.runs.report.origin import failures, origins
from colonnade.runs.report.payload import payload
from colonnade.runs.report.written import best, facts, failed, origin
from colonnade.runs.summary import Summary

HERE = Path(__file__).parent
SCRIPTS = ("ink.js", "curves.js", "controls.js", "sensitivity.js", "table.js", "start.js")


def page(records: Records, summary: Summary, command: str) -> str:
    """Return the whole page; ``command`` is what it was made with."""
    drawing, style = library(), _file("page.css")
    script = "".join(map(_file, SCRIPTS))
    some = contenders(summary)
    data = json.dumps(payload(records, summary, some), allow_nan=False, separators=(",", ":"))
    name = escape(summary.sweep.name)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_policy(style, script, drawing)}">
<title>{name} – Colonnade report</title>
<style>{style}</style>
</head>
<body>
<header>
<h1>{name}</h1>
<p class="asks">{escape(summary.sweep.about)}</p>
{facts(summary)}
</header>
<main>
{best(summary, some)}
{_file("curves.html")}
{_file("sensitivity.html") if summary.axes else '<div id="sensitivity"></div>'}
{_file("settings.html")}
{failed(summary, failures(summary.runs))}
{origin(origins(records, summary), summary, command)}
</main>
<script type="application/gzip" id="library">{_packed(drawing)}</script>
<script type="application/gzip" id="data">{_packed(data)}</script>
<script>{script}</script>
</body>
</html>
"""


def _file(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _packed(text: str) -> str:
    """Return text compressed, in letters."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _policy(style: str, *scripts: str) -> str:
    """Return what the page may do: apply this style, run these scripts, and nothing else."""
    allowed = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return f"default-src 'none'; style-src 'sha256-{_digest(style)}'; script-src {allowed}"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
