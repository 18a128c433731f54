package export

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/internal/keyed"
	"membench/internal/keyed/keyedtest"
	"membench/schema"
	"membench/schema/jsonl"
)

func stdin(text string) []jsonl.File {
	return []jsonl.File{{Name: "-", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}
}

// text is the graph as lines.
func (g *graphText) text() string {
	var b bytes.Buffer
	for _, e := range g.elements {
		if err := codec.WriteLine(&b, e); err != nil {
			panic(err)
		}
	}
	return b.String()
}

// inParts is AdminCSV over n parts of the lines: the texts of the files, by name, a table's
// parts as NAME/0, NAME/1 and so on.
func inParts(t *testing.T, lines string, n int) map[string]string {
	t.Helper()
	o := CSVOptions{BaseLabel: "Node", Options: Options{Report: func(f *schema.Finding) {
		if !f.Warning {
			t.Error(f)
		}
	}}}
	parts := make([]string, n)
	i := 0
	for line := range strings.Lines(lines) {
		parts[i*i%n] += line
		i++
	}
	var surveys, planned bytes.Buffer
	for _, part := range parts {
		if err := Survey(t.Context(), stdin(part), &surveys, o); err != nil {
			t.Fatal(err)
		}
	}
	if err := Plan(&surveys, &planned, o); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	keyedtest.Frames(t, planned.Bytes(), out)
	plan := out["plan"]
	delete(out, "plan")
	for i, part := range parts {
		var b bytes.Buffer
		if err := Rows(t.Context(), strings.NewReader(plan+part), &b, o); err != nil {
			t.Fatal(err)
		}
		rows := map[string]string{}
		keyedtest.Frames(t, b.Bytes(), rows)
		for name, text := range rows {
			out[name+"/part-"+strconv.Itoa(i)+".csv"] = text
		}
	}
	return out
}

// TestKeyed: the rows of parts, whose columns all parts decide, are those of AdminCSV.
func TestKeyed(t *testing.T) {
	g := hazardGraph()
	files, _ := csvFiles(t, g, CSVOptions{BaseLabel: "Node"})
	for _, n := range []int{1, 2, 5} {
		have := map[string][]string{}
		for name, text := range inParts(t, g.text(), n) {
			table, _, _ := strings.Cut(name, "/")
			have[table] = append(have[table], slices.Collect(strings.Lines(text))...)
		}
		delete(have, "import.sh")
		for name, f := range files {
			if name == "import.sh" {
				continue
			}
			table := strings.TrimSuffix(name, ".csv")
			got, want := have[table], slices.Sorted(strings.Lines(f.String()))
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%d parts: %s differs:\nhave %s\nwant %s", n, table, got, want)
			}
			delete(have, table)
		}
		if len(have) > 0 {
			t.Errorf("%d parts: tables that one process lacks: %d", n, len(have))
		}
	}
}

func TestKeyedFaults(t *testing.T) {
	var b bytes.Buffer
	node := `{"id": "a", "labels": ["A"], "props": {"x": 1}}` + "\n"
	for in, want := range map[string]string{"": "no plan", "{\n": "want what plan writes", "{}\n" + node: "is of another graph", `{"longest": 2305843009213693952}`: "want what survey or plan writes"} {
		if err := Rows(t.Context(), strings.NewReader(in), &b, CSVOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
	b.Reset()
	var codes []string
	if err := Survey(t.Context(), stdin(node+`{"id": "\u0000", "labels": ["A"], "props": {}}`), &b, CSVOptions{Options: Options{Report: func(f *schema.Finding) { codes = append(codes, f.Code) }}}); err != nil {
		t.Fatal(err)
	}
	if err := Plan(&b, io.Discard, CSVOptions{}); err == nil || !strings.Contains(err.Error(), "1 nodes cannot be written as CSV") || !slices.Equal(codes, []string{"GRF036"}) {
		t.Errorf("%v, findings %v", err, codes)
	}
	var cut bytes.Buffer
	if err := keyed.Cut(strings.NewReader("a:b\tc\nno key"), &cut, 0, nil); err == nil {
		t.Error("a line without a key is cut")
	}
}

// partsFolder writes CSV in parts as a Spark job lays it out.
func partsFolder(t *testing.T, g *graphText, n int) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range inParts(t, g.text(), n) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
