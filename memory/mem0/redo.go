package mem0

import (
	"context"
	"io"
	"slices"

	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/internal/keylog"
	"membench/memory"
)

// Redo removes the first batch in which a model failed an operation, and all later batches, because they are based on the rule. It reports whether there was
// one.
func (m *Memory) Redo(ctx context.Context) (bool, error) {
	if m.sys.o.Dir == "" || m.log.IsOpen() || !slices.ContainsFunc(m.store.degraded, failed) {
		return false, nil
	}
	if m.sys.o.Points != nil { // before the journal: a kill in between leaves points to be put again
		if err := m.sys.o.Points.Drop(ctx, m.ns); err != nil {
			return false, err
		}
	}
	path := m.sys.path(m.ns)
	err := atomicfile.Write(path, func(w io.Writer) error {
		over := false
		return keylog.Read(path, func(n int, line []byte) error {
			var e entry
			if n > 1 {
				if err := codec.Unmarshal(line, &e); err != nil {
					return err
				}
			}
			if over = over || slices.ContainsFunc(e.Degraded, failed); over {
				return nil
			}
			_, err := w.Write(append(line, '\n'))
			return err
		})
	})
	if err != nil {
		return false, err
	}
	rest, err := m.sys.Attach(ctx, m.ns)
	if err == nil {
		*m = *rest.(*Memory)
	}
	return err == nil, err
}

func failed(n memory.Note) bool { return n.Ended != "" }
