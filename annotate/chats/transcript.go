package chats

import (
	"html"
	"path"
	"strconv"
	"strings"
	"time"

	"membench/internal/pattern"
	"membench/schema"
)

// transcript reads what programs for meetings write of who said what: WebVTT or SubRip, with the speaker in a tag (<v Name>) or before the text (Name: text).
// Cues of one speaker are one message until one ends a sentence.
var transcript = Form{
	Name: "transcript", Doc: "transcripts of meetings (Zoom, Teams): WebVTT or SRT with speakers",
	match: each(func(f *file) bool {
		if !cueTime.MatchString(f.text()) {
			return false
		}
		cues, named := 0, 0
		err := (&reader{}).quiet().cues(f.headOnly(), func(c cue) error {
			if cues++; c.name != "" {
				named++
			}
			return nil
		})
		return err == nil && named*4 >= cues && named > 0
	}),
	read: every((*reader).transcript),
}

var (
	cueTime = pattern.New(`(?m)^[ \t]*(?:(\d{1,3}):)?(\d{2}):(\d{2})[.,](\d{3})[ \t]+-{1,2}>[ \t]+(?:(\d{1,3}):)?(\d{2}):(\d{2})[.,](\d{3})`)
	// badCue is a line that should be the time of a cue.
	badCue  = pattern.New(`^[ \t]*\S*\d:\S*[ \t]+-{1,2}>[ \t]+\S*:\S*`)
	cueDash = pattern.New(`^[-–—][ \t]*([^\d\s])`) // before each of several speakers
	noise   = pattern.New(`^(?:\[[^\[\]]*\]|\([^()]*\)|（[^（）]*）|【[^【】]*】|♪.*)$`)
	cueTag  = pattern.New(`<[^<>\n]*>`)
	cueWho  = pattern.New(`^<v(?:\.[^ >]*)?[ \t]+([^<>\n]+)>`)
	// recorded is when a recording began, as its program names the file.
	recorded = pattern.New(`(?:^|[^\d])(\d{4})-?(\d{2})-?(\d{2})[-_ T]?(\d{2})[-:.]?(\d{2})[-:.]?(\d{2})(?:[^\d]|$)`)
)

// A cue is what is shown for a time.
type cue struct {
	name, text string
	at         time.Duration // from the start of the recording; negative: unknown
	pos        schema.Pos
}

// cues hands the cues of a file to take, one for each speaker in them.
func (r *reader) cues(f *file, take func(cue) error) error {
	var c cue
	var in bool
	var text []string
	flush := func() error {
		defer func() { text = text[:0] }()
		for i, l := range text {
			own := c
			own.name, own.text = "", l
			if p := cueWho.FindStringSubmatch(l); p != nil {
				own.name = strings.TrimSpace(html.UnescapeString(p[1]))
			}
			own.text = cueDash.ReplaceAllString(strings.TrimSpace(html.UnescapeString(cueTag.ReplaceAllString(l, ""))), "$1")
			if own.name == "" {
				if name, at, said := speech(own.text); name != "" && at == "" {
					own.name, own.text = name, said
				}
			}
			own.pos.Line += i
			if own.text == "" {
				continue
			}
			if noise.MatchString(own.text) {
				r.leave(own.pos, "sounds in brackets")
				continue
			}
			if err := take(own); err != nil {
				return err
			}
		}
		return nil
	}
	err := r.textLines(f, func(l string, pos schema.Pos) error {
		if p := cueTime.FindStringSubmatch(l); p != nil || badCue.MatchString(l) {
			err := flush()
			c, in = cue{at: -1, pos: schema.Pos{File: pos.File, Line: pos.Line + 1}}, true
			if p == nil {
				r.flaw(pos, "the time of a cue cannot be read; its text is kept without one", l, "a start and an end as 00:01:02.000 --> 00:01:04.500")
			} else if c.at = offset(p[1:5]); c.at > offset(p[5:]) {
				r.flaw(pos, "a cue ends before it starts; it is kept", l, "an end after the start")
			}
			return err
		}
		if in = in && strings.TrimSpace(l) != ""; in {
			text = append(text, l)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// offset is hours, minutes, seconds and milliseconds, the hours perhaps "".
func offset(p []string) (d time.Duration) {
	for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second, time.Millisecond} {
		n, _ := strconv.Atoi(p[i]) // digits by the pattern; none: 0
		d += time.Duration(n) * unit
	}
	return d
}

func (r *reader) transcript(f *file) error {
	var start time.Time
	if p := recorded.FindStringSubmatch(f.base); p != nil {
		zone := r.zone()
		if strings.Contains(path.Base(f.base), "GMT"+p[1]) {
			zone = time.UTC
		}
		if t, err := time.ParseInLocation("20060102150405", strings.Join(p[1:], ""), zone); err == nil {
			start = t
		}
	}
	if start.IsZero() {
		r.leave(schema.Pos{File: f.name}, "times from the start of a recording, whose date is not in the file's name; messages have no time")
	}
	var p pending
	who := ""
	err := r.cues(f, func(c cue) error {
		if c.name == "" {
			c.name = who
		}
		if c.name == "" {
			r.leave(c.pos, "lines before the first speaker")
			return nil
		}
		if p.m != nil && (c.name != who || sentenceEnd.MatchString(p.lines[0])) {
			if err := p.end(r.add); err != nil {
				return err
			}
		}
		if who = c.name; p.m != nil {
			p.lines[0] += " " + c.text
			return nil
		}
		m := Message{Conv: convID(f.stem()), Title: f.stem(), Name: c.name, Text: c.text, Pos: c.pos}
		if !start.IsZero() && c.at >= 0 {
			m.Time = start.Add(c.at).Truncate(time.Second)
		}
		p.start(m)
		return nil
	})
	if err != nil {
		return err
	}
	return p.end(r.add)
}
