package cassette

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/internal/rank"
	"membench/llm"
)

// An Entry is one record, for people: a chat answer, or a vector without its numbers.
type Entry struct {
	Key     string `json:"key"`
	Kind    string `json:"kind"` // chat | vector
	Model   string `json:"model"`
	Purpose string `json:"purpose,omitzero"`
	Text    string `json:"text,omitzero"`
	Failed  string `json:"failed,omitzero"`
	// Outcome is how the call ended (llm.Outcome), where that is not complete.
	Outcome llm.Outcome `json:"outcome,omitzero"`
	Dim     int         `json:"dim,omitzero"`
	Usage   llm.Usage   `json:"usage"`
}

// Entries gives every record that counts, by key. Every record is checked.
func Entries(path string, each func(Entry) error) error {
	c, err := Open(path, Replay)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, k := range c.keys() {
		p := c.index[k]
		e := Entry{Key: k.String(), Kind: "chat"}
		err := c.read(p, func(b []byte) error {
			if p.kind == kindVector {
				e.Kind = "vector"
				head, _, _ := bytes.Cut(b, []byte("\n"))
				var h vectorHead
				if err := codec.Unmarshal(head, &h); err != nil {
					return err
				}
				_, _, err := parseVector(b)
				e.Model, e.Dim, e.Usage = h.Model, h.Dim, h.Usage
				return err
			}
			var a answer
			err := codec.Unmarshal(b, &a)
			e.Model, e.Purpose, e.Text, e.Usage = a.Model, a.Purpose, a.Text, a.Usage
			if a.Truncated {
				e.Outcome = llm.CutOff
			}
			if a.Failed != nil {
				e.Outcome = llm.OutcomeOf(llm.Response{}, &llm.Error{Kind: a.Failed.Kind})
				e.Failed = string(a.Failed.Kind) + ": " + a.Failed.Message
			}
			return err
		})
		if err == nil {
			err = each(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Cassette) keys() []Key {
	return slices.SortedFunc(maps.Keys(c.index), func(a, b Key) int { return bytes.Compare(a[:], b[:]) })
}

// A Conflict is a call that two cassettes answer differently.
type Conflict struct {
	Key     string   `json:"key"`
	Model   string   `json:"model"`
	Purpose string   `json:"purpose,omitzero"`
	Files   []string `json:"files"` // that have the call; the first has the answer that counts
}

// Pack writes one cassette from several: every valid record, sorted by key, so that the same answers give the same bytes, independent of how they were recorded
// and in which order the files are named. Of different answers to one call, an answer takes precedence over a failure, then the one whose bytes sort first;
// found receives each such call.
func Pack(w io.Writer, found func(Conflict), paths ...string) (records int, err error) {
	from := map[Key][]*Cassette{}
	var keys []Key
	for _, path := range paths {
		c, err := Open(path, Replay)
		if err != nil {
			return 0, err
		}
		defer c.Close()
		for k := range c.index {
			if from[k] == nil {
				keys = append(keys, k)
			}
			from[k] = append(from[k], c)
		}
	}
	slices.SortFunc(keys, func(a, b Key) int { return bytes.Compare(a[:], b[:]) })
	if _, err := io.WriteString(w, magic); err != nil {
		return 0, err
	}
	for _, k := range keys {
		kind, best, err := choose(k, from[k], found)
		if err != nil {
			return 0, err
		}
		if _, err := w.Write(append(append(appendHead(nil, kind, k, best), best...), '\n')); err != nil {
			return 0, err
		}
	}
	return len(keys), nil
}

// version is the record of one cassette for a key.
type version struct {
	c    *Cassette
	body []byte
	a    answer // of a chat record
}

// choose gives the record of a key that counts.
func choose(k Key, in []*Cassette, found func(Conflict)) (kind byte, body []byte, err error) {
	var all []version
	for _, c := range in {
		p := c.index[k]
		v := version{c: c}
		err := c.read(p, func(b []byte) error {
			v.body = bytes.Clone(b)
			if kind = p.kind; kind == kindChat {
				return codec.Unmarshal(b, &v.a)
			}
			return nil
		})
		if err != nil {
			return 0, nil, err
		}
		all = append(all, v)
	}
	slices.SortStableFunc(all, func(a, b version) int {
		return cmp.Or(rank.First(a.a.Failed == nil, b.a.Failed == nil), bytes.Compare(a.body, b.body), strings.Compare(a.c.Path(), b.c.Path()))
	})
	if differ(kind, all) {
		x := Conflict{Key: k.String(), Model: all[0].a.Model, Purpose: all[0].a.Purpose}
		if kind == kindVector {
			head, _, _ := bytes.Cut(all[0].body, []byte("\n"))
			var h vectorHead
			_ = codec.Unmarshal(head, &h) // its bytes match their checksum, so it is a record of ours
			x.Model, x.Purpose = h.Model, llm.PurposeEmbed
		}
		for _, v := range all {
			x.Files = append(x.Files, v.c.Path())
		}
		found(x)
	}
	return kind, all[0].body, nil
}

// differ reports whether the answers differ; differences in cost and duration do not count.
func differ(kind byte, all []version) bool {
	said := func(v version) string {
		if kind == kindVector {
			_, numbers, _ := bytes.Cut(v.body, []byte("\n"))
			return string(numbers)
		}
		if v.a.Failed != nil {
			return "\x00" + string(v.a.Failed.Kind)
		}
		return v.a.Text
	}
	return slices.ContainsFunc(all[1:], func(v version) bool { return said(v) != said(all[0]) })
}

// A Check is the result of checking a cassette.
type Check struct {
	Records  int      `json:"records"`  // that count
	Replaced int      `json:"replaced"` // of a call that has a later record
	Bytes    int64    `json:"bytes"`
	Damages  []Damage `json:"damages"`
}

// Look reads a whole cassette. An incomplete record at its end counts as damage here.
func Look(path string) (Check, error) {
	c, err := Open(path, Replay)
	if err != nil {
		return Check{}, err
	}
	defer c.Close()
	info, err := c.f.Stat()
	if err != nil {
		return Check{}, err
	}
	out := Check{Records: len(c.index), Replaced: c.replaced, Bytes: info.Size(), Damages: append([]Damage{}, c.damages...)}
	if c.end < out.Bytes {
		out.Damages = append(out.Damages, Damage{c.end, out.Bytes - c.end})
	}
	return out, nil
}

// Repair writes every whole record of a cassette, in its order, as a new one.
func Repair(w io.Writer, path string) (Check, error) {
	c, err := Look(path)
	if err != nil {
		return c, err
	}
	f, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer f.Close()
	at := int64(0)
	for _, d := range append(c.Damages, Damage{Offset: c.Bytes}) {
		if _, err := io.Copy(w, io.NewSectionReader(f, at, d.Offset-at)); err != nil {
			return c, err
		}
		at = d.Offset + d.Bytes
	}
	return c, nil
}

// A Sum counts the records of one kind, model and purpose.
type Sum struct {
	Kind    string    `json:"kind"`
	Model   string    `json:"model"`
	Purpose string    `json:"purpose,omitempty"`
	Records int       `json:"records"`
	Failed  int       `json:"failed,omitempty"`
	First   llm.Usage `json:"first_paid"`
}

// Summarize counts the records that count, by kind, model and purpose, in the order in which
// the first of each comes.
func Summarize(ctx context.Context, path string) ([]*Sum, error) {
	rows := []*Sum{}
	at := map[[3]string]*Sum{}
	err := Entries(path, func(n Entry) error {
		k := [3]string{n.Kind, n.Model, n.Purpose}
		if at[k] == nil {
			at[k] = &Sum{Kind: n.Kind, Model: n.Model, Purpose: n.Purpose}
			rows = append(rows, at[k])
		}
		at[k].Records++
		if n.Failed != "" {
			at[k].Failed++
		}
		at[k].First = at[k].First.Add(n.Usage)
		return ctx.Err()
	})
	return rows, err
}
