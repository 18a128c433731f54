package view

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/schema"
)

var update = flag.Bool("update", false, "rewrite testdata")

func page(t testing.TB, es []schema.Element, o Options) ([]byte, Stats) {
	t.Helper()
	var b bytes.Buffer
	st, err := HTML(&b, seq(es), o)
	if err != nil {
		t.Fatal(err)
	}
	if int64(b.Len()) != st.Bytes {
		t.Errorf("Stats.Bytes is %d, want %d", st.Bytes, b.Len())
	}
	return b.Bytes(), st
}

// unblock unpacks a data block of a page.
func unblock(t testing.TB, page []byte, id string) []byte {
	t.Helper()
	m := regexp.MustCompile(`<script type="text/plain" id="` + id + `">([A-Za-z0-9+/=]*)</script>`).FindSubmatch(page)
	if m == nil {
		t.Fatalf("no block %s", id)
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(m[1])))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readHeader(t testing.TB, page []byte) header {
	t.Helper()
	b := unblock(t, page, "graph-data")
	var h header
	if err := codec.Unmarshal(b[4:4+binary.LittleEndian.Uint32(b)], &h); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestSameBytes(t *testing.T) {
	es := demo()
	want, st := page(t, es, Options{Workers: 1})
	if st.Nodes < 80 || st.Changes != 3 || st.Findings != 0 {
		t.Errorf("stats of the demo graph: %+v", st)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 5 {
		rng.Shuffle(len(es), func(i, j int) { es[i], es[j] = es[j], es[i] })
		if have, _ := page(t, es, Options{Workers: 3}); !bytes.Equal(have, want) {
			t.Fatal("the order of the input or the number of workers changes the page")
		}
	}
	large := dialogues(3000)
	a, _ := page(t, large, Options{Workers: 1})
	b, _ := page(t, large, Options{Workers: 4})
	if !bytes.Equal(a, b) {
		t.Error("the number of workers changes the page")
	}
}

// Whatever the data says, the page holds one script and no markup of the data's.
func TestHostileText(t *testing.T) {
	evil := "</script><script>alert(1)</script>\u2028\u2029<img src=x onerror=alert(1)> {{props}} ]]>"
	v := newInventor()
	v.node(evil, "a"+evil, "display", evil, evil, evil, "__proto__", evil)
	v.node("Event", "b", "content", strings.Repeat("長", 500))
	v.edge(evil, "a"+evil, "b", "x", evil)
	b, _ := page(t, v.out, Options{Title: evil})
	for _, bad := range []string{"alert(1)<", "<img", "onerror=alert(1)>", "\u2028"} {
		if bytes.Contains(b, []byte(bad)) {
			t.Errorf("the page contains %q", bad)
		}
	}
	if n := bytes.Count(b, []byte("</script>")); n != 3 {
		t.Errorf("%d closing script tags, want 3", n)
	}
	h := readHeader(t, b)
	if h.Title != evil || h.IDs[0] != "a"+evil {
		t.Error("the text did not come through unchanged")
	}
	if n := len([]rune(h.Titles[1])); n != titleRunes {
		t.Errorf("a long title has %d code points, want %d", n, titleRunes)
	}
}

func TestFaults(t *testing.T) {
	node := func(id, display string) schema.Element {
		return schema.Element{Node: &schema.Node{ID: schema.NodeID(id), Labels: []string{"Tag"}, Props: object("display", display)}}
	}
	edge := func(src, dst string) schema.Element {
		return schema.Element{Edge: &schema.Edge{ID: schema.EdgeID("e:" + src + dst), Type: "T", Src: schema.NodeID(src), Dst: schema.NodeID(dst)}}
	}
	es := []schema.Element{node("a", "2"), node("a", "1"), node("b", "x"), node("b", "x"), edge("a", "b"), edge("a", "b"), edge("a", "gone"), edge("a", "a"),
		{Node: &schema.Node{}}, {}}
	in := func(yield func(schema.Record[schema.Element], error) bool) {
		for r := range seq(es) {
			if !yield(r, nil) {
				return
			}
		}
		yield(schema.Record[schema.Element]{}, &schema.Finding{Code: "JSON001", Message: "bad line"})
	}
	var codes []string
	var b bytes.Buffer
	st, err := HTML(&b, in, Options{Report: func(f *schema.Finding) { codes = append(codes, f.Code) }})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(codes)
	if have, want := fmt.Sprint(codes), "[GRF030 GRF030 GRF031 GRF033 GRF033 GRF033 JSON001]"; have != want {
		t.Errorf("findings %s, want %s", have, want)
	}
	if st.Nodes != 2 || st.Edges != 2 || st.Dangling != 1 || st.Duplicates != 3 || st.Findings != 7 {
		t.Errorf("stats %+v", st)
	}
	if h := readHeader(t, b.Bytes()); h.Titles[0] != "1" {
		t.Errorf("of two nodes with one id %q is drawn, want the one that sorts first", h.Titles[0])
	}
	broken := errors.New("disk on fire")
	if _, err := HTML(io.Discard, func(yield func(schema.Record[schema.Element], error) bool) {
		yield(schema.Record[schema.Element]{}, broken)
	}, Options{}); !errors.Is(err, broken) {
		t.Errorf("have %v, want the reader's error", err)
	}
	if _, err := HTML(io.Discard, seq(nil), Options{MaxNodes: -1}); err == nil {
		t.Error("a negative MaxNodes is taken")
	}
}

func TestSmall(t *testing.T) {
	for n := range 5 {
		v := newInventor()
		for i := range n {
			v.node("Tag", fmt.Sprint("n", i))
		}
		if _, st := page(t, v.out, Options{}); st.Nodes != n {
			t.Errorf("%d nodes drawn, want %d", st.Nodes, n)
		}
	}
}

func TestTitles(t *testing.T) {
	b, _ := page(t, demo(), Options{})
	h := readHeader(t, b)
	for _, want := range []string{"lin PREFERS_TOPIC 大麦茶", "林: 医生让我少喝茶，我现在晚上改喝大麦茶了。", "用户晚上改喝大麦茶，不再喝乌龙茶", "data/source/norm/ch03_barley.norm.md"} {
		if !slices.Contains(h.Titles, want) {
			t.Errorf("no node is titled %q", want)
		}
	}
	for s, want := range map[string]string{"abcd": "abcd", "abcde": "abc…", " a \n b ": "a b", "中文文本多": "中文文…"} {
		if have := cut(s, 4); have != want {
			t.Errorf("cut(%q) is %q, want %q", s, have, want)
		}
	}
}

// With room for few nodes, changed claims and their walks are what stays.
func TestMaxNodes(t *testing.T) {
	all, whole := page(t, demo(), Options{})
	b, st := page(t, demo(), Options{MaxNodes: 40})
	if st.Nodes != 40 || st.NodesOmitted != whole.Nodes-40 || st.Edges+st.EdgesOmitted != whole.Edges || st.Changes != whole.Changes {
		t.Errorf("stats %+v of %+v", st, whole)
	}
	h := readHeader(t, b)
	for _, want := range []string{"lin PREFERS_TOPIC 大麦茶", "用户晚上改喝大麦茶，不再喝乌龙茶", "data/source/norm/ch03_barley.norm.md"} {
		if !slices.Contains(h.Titles, want) {
			t.Errorf("%q is skipped", want)
		}
	}
	if same, _ := page(t, demo(), Options{MaxNodes: whole.Nodes}); !bytes.Equal(same, all) {
		t.Error("a limit that is not reached changes the page")
	}
}

// Nodes do not lie on each other, and communities keep to themselves.
func TestLayout(t *testing.T) {
	var st Stats
	m, err := read(seq(dialogues(3000)), Options{}, &st)
	if err != nil {
		t.Fatal(err)
	}
	lay := arrange(m.pairs(), len(m.nodes), 2)
	degree := make([]int, len(m.nodes))
	for _, p := range m.pairs() {
		degree[p[0]]++
		degree[p[1]]++
	}
	pos := make([]vec, len(m.nodes))
	for i := range pos {
		pos[i] = vec{float64(lay.x[i]) / lay.unit, float64(lay.y[i]) / lay.unit}
	}
	b := newBuckets(pos, 2*radiusMax)
	overlaps, ownNearest := 0, 0
	for i := range pos {
		hit, near, bd := false, -1, 1e18
		b.around(pos[i], func(j int) {
			if i == j {
				return
			}
			dx, dy := pos[i].x-pos[j].x, pos[i].y-pos[j].y
			d2, want := dx*dx+dy*dy, 0.9*(radius(degree[i])+radius(degree[j]))
			hit = hit || d2 < want*want
			if d2 < bd {
				near, bd = j, d2
			}
		})
		if hit {
			overlaps++
		}
		if near >= 0 && lay.member[near] == lay.member[i] {
			ownNearest++
		}
	}
	n := len(pos)
	t.Logf("%d nodes, %d communities: %d overlap, %d have a nearest neighbour of their own community", n, len(lay.communities), overlaps, ownNearest)
	if overlaps > n/50 {
		t.Errorf("%d of %d nodes overlap another", overlaps, n)
	}
	if ownNearest < n*85/100 {
		t.Errorf("only %d of %d nodes lie by their community", ownNearest, n)
	}
}

// The sum over the tree is near the sum over all pairs.
func TestQuadtree(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	pos, mass := make([]vec, 700), make([]float64, 700)
	for i := range pos {
		pos[i], mass[i] = vec{rng.Float64() * 100, rng.Float64() * 60}, 1+rng.Float64()
	}
	for i := range 20 { // many on one place
		pos[i] = vec{5, 5}
	}
	var q quadtree
	q.build(pos, mass)
	for i := 20; i < len(pos); i++ {
		fx, fy := q.force(pos, mass, i, math.Inf(1))
		var wx, wy, size float64
		for j := range pos {
			if j == i {
				continue
			}
			dx, dy := pos[i].x-pos[j].x, pos[i].y-pos[j].y
			d2 := max(dx*dx+dy*dy, 0.01)
			wx, wy, size = wx+dx*mass[j]/d2, wy+dy*mass[j]/d2, size+mass[j]/max(d2, 0.01)
		}
		if ex, ey := fx-wx, fy-wy; ex*ex+ey*ey > 0.01*(wx*wx+wy*wy)+4 {
			t.Fatalf("force on %d is (%.2f, %.2f), want about (%.2f, %.2f)", i, fx, fy, wx, wy)
		}
	}
}

func BenchmarkHTML(b *testing.B) {
	for _, n := range []int{5000, 50000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			es := dialogues(n)
			b.ResetTimer()
			for b.Loop() {
				st, err := HTML(io.Discard, seq(es), Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(st.Bytes)/1e6, "MB")
				b.ReportMetric(float64(st.Edges), "edges")
			}
		})
	}
}
