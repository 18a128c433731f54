package jsonl_test

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"

	"github.com/klauspost/compress/zstd"
)

const seed = "../testdata/seed004/"

// roundTrip decodes and encodes the lines of a file as T in both versions and wants
// the same bytes: the seed's examples have no member that is newer.
func roundTrip[T schema.Versioned[T]](t *testing.T, file string, check func(*testing.T, T)) {
	t.Helper()
	want, err := os.ReadFile(seed + file)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range schema.Versions() {
		var have []byte
		for rec, err := range jsonl.Decode[T](bytes.NewReader(want), file) {
			if err != nil {
				t.Fatal(err)
			}
			if have, err = jsonl.Append(have, rec.V, v); err != nil {
				t.Fatal(err)
			}
			check(t, rec.V)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s as %s:\nhave %s\nwant %s", file, v, have, want)
		}
	}
}

// TestSeedExamples: the examples of seed 004, each in its layout, come back byte for
// byte, and their ids are those that Mint makes.
func TestSeedExamples(t *testing.T) {
	cat := catalog.Default()
	for _, v := range schema.Versions() {
		m := schema.Mint{V: v}
		t.Run(string(v), func(t *testing.T) {
			roundTrip(t, "event.jsonl", func(t *testing.T, e schema.Event) {
				if meta, err := e.ReadMeta(); err != nil || meta.SpeechMode != "dialogue" {
					t.Errorf("meta %+v, %v", meta, err)
				}
			})
			roundTrip(t, "export.jsonl", func(t *testing.T, x schema.MemoryExport) {
				f, err := x.Fields()
				if err != nil || f.Hash != schema.Hash(f.Data) {
					t.Errorf("fields %+v, %v", f, err)
				}
			})
			roundTrip(t, "claim.jsonl", func(t *testing.T, c schema.Claim) {
				if id := m.Claim(c.Predicate, c.Domain, c.Subject.ID, c.Object.ID); id != c.ID {
					t.Errorf("claim id %s, minted %s", c.ID, id)
				}
				for _, e := range c.Evidence {
					if id := m.Memory(e.Text, strings.TrimPrefix(string(e.Memory), "mem:"), e.Point); id != e.Memory {
						t.Errorf("memory id %s, minted %s", e.Memory, id)
					}
				}
			})
			roundTrip(t, "entity.jsonl", func(t *testing.T, e schema.Entity) {
				id, err := cat.EntityID(m, e.Type, e.Props.Text("name"))
				if err != nil || id != e.ID {
					t.Errorf("entity id %s, minted %s, %v", e.ID, id, err)
				}
			})
			both := func(t *testing.T, s schema.Statement) {
				if s.Claim == nil && s.Entity == nil {
					t.Error("empty statement")
				}
			}
			roundTrip(t, "claim.jsonl", both)
			roundTrip(t, "entity.jsonl", both)
			roundTrip(t, "node.jsonl", func(t *testing.T, n schema.Node) {
				id := m.Memory(n.Props.Text("data"), n.Props.Text("payload_hash"), schema.PointID(n.Props.Text("point_id")))
				if schema.NodeID(id) != n.ID {
					t.Errorf("node id %s, minted %s", n.ID, id)
				}
			})
			roundTrip(t, "edge.jsonl", func(t *testing.T, e schema.Edge) {
				if id := m.Edge(e.Type, e.Src, e.Dst); id != e.ID {
					t.Errorf("edge id %s, minted %s", e.ID, id)
				}
			})
			element := func(t *testing.T, e schema.Element) {
				if e.ID() == "" {
					t.Error("no id")
				}
			}
			roundTrip(t, "node.jsonl", element)
			roundTrip(t, "edge.jsonl", element)
		})
	}
}

type anchor interface {
	schema.EventRef | schema.Span | schema.ProbeAnchor
}

func anchorTrip[T anchor](t *testing.T, file string) {
	t.Helper()
	want, err := os.ReadFile(seed + file)
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range jsonl.Decode[T](bytes.NewReader(want), file) {
		if err != nil {
			t.Fatal(err)
		}
		have, err := jsonl.Append(nil, versioned[T]{rec.V}, schema.Latest)
		if err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s: have %s (%v), want %s", file, have, err, want)
		}
	}
}

// versioned lets an anchor, which is the same in every version, be appended.
type versioned[T any] struct {
	V T `json:",embed"`
}

func (v versioned[T]) At(schema.Version) versioned[T] { return v }

