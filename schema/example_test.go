package schema_test

import (
	"fmt"

	"membench/schema"
)

// A missing part of an instant is its first value; a date that no calendar has is not read.
func ExampleParseInstant() {
	day, _ := schema.ParseInstant("2026-03-05")
	noon, _ := schema.ParseInstant("2026-03-05T12:00:00+08:00")
	_, ok := schema.ParseInstant("2026-02-30")
	fmt.Println(day, noon > day, ok)
	// Output:
	// 2026-03-05T00:00:00Z true false
}
