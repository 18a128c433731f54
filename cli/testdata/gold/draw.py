#!/usr/bin/env python3
"""Draws the events of the gold set and says which half each belongs to.

python3 draw.py            one JSON line per drawn event (no text, no judgement)
python3 draw.py --show     the same with the text, for reading (never commit it)

Standard library only. MEMBENCH_SHARED names the folder "shared" (default: ../shared
relative to the repository root).
"""
import json, os, random, re, sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", "..", ".."))
SHARED = os.environ.get("MEMBENCH_SHARED") or os.path.join(ROOT, "..", "shared")
NORM = "data/memory_bench/source/norm"
LOCOMO = "data/locomo/locomo8.json"
SAMPLE = "conv-26"
SEED = 20260726
LOCOMO_N = 150
SKIP = {"ch9999"}  # only inject/probe lines, whose tag is given by their mark

LINE = re.compile(r"^\[(S|S\|MONO|U|UI)\] ?(.*)$")


def norm_lines(path):
    """(file line, marker, text) of the utterance lines; text as found after marker and one space."""
    with open(path, encoding="utf-8", newline="") as f:
        for n, line in enumerate(f.read().split("\n"), 1):
            m = LINE.match(line)
            if m:
                yield n, m.group(1), m.group(2)


def chapters(folder):
    out = []
    for name in os.listdir(folder):
        m = re.match(r"^ch(\d{2,})_.*\.norm\.md$", name)
        if m and "ch" + m.group(1) not in SKIP:
            out.append((int(m.group(1)), name))
    return [n for _, n in sorted(out)]


def locomo(shared=None):
    with open(os.path.join(shared or SHARED, LOCOMO), encoding="utf-8") as f:
        conv = [c for c in json.load(f) if c["sample_id"] == SAMPLE][0]["conversation"]
    turns = []
    keys = [k for k in conv if re.match(r"^session_\d+$", k)]
    for k in sorted(keys, key=lambda k: int(k[8:])):
        for t in conv[k]:
            who = "user" if t["speaker"] == conv["speaker_a"] else "agent"
            turns.append((int(k[8:]), t["dia_id"], who, t["text"], t.get("blip_caption", "")))
    return turns


def draw():
    n = 0
    # 1. all utterance lines of the norm chapters; halves alternate in chapter order
    for i, name in enumerate(chapters(os.path.join(SHARED, NORM))):
        for ln, mark, text in norm_lines(os.path.join(SHARED, NORM, name)):
            n += 1
            yield {"id": "g%04d" % n, "source": "shared:%s/%s" % (NORM, name), "line": ln,
                   "speaker": "user" if mark in ("U", "UI") else "agent", "lang": "zh",
                   "half": "tune" if i % 2 == 0 else "test"}, mark, text
    # 2. a random draw of turns; odd sessions tune, even sessions test
    turns = locomo()
    pick = sorted(random.Random(SEED).sample(range(len(turns)), LOCOMO_N))
    for k in pick:
        s, dia, who, text, _ = turns[k]
        n += 1
        yield {"id": "g%04d" % n, "source": "shared:%s#%s" % (LOCOMO, SAMPLE), "dia_id": dia,
               "speaker": who, "lang": "en", "half": "tune" if s % 2 else "test"}, "", text
    # 3. all utterance lines of our own texts; odd file numbers tune, even test; the name tells the language
    folder = os.path.join(HERE, "texts")
    for name in chapters(folder):
        num = int(re.match(r"^ch(\d+)", name).group(1))
        lang = re.match(r"^ch\d+_(zh|en)_", name).group(1)
        for ln, mark, text in norm_lines(os.path.join(folder, name)):
            n += 1
            yield {"id": "g%04d" % n, "source": "texts/" + name, "line": ln,
                   "speaker": "user" if mark in ("U", "UI") else "agent", "lang": lang,
                   "half": "tune" if num % 2 else "test"}, mark, text


if __name__ == "__main__":
    show = "--show" in sys.argv[1:]
    for ev, mark, text in draw():
        if show:
            ev = dict(ev, mark=mark, text=text)
        print(json.dumps(ev, ensure_ascii=False))
