package all_test

import (
	"context"
	"fmt"
	"strings"

	"membench/datasets/all"
)

// Source opens a data set by name; cases come one by one, whatever the size of the files.
func ExampleSource() {
	set, err := all.Source{Name: "alert-storm", Count: 2, Seed: 1}.Open()
	if err != nil {
		panic(err)
	}
	for rec, err := range set.Read(context.Background(), nil) {
		if err != nil {
			panic(err)
		}
		fmt.Println(rec.V.Dataset, len(rec.V.Questions) > 0, strings.HasPrefix(rec.V.ID, "alert-storm"))
	}
	// Output:
	// alert-storm true true
	// alert-storm true true
}
