package graphir

import "membench/schema"

// instant is the sort key of a record's time: noInstant, after every other, when it cannot be read.
func instant[T string | []byte](s T) int64 {
	if t, ok := schema.ParseInstant(s); ok {
		return int64(t)
	}
	return noInstant
}

// noTime reports whether a text is there and no instant.
func noTime[T string | []byte](s T) bool { return len(s) > 0 && instant(s) == noInstant }