func TestSeedAnchors(t *testing.T) {
	anchorTrip[schema.EventRef](t, "event-anchor.jsonl")
	anchorTrip[schema.Span](t, "span-anchor.jsonl")
	anchorTrip[schema.ProbeAnchor](t, "probe-anchor.jsonl")
}

func TestLines(t *testing.T) {
	type line struct {
		n    int
		text string
		long bool
	}
	for name, c := range map[string]struct {
		in   string
		max  int
		want []line
	}{
		"unix":             {"a\nb\n", 0, []line{{1, "a", false}, {2, "b", false}}},
		"no end":           {"a\nb", 0, []line{{1, "a", false}, {2, "b", false}}},
		"dos":              {"a\r\nb\r\n", 0, []line{{1, "a", false}, {2, "b", false}}},
		"mac":              {"a\rb\rc", 0, []line{{1, "a", false}, {2, "b", false}, {3, "c", false}}},
		"mixed":            {"a\r\r\nb\n\rc", 0, []line{{1, "a", false}, {3, "b", false}, {5, "c", false}}},
		"blank lines":      {"\n \t\n\na\n\n", 0, []line{{4, "a", false}}},
		"byte order mark":  {"\xef\xbb\xbfa\n\xef\xbb\xbfb", 0, []line{{1, "a", false}, {2, "\xef\xbb\xbfb", false}}},
		"too long":         {"abcdef\nab\nabcd\nx", 3, []line{{1, "abc", true}, {2, "ab", false}, {3, "abc", true}, {4, "x", false}}},
		"exactly the most": {"abc\nab", 3, []line{{1, "abc", false}, {2, "ab", false}}},
		"empty":            {"", 0, nil},
		"line separators":  {"a\u2028b\u0085c\x0bd\x1ee\n", 0, []line{{1, "a\u2028b\u0085c\x0bd\x1ee", false}}},
	} {
		for _, reader := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
			var have []line
			for l, err := range jsonl.Lines(reader(strings.NewReader(c.in)), "f", c.max) {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				have = append(have, line{l.Pos.Line, string(l.Bytes), l.TooLong})
			}
			if !slices.Equal(have, c.want) {
				t.Errorf("%s: have %v, want %v", name, have, c.want)
			}
		}
	}
}

// TestLongLineIsSkippedInConstantMemory passes a line of 100 MB over a limit of 1 MB.
func TestLongLineIsSkippedInConstantMemory(t *testing.T) {
	in := io.MultiReader(strings.NewReader(`{"id":"`), io.LimitReader(repeat{'x'}, 100<<20), strings.NewReader("\"}\n{\"probe_id\":\"p\"}\n"))
	var good, long int
	allocated := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		if b.N > 1 {
			b.Skip()
		}
		for _, err := range jsonl.DecodeMax[schema.ProbeAnchor](in, "f", 1<<20) {
			var f *schema.Finding
			switch {
			case err == nil:
				good++
			case errors.As(err, &f) && f.Code == "JSON003" && f.Pos.Line == 1:
				long++
			default:
				b.Error(err)
			}
		}
	}).AllocedBytesPerOp()
	if good != 1 || long != 1 {
		t.Errorf("%d good records and %d too long, want 1 and 1", good, long)
	}
	if allocated > 8<<20 {
		t.Errorf("allocated %d bytes for a line that is skipped", allocated)
	}
}

type repeat struct{ c byte }

func (r repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.c
	}
	return len(p), nil
}

func TestDecodeGoesOn(t *testing.T) {
	in := "{\"probe_id\":\"a\"}\n{\"probe_id\":1}\nnot json\n\n{\"probe_id\":\"b\",\"probe_id\":\"c\"}\n{\"probe_id\":\"d\"}"
	var ids, faults []string
	for rec, err := range jsonl.Decode[schema.ProbeAnchor](strings.NewReader(in), "f.jsonl") {
		var f *schema.Finding
		if errors.As(err, &f) {
			faults = append(faults, fmt.Sprintf("%s %s", f.Code, f.Pos.String()[:len("f.jsonl:1")]))
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, rec.V.ProbeID)
	}
	if want := []string{"a", "d"}; !slices.Equal(ids, want) {
		t.Errorf("records %v, want %v", ids, want)
	}
	if want := []string{"JSON002 f.jsonl:2", "JSON001 f.jsonl:3", "JSON001 f.jsonl:5"}; !slices.Equal(faults, want) {
		t.Errorf("faults %v, want %v", faults, want)
	}
}

