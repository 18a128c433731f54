package plain

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"membench/datasets"
)

// misspelt reports members that have nearly the name of one that the form has and the object lacks: the reader would not see them. All other unknown members
// are the user's own.
func misspelt(v *datasets.Value, form any) {
	var value any
	if json.Unmarshal(v.Bytes, &value) == nil {
		search(v, reflect.TypeOf(form), value)
	}
}

func search(v *datasets.Value, form reflect.Type, value any, place ...string) {
	switch value := value.(type) {
	case []any:
		if form.Kind() == reflect.Slice {
			for i, x := range value {
				search(v, form.Elem(), x, append(slices.Clone(place), strconv.Itoa(i))...)
			}
		}
	case map[string]any:
		if form.Kind() != reflect.Struct {
			return
		}
		known := map[string]reflect.Type{}
		for i := range form.NumField() {
			f := form.Field(i)
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
				known[name] = f.Type
			}
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			at := append(slices.Clone(place), name)
			if t, ok := known[name]; ok {
				search(v, t, value[name], at...)
				continue
			}
			for _, meant := range slices.Sorted(maps.Keys(known)) {
				if _, there := value[meant]; !there && distance(name, meant) <= min(2, len(meant)/4) {
					f := v.Finding("DST027", "a member has nearly the name of one that the form has", at...)
					f.Have, f.Want = name, meant
					v.Report(f)
				}
			}
		}
	}
}

// distance is how many letters must be inserted, deleted, replaced or exchanged with their neighbour.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows = [3][]int{last, row, before}
	}
	return rows[1][len(b)]
}
