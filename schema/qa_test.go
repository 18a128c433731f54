package schema_test

import (
	"reflect"
	"testing"

	"membench/schema"
)

// What a question and a record both have is copied, every member of it.
func TestQuestionRecord(t *testing.T) {
	q := fill(schema.Question{}).(schema.Question)
	r, v := reflect.ValueOf(q.Record()), reflect.ValueOf(q)
	names := map[string]string{}
	for i := range r.NumField() {
		names[r.Type().Field(i).Tag.Get("json")] = r.Type().Field(i).Name
	}
	same := map[string]string{"answer": "gold", "answers,omitempty": "golds,omitempty"}
	n := 0
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag.Get("json")
		if other, ok := same[tag]; ok {
			tag = other
		}
		name, ok := names[tag]
		if !ok {
			continue
		}
		n++
		if have := r.FieldByName(name); !reflect.DeepEqual(have.Interface(), v.Field(i).Interface()) {
			t.Errorf("%s: have %v, want %v", tag, have, v.Field(i))
		}
	}
	if n < 12 {
		t.Errorf("%d members in common, want at least 12", n)
	}
}
