package annotate

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestTuneLocal(t *testing.T) {
	b, err := os.ReadFile("/tmp/tune.json")
	if err != nil {
		t.Skip()
	}
	var all []struct {
		Tag, Lang, Text string
		Alt             []string `json:"tag_alt"`
	}
	json.Unmarshal(b, &all)
	type k struct{ lang, gold, have string }
	c := map[k]int{}
	right := map[string][3]int{}
	for _, d := range all {
		text := d.Text
		role := ""
		if i := strings.Index(text, "] "); i > 0 && i < 9 {
			role, text = text[:i+1], text[i+2:]
		}
		have, rule := RuleTag(text)
		if role == "[UI]" {
			have = "filler"
		}
		c[k{d.Lang, d.Tag, have}]++
		r := right[d.Lang]
		r[0]++
		if have == d.Tag {
			r[1]++
		}
		if have == d.Tag || slices.Contains(d.Alt, have) {
			r[2]++
		} else {
			fmt.Printf("%s want %s %v have %s (%s) | %s\n", d.Lang, d.Tag, d.Alt, have, rule, d.Text)
		}
		right[d.Lang] = r
	}
	for k, n := range c {
		fmt.Println(k, n)
	}
	fmt.Println(right)
}
