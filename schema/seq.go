package schema

import "errors"

// List is the stream of records that are at hand, without positions.
func List[T any](of ...T) Seq[T] {
	return func(yield func(Record[T], error) bool) {
		for _, v := range of {
			if !yield(Record[T]{V: v}, nil) {
				return
			}
		}
	}
}

// Drop passes a stream on without its findings, which go to found; warnings pass. A nil
// stream is empty.
func Drop[T any](in Seq[T], found func(*Finding)) Seq[T] {
	return func(yield func(Record[T], error) bool) {
		if in == nil {
			return
		}
		for r, err := range in {
			if f, ok := errors.AsType[*Finding](err); ok {
				if found(f); !f.Warning {
					continue
				}
				err = nil
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// Keep passes on the records for which keep is true, and every error; keep may change a record. nil stays nil.
func Keep[T any](in Seq[T], keep func(*Record[T]) bool) Seq[T] {
	if in == nil {
		return nil
	}
	return func(yield func(Record[T], error) bool) {
		for r, err := range in {
			if err == nil && !keep(&r) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// Refuse makes findings of the records, also of those with a warning, for which why returns one: the record is not passed on. A finding without a place gets
// the record's. nil stays nil.
func Refuse[T any](in Seq[T], why func(*Record[T]) *Finding) Seq[T] {
	if in == nil {
		return nil
	}
	return func(yield func(Record[T], error) bool) {
		for r, err := range in {
			if Whole(err) {
				if f := why(&r); f != nil {
					if f.Pos == (Pos{}) {
						f.Pos = r.Pos
					}
					r, err = Record[T]{}, f
				}
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// Count passes a stream on and adds to n what comes: records and findings.
func Count[T any](in Seq[T], n *int) Seq[T] {
	return func(yield func(Record[T], error) bool) {
		for r, err := range in {
			if *n++; !yield(r, err) {
				return
			}
		}
	}
}

// Observe calls see with every record that passes; see may change it.
func Observe[T any](in Seq[T], see func(*T)) Seq[T] {
	return Keep(in, func(r *Record[T]) bool { see(&r.V); return true })
}
