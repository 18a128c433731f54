package memory

import (
	"reflect"
	"slices"
	"testing"

	"membench/schema"
)

// A change of any member of an item is a delta.
func TestDiffLooksAtAll(t *testing.T) {
	meta, err := schema.NewObject(map[string]int{"a": 1})
	if err != nil {
		t.Fatal(err)
	}
	full := Item{ID: "i", Text: "t", Session: "s", Status: StatusActive, Kind: "k", Tier: "hot", Time: "2026", Sources: []schema.EventRef{{ConvID: "c", TurnID: 1}},
		Attachments: []schema.Attachment{{ID: "a"}}, Links: []schema.PointID{"j"}, Meta: meta}
	if d := Diff([]Item{full}, []Item{full}, nil); len(d) != 0 {
		t.Errorf("an item that is the same has %v", d)
	}
	of := reflect.TypeFor[Item]()
	for i := range of.NumField() {
		other := full
		f := reflect.ValueOf(&other).Elem().Field(i)
		if f.IsZero() {
			t.Errorf("%s: the test does not set it", of.Field(i).Name)
		}
		f.SetZero()
		if len(Diff([]Item{full}, []Item{other}, nil)) == 0 {
			t.Errorf("%s: no delta of its change", of.Field(i).Name)
		}
	}
}

// Lists in any order are compared by id: what is gone first, each by id.
func TestDiffOrder(t *testing.T) {
	items := func(ids ...schema.PointID) (out []Item) {
		for _, id := range ids {
			out = append(out, Item{ID: id, Text: "t"})
		}
		return out
	}
	after := items("d", "e", "b")
	after[2].Text = "u"
	var have []string
	for _, d := range Diff(items("c", "b", "a", "d"), after, nil) {
		have = append(have, d.Op+" "+string(d.Item.ID))
	}
	if want := []string{"suppress a", "suppress c", "update b", "add e"}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}
