package memory

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"

	"membench/internal/textnorm"
	"membench/schema"
)

// Diff returns the difference from before to after, by id. A new id is an add. A changed text (ignoring blanks and case) is an update with the old text linked.
// An id that is missing or became invalid is suppressed. An id that moved down or up in tiers (from hot to cold) is archived or kept. An unchanged text with
// other sources is also kept. It serves systems without Deltaer. The order is by id, suppressed ids first.
func Diff(before, after []Item, tiers []string) []Delta {
	before, after = byID(before), byID(after)
	var gone, out []Delta
	for len(before)+len(after) > 0 {
		switch {
		case len(after) == 0 || len(before) > 0 && before[0].ID < after[0].ID:
			gone = append(gone, Delta{Op: DeltaSuppress, Item: before[0]})
			before = before[1:]
			continue
		case len(before) == 0 || after[0].ID < before[0].ID:
			out = append(out, Delta{Op: DeltaAdd, Item: after[0]})
			after = after[1:]
			continue
		}
		was, it := &before[0], &after[0]
		before, after = before[1:], after[1:]
		if alike(was, it) {
			continue
		}
		cold, wasCold := slices.Index(tiers, it.Tier), slices.Index(tiers, was.Tier)
		switch {
		case it.Status == StatusInvalid && was.Status != StatusInvalid:
			gone = append(gone, Delta{Op: DeltaSuppress, Item: *it})
		case it.Text != was.Text && textnorm.Key(it.Text) != textnorm.Key(was.Text):
			out = append(out, Delta{Op: DeltaUpdate, Item: *it, Old: []string{was.Text}})
		case cold > wasCold:
			out = append(out, Delta{Op: DeltaArchive, Item: *it})
		default: // promoted, or it rests on more than before
			out = append(out, Delta{Op: DeltaKeep, Item: *it})
		}
	}
	return append(gone, out...)
}

// byID is the items in the order of their ids, in which memories list them.
func byID(items []Item) []Item {
	order := func(a, b Item) int { return cmp.Compare(a.ID, b.ID) }
	if !slices.IsSortedFunc(items, order) {
		items = slices.Clone(items)
		slices.SortStableFunc(items, order)
	}
	return items
}

// alike reports whether nothing of an item changed. Most items of a large memory are.
func alike(a, b *Item) bool {
	return a.ID == b.ID && a.Text == b.Text && a.Session == b.Session && a.Status == b.Status && a.Kind == b.Kind && a.Tier == b.Tier && a.Time == b.Time &&
		slices.Equal(a.Sources, b.Sources) && slices.Equal(a.Attachments, b.Attachments) && slices.Equal(a.Links, b.Links) && reflect.DeepEqual(a.Meta, b.Meta)
}

// Told yields the deltas of one session. It fails if the session has not ended.
func Told(ended map[string][]Delta, session string) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		all, ok := ended[session]
		if !ok {
			yield(Delta{}, fmt.Errorf("session %q has not ended: have no delta of it", session))
			return
		}
		for _, d := range all {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// Apply applies deltas to a snapshot: the result of Diff, applied to before, gives after (except for items whose text differs only in blanks and case).
func Apply(before []Item, deltas []Delta) []Item {
	at := make(map[schema.PointID]Item, len(before))
	for _, it := range before {
		at[it.ID] = it
	}
	for _, d := range deltas {
		if d.Op == DeltaSuppress && d.Item.Status != StatusInvalid {
			delete(at, d.Item.ID)
			continue
		}
		at[d.Item.ID] = d.Item
	}
	return slices.SortedFunc(maps.Values(at), func(a, b Item) int { return cmp.Compare(a.ID, b.ID) })
}

// Each yields items one by one until ctx ends: the Snapshot of a system that lists all items at once.
func Each(ctx context.Context, items []Item) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for _, it := range items {
			if err := ctx.Err(); err != nil {
				yield(Item{}, err)
				return
			}
			if !yield(it, nil) {
				return
			}
		}
	}
}
