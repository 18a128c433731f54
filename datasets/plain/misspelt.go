package plain

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"membench/datasets"
	"membench/internal/textnorm"
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
				if _, there := value[meant]; !there && textnorm.Near(name, meant) {
					f := v.Finding("DST027", "a member has nearly the name of one that the form has", at...)
					f.Have, f.Want = name, meant
					v.Report(f)
				}
			}
		}
	}
}
