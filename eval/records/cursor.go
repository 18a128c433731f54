package records

import (
	"errors"
	"iter"

	"membench/schema"
)

// A Cursor finds the records of a key in a stream in which the records of one key are
// adjacent. It reads on from where it is and, at the end, once from the start.
type Cursor[T any, K comparable] struct {
	seq    schema.Seq[T]
	report func(*schema.Finding)
	key    func(*T) K

	next  func() (schema.Record[T], error, bool)
	stop  func()
	peek  *T
	known map[K]bool // every key seen
	whole bool       // the stream was read to its end once
}

// NewCursor reads seq, which may be nil, from its start; report, which may be nil, is told of
// findings, each once.
func NewCursor[T any, K comparable](seq schema.Seq[T], report func(*schema.Finding), key func(*T) K) *Cursor[T, K] {
	return &Cursor[T, K]{seq: seq, report: report, key: key, known: map[K]bool{}}
}

// Close ends the reading.
func (c *Cursor[T, K]) Close() {
	if c.stop != nil {
		c.stop()
		c.next, c.stop = nil, nil
	}
}

// advance puts the next record into peek, nil at the end of the stream.
func (c *Cursor[T, K]) advance() error {
	c.peek = nil
	if c.next == nil {
		c.next, c.stop = iter.Pull2(iter.Seq2[schema.Record[T], error](c.seq))
	}
	for {
		r, err, ok := c.next()
		if !ok {
			c.Close()
			c.whole = true
			return nil
		}
		var f *schema.Finding
		switch {
		case err == nil:
		case !errors.As(err, &f):
			return err
		default:
			if c.report != nil && !c.whole {
				c.report(f)
			}
			if !f.Warning {
				continue
			}
		}
		c.peek = &r.V
		c.known[c.key(c.peek)] = true
		return nil
	}
}

// Find returns the records of k, none where the stream has none.
func (c *Cursor[T, K]) Find(k K) ([]T, error) {
	if c.seq == nil || c.whole && !c.known[k] {
		return nil, nil
	}
	for ends := 0; ends < 2; {
		if c.peek == nil {
			if err := c.advance(); err != nil {
				return nil, err
			}
		}
		if c.peek == nil {
			if ends++; !c.known[k] {
				return nil, nil
			}
			continue
		}
		if c.key(c.peek) != k {
			c.peek = nil
			continue
		}
		var out []T
		for c.peek != nil && c.key(c.peek) == k {
			out = append(out, *c.peek)
			if err := c.advance(); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return nil, nil
}