func TestDecodeYieldsAnIOFaultOnce(t *testing.T) {
	broken := errors.New("broken disk")
	in := io.MultiReader(strings.NewReader("{\"probe_id\":\"a\"}\n"), iotest.ErrReader(broken))
	var errs []error
	n := 0
	for _, err := range jsonl.Decode[schema.ProbeAnchor](in, "f") {
		n++
		if err != nil {
			errs = append(errs, err)
		}
	}
	if n != 2 || len(errs) != 1 || !errors.Is(errs[0], broken) {
		t.Errorf("%d steps, errors %v", n, errs)
	}
}

func TestOpenUnpacks(t *testing.T) {
	dir := t.TempDir()
	text := []byte("{\"probe_id\":\"a\"}\n")
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write(text)
	w.Close()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"plain.jsonl": text, "a.jsonl.gz": gz.Bytes(), "a.jsonl.zst": enc.EncodeAll(text, nil), "empty.jsonl": nil, "short.jsonl": []byte("{}")} {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, b, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := jsonl.Open(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		have, err := io.ReadAll(r)
		r.Close()
		want := text
		if len(b) < 3 {
			want = b
		}
		if err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s: %q, %v", name, have, err)
		}
	}
	r, err := jsonl.Open("-", bytes.NewReader(gz.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if have, err := io.ReadAll(r); err != nil || !bytes.Equal(have, text) {
		t.Errorf("standard input: %q, %v", have, err)
	}
	if _, err := jsonl.Open(filepath.Join(dir, "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

// TestTee passes records on and writes them, findings aside.
func TestTee(t *testing.T) {
	in := "{\"id\": \"tag:x\", \"labels\": [\"Tag\"], \"props\": {\"b\": 1.50, \"a\": [1, {\"z\": null}]}, \"extra\": true}\nbad\n"
	var out bytes.Buffer
	n, findings, err := jsonl.Write(&out, schema.Latest, jsonl.Decode[schema.Node](strings.NewReader(in), "f"))
	if err != nil || n != 1 || len(findings) != 1 {
		t.Fatalf("%d records, findings %v, %v", n, findings, err)
	}
	if want := strings.SplitAfter(in, "\n")[0]; out.String() != want {
		t.Errorf("have %q, want %q: order, number text and unknown members stay", out.String(), want)
	}
	full := errors.New("disk full")
	_, _, err = jsonl.Write(failWriter{full}, schema.Latest, jsonl.Decode[schema.Node](strings.NewReader(in), "f"))
	if !errors.Is(err, full) {
		t.Errorf("error of the writer: %v", err)
	}
}

type failWriter struct{ err error }

func (w failWriter) Write([]byte) (int, error) { return 0, w.err }

func TestColumn(t *testing.T) {
	line := []byte("a你好👩é\xff\xffb")
	for off, want := range map[int]int{0: 1, 1: 2, 4: 3, 7: 4, 11: 5, 13: 6, 14: 7, 15: 8, 99: 9, -1: 1} {
		if have := jsonl.Column(line, off); have != want {
			t.Errorf("offset %d: column %d, want %d", off, have, want)
		}
	}
}

func TestHashIsMem0s(t *testing.T) {
	sum := md5.Sum([]byte("Name is Congyin"))
	if h := schema.Hash("Name is Congyin"); h != hex.EncodeToString(sum[:]) || h != "ec69f1ce8081ebb3e0b4c6c5ed484377" {
		t.Errorf("hash %s", h)
	}
}

// FuzzLines: every way of reading gives the same lines, and none is lost.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\r\nb\rc\n\n\xef\xbb\xbfd"), 4)
	f.Add([]byte("\xef\xbb\xbf{}\r"), 1)
	f.Fuzz(func(t *testing.T, in []byte, max int) {
		if max < 1 || max > 100 {
			return
		}
		read := func(r io.Reader) (out []string) {
			last := 0
			for l, err := range jsonl.Lines(r, "f", max) {
				if err != nil {
					t.Fatal(err)
				}
				if l.Pos.Line <= last || len(l.Bytes) > max {
					t.Fatalf("line %d after %d, %d bytes", l.Pos.Line, last, len(l.Bytes))
				}
				last = l.Pos.Line
				out = append(out, fmt.Sprintf("%d %v %q", l.Pos.Line, l.TooLong, l.Bytes))
			}
			return out
		}
		a, b := read(bytes.NewReader(in)), read(iotest.OneByteReader(bytes.NewReader(in)))
		if !slices.Equal(a, b) {
			t.Fatalf("whole: %v\nbyte by byte: %v", a, b)
		}
	})
}

// A compressed file that unpacks to far more than its size is an error before its end.
func TestMaxRatio(t *testing.T) {
	for name, pack := range map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z },
	} {
		var packed bytes.Buffer
		w := pack(&packed)
		block := bytes.Repeat([]byte{'a'}, 1<<20)
		for range 30 {
			w.Write(block)
		}
		w.Close()
		r, err := jsonl.Decompress(io.NopCloser(&packed))
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, r)
		if err == nil || !strings.Contains(err.Error(), "--max-ratio") || n < 8<<20 || n > 20<<20 {
			t.Errorf("%s: %d bytes, then %v", name, n, err)
		}
	}
}

