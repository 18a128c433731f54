package neo4j

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"

	"membench/graph"
	"membench/graph/diff"
	"membench/schema"
	"membench/schema/jsonl"
)

// Input is the input of a load: a graph, the differences between a graph and an older one, or changes.
type Input struct {
	Graph   *graph.Gate // the checked graph; nil if there are only Changes
	Old     string      // the folder of the graph that the database holds; "": send the whole graph
	Changes string      // the file of changes that membench diff wrote, "-" for Stdin; "": the graph
	Stdin   io.Reader
	Differs func() // called where the database does not hold Old: hashes are then compared
}

// Sender opens the input. The function that it returns can be called again, except with
// changes from Stdin. It fails as graph.Files does, and where the file of changes is absent.
func (in Input) Sender(ctx context.Context) (func(context.Context, *DB, LoadOptions) (*Report, error), error) {
	if in.Changes != "" {
		if in.Changes != "-" {
			if _, err := os.Stat(in.Changes); err != nil {
				return nil, err
			}
		}
		return func(ctx context.Context, db *DB, lo LoadOptions) (*Report, error) {
			return LoadChanges(ctx, db, changesOf(jsonl.Until(ctx, jsonl.Files[schema.Change]([]string{in.Changes}, in.Stdin))), lo)
		}, nil
	}
	if in.Old == "" {
		return func(ctx context.Context, db *DB, lo LoadOptions) (*Report, error) {
			return Load(ctx, db, in.Graph.Elements(), lo)
		}, nil
	}
	oldFiles, err := graph.Files(in.Old)
	if err != nil {
		return nil, err
	}
	old, err := diff.Elements(ctx, oldFiles, in.Stdin)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, db *DB, lo LoadOptions) (*Report, error) {
		held, err := db.Held(ctx)
		if err != nil {
			return nil, err
		}
		from, err := DigestOf(ctx, db, old)
		if err != nil {
			return nil, err
		}
		if held.Digest == from.String() {
			lo.From = &from
			return LoadChanges(ctx, db, graph.Diff(old, in.Graph.Elements()), lo)
		}
		in.Differs()
		return loadAndDelete(ctx, db, old, in.Graph.Elements(), lo)
	}, nil
}

// loadAndDelete loads a graph and deletes the elements that only old has.
func loadAndDelete(ctx context.Context, db *DB, old, in schema.Seq[schema.Element], lo LoadOptions) (*Report, error) {
	rep, err := Load(ctx, db, in, lo)
	if err != nil {
		return rep, err
	}
	more, err := LoadChanges(ctx, db, func(yield func(schema.Change, error) bool) {
		for c, err := range graph.Diff(old, in) {
			if schema.IsFinding(err) {
				continue // said by the load, or a fault of the old graph
			}
			if (err != nil || c.Op == schema.OpDelete) && !yield(c, err) {
				return
			}
		}
	}, lo)
	if more != nil {
		rep.Add(more)
	}
	return rep, err
}

// changesOf drops the positions, which findings about a change then carry themselves.
func changesOf(in schema.Seq[schema.Change]) iter.Seq2[schema.Change, error] {
	return func(yield func(schema.Change, error) bool) {
		for rec, err := range in {
			if err == nil {
				if _, e := graph.Target(rec.V); e != nil {
					if f, ok := errors.AsType[*schema.Finding](e); ok {
						f.Pos = rec.Pos
					}
					err = e
				}
			}
			if !yield(rec.V, err) {
				return
			}
		}
	}
}
