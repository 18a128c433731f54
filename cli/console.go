package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"membench/internal/codec"
)

// A level is the importance of a line on standard error.
type level int

const (
	levelError level = iota
	levelWarning
	levelInfo
)

var levels = []string{"error", "warning", "info"}

// A console is standard error: lines of text, or of JSON. Text written without a level is information.
type console struct {
	mu   sync.Mutex
	w    io.Writer
	json bool
	max  level // less important lines are dropped
	now  func() time.Time
	rest []byte // of an unfinished line
}

func newConsole(w io.Writer, now func() time.Time) *console {
	return &console{w: w, max: levelInfo, now: now}
}

// Write takes text that has no level: in JSON, line by line.
func (o *console) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.max < levelInfo {
		return len(p), nil
	}
	if !o.json {
		return o.w.Write(p)
	}
	o.rest = append(o.rest, p...)
	for {
		l, after, ok := bytes.Cut(o.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		if len(l) > 0 {
			if err := o.line(levelInfo, string(l)); err != nil {
				return 0, err
			}
		}
		o.rest = append(o.rest[:0], after...)
	}
}

func (o *console) say(l level, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if l > o.max {
		return
	}
	if o.json {
		o.line(l, text) // like a failed write of text: nobody reads it
		return
	}
	fmt.Fprintln(o.w, text)
}

// line writes one JSON object. Only here does standard error carry a time.
func (o *console) line(l level, text string) error {
	raw, err := codec.Append(nil, struct {
		Time  string `json:"time"`
		Level string `json:"level"`
		Msg   string `json:"msg"`
	}{o.now().UTC().Format(time.RFC3339), levels[l], strings.ToValidUTF8(text, "\uFFFD")}, codec.Compact)
	if err != nil {
		return err
	}
	_, err = o.w.Write(append(raw, '\n'))
	return err
}

// set applies the flags that every command has.
func (o *console) set(format, least string, quiet bool) {
	if o.json, o.max = format == "json", level(slices.Index(levels, least)); quiet {
		o.max = levelError
	}
}