func TestBelow(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.jsonl", "a/c.jsonl.gz", ".hidden", ".git/d.jsonl", "a/.e.jsonl"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"z.jsonl": "b.jsonl", "folder.jsonl": "a", "null.jsonl": os.DevNull} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	want := []string{"a/c.jsonl.gz", "b.jsonl", "z.jsonl"}
	for _, at := range []string{dir, link} {
		if have, err := jsonl.Below(at); err != nil || !slices.Equal(have, want) {
			t.Errorf("have %q %v, want %q", have, err, want)
		}
		if have, err := jsonl.In(at, func(name string) bool { return strings.HasSuffix(name, "l") }); err != nil || !slices.Equal(have, want[1:]) {
			t.Errorf("have %q %v, want %q", have, err, want[1:])
		}
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "lost.jsonl")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"lost.jsonl": false, "b.jsonl": true} {
		if _, err := jsonl.In(dir, func(n string) bool { return n == name }); (err == nil) != want || errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := jsonl.Below(filepath.Join(dir, "absent")); err == nil {
		t.Error("a folder that is not there has files")
	}
}

// A file that another program writes, cuts or touches while it is read is an error, whatever of it was read.
func TestChangedWhileRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	for what, change := range map[string]func() error{
		"longer":  func() error { return os.WriteFile(path, []byte("{}\n{}\n{}\n"), 0o666) },
		"shorter": func() error { return os.Truncate(path, 3) },
		"other":   func() error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) },
		"":        func() error { return nil },
	} {
		if err := os.WriteFile(path, []byte("{}\n{}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := jsonl.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err = range jsonl.Lines(r, "x", 0) {
			n++
		}
		if what != "" && !errors.Is(err, jsonl.ErrChanged) || what == "" && (err != nil || n != 2) {
			t.Errorf("%q: %d lines, %v", what, n, err)
		}
		r.Close()
	}
}

// A stream without a line end is an error: it is not read for ever.
func TestEndless(t *testing.T) {
	for what, read := range map[string]func(r io.Reader) error{
		"lines": func(r io.Reader) (err error) {
			for _, err = range jsonl.Lines(r, "x", 10) {
			}
			return err
		},
		"blocks": func(r io.Reader) (err error) {
			for _, err = range jsonl.FileBlocks([]jsonl.File{{"x", func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}}, 10) {
			}
			return err
		},
	} {
		var broken *schema.BrokenError
		if err := read(zeros{}); !errors.As(err, &broken) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for text, most := range map[string]int{"\x00": 4 << 20, "[": 4 << 20, "x": 4 << 20, "{\n": 256 << 20} {
		kept, want := 0, ""
		held := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				text, why, err := jsonl.All(&repeats{text: text}, "-", 1<<30)
				if kept, want = len(text), why; err != nil {
					t.Error(err)
				}
			}
		}).AllocedBytesPerOp()
		if kept > 0 || want == "" || held > int64(most) {
			t.Errorf("all of %q: %d bytes, want %q; %d MiB were held, at most %d allowed", text, kept, want, held>>20, most>>20)
		}
	}
	for _, text := range []string{`{"a":"` + strings.Repeat("x", 2<<20) + `"}`, strings.Repeat("a line\n", 400_000), strings.Repeat("a\r", 1<<20)} {
		if have, want, err := jsonl.All(strings.NewReader(text), "f", 1<<30); err != nil || want != "" || string(have) != text {
			t.Errorf("all of %.20q…: %d of %d bytes, %q, %v", text, len(have), len(text), want, err)
		}
	}
	var usage *schema.UsageError
	if _, err := jsonl.OpenFile("/dev/zero"); runtime.GOOS != "windows" && !errors.As(err, &usage) {
		t.Errorf("a device: %v", err)
	}
	if f, err := jsonl.OpenFile(os.DevNull); err != nil {
		t.Error(err)
	} else {
		f.Close()
	}
}

// repeats yields a text without end.
type repeats struct {
	text string
	n    int
}

func (r *repeats) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[r.n%len(r.text)]
		r.n++
	}
	return len(p), nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
