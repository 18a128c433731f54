package cassette

import (
	"bytes"
	"io"
	"slices"

	"membench/internal/codec"
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
	keys := make([]Key, 0, len(c.index))
	for k := range c.index {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b Key) int { return bytes.Compare(a[:], b[:]) })
	return keys
}

// Pack writes one cassette of several: every record that counts, by key, so that the
// same answers are the same bytes however they were recorded. Of two answers to one
// call the earlier file's counts.
func Pack(w io.Writer, paths ...string) (records int, err error) {
	from := map[Key]*Cassette{}
	var keys []Key
	for _, path := range paths {
		c, err := Open(path, Replay)
		if err != nil {
			return 0, err
		}
		defer c.Close()
		for _, k := range c.keys() {
			if from[k] == nil {
				from[k] = c
				keys = append(keys, k)
			}
		}
	}
	slices.SortFunc(keys, func(a, b Key) int { return bytes.Compare(a[:], b[:]) })
	if _, err := io.WriteString(w, magic); err != nil {
		return 0, err
	}
	for _, k := range keys {
		c := from[k]
		p := c.index[k]
		err := c.read(p, func(b []byte) error {
			if _, err := w.Write(appendHead(nil, p.kind, k, b)); err != nil {
				return err
			}
			_, err := w.Write(append(b, '\n'))
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return len(keys), nil
}
