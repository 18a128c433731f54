package report_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"membench/eval/report"
	"membench/internal/browsertest"
	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/chromedp/chromedp"
)

var picture = flag.String("picture", "", "write all screenshots to this `folder`; -update refreshes those in docs/img")

// A tab is one page in a headless Chromium.
type tab struct{ *browsertest.Tab }

// open starts Chromium on the file, which may load what lies in its folder.
func open(t testing.TB, file, lang string, w, h int) tab {
	t.Helper()
	return tab{browsertest.Open(t, browsertest.File(t, file), lang, w, h, browsertest.File(t, filepath.Dir(file)))}
}

func (b tab) visit(file, hash string) { b.T.Helper(); b.Visit(browsertest.File(b.T, file) + hash) }

// choose takes a value of a filter and waits for the list.
func (b tab) choose(filter, value string) {
	b.T.Helper()
	// In one step: the page may draw itself again between looking and choosing.
	b.Until("the filter "+filter, fmt.Sprintf(`(s => { if (!s) return false; s.value = %q; s.dispatchEvent(new Event("change")); return true })(document.querySelector('select[data-filter=%q]'))`, value, filter))
}

func (b tab) listed(n int) {
	b.T.Helper()
	b.Until(fmt.Sprintf("%d answers listed", n), fmt.Sprintf(`document.querySelectorAll("#list li").length === %d`, n))
}

// shot photographs the window; pictures of the example and -update are those of the documents.
func (b tab) shot(name string) {
	b.T.Helper()
	folder := *picture
	if *update && (name == "report" || name == "report-answer") {
		folder = filepath.Join("..", "..", "docs", "img")
	}
	b.Shot(folder, name)
}

// TestBrowser walks from the tables over the plots to single answers, by pointer and
// keys, in both languages and themes, on a desk and a phone and on paper.
func TestBrowser(t *testing.T) {
	exttest.Need(t, "chromium")
	town := town
	town.hostile = false
	file := page(t, report.Options{Embed: 60, Title: "Town memories · 小镇记忆", Runs: []report.Run{{Path: "runs/town"}}}, town.seq())
	b := open(t, file, "en-US", 1280, 900)
	if s := b.Text("h2"); s != "town (12 cases, 180 questions)" {
		t.Errorf("the first heading is %q", s)
	}
	b.shot("town-top")
	if n := browsertest.Eval[int](b.Tab, `document.querySelectorAll("svg.plot").length`); n != 5 {
		t.Errorf("%d plots, want bars, losses, tokens, cost and latency", n)
	}
	// Every plot has a name, and every mark that is wider than a hair says its number.
	if s := browsertest.Eval[string](b.Tab, `[...document.querySelectorAll("svg.plot")].filter(s => !document.getElementById(s.getAttribute("aria-labelledby"))?.innerText).length + " " + [...document.querySelectorAll("svg .bar, svg .hop")].filter(r => !r.querySelector("title") && r.getAttribute("width") !== "12").length`); s != "0 0" {
		t.Errorf("plots without a name, marks without one: %s", s)
	}
	// No text leaves its picture.
	if s := browsertest.Eval[string](b.Tab, `[...document.querySelectorAll("svg.plot")].flatMap(s => { const w = s.getBoundingClientRect(); return [...s.querySelectorAll("text")].filter(t => { const r = t.getBoundingClientRect(); return r.width && (r.right > w.right + 1 || r.left < w.left - 1 || r.bottom > w.bottom + 1); }).map(t => t.textContent); }).join("|")`); s != "" {
		t.Errorf("texts beyond the edge of their plot: %s", s)
	}
	b.Exec(`document.querySelector("svg.plot").scrollIntoView()`)
	b.shot("town-bars")
	b.Exec(`document.querySelectorAll("svg.plot")[2].scrollIntoView()`)
	b.shot("town-scatter")
	b.Exec(`document.querySelectorAll("svg.plot")[4].scrollIntoView({block: "center"})`)
	b.shot("town-latency")

	// A segment of the plot leads to its answers: all of them, from the side files.
	want := 0
	for _, l := range build(t, report.Options{}, "", town.seq()).Datasets[0].Systems {
		if l.Name() == "bm25" {
			want = l.Lost().Hops["retrieve"]
		}
	}
	b.Exec(`document.querySelector('svg a[href*="system=bm25&hop=retrieve"]').dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true, view: window}))`)
	b.Until("the filter is set", `document.querySelector('select[data-filter="hop"]').value === "retrieve"`)
	b.listed(want)
	b.Click("#list li:nth-child(2) a")
	b.Until("the answer is shown", `document.querySelector("#answer h3") !== null && document.activeElement.tagName === "H3"`)
	s := b.Text("#answer")
	for _, w := range []string{"Where it was lost", "not retrieved · miss", "bm25", "Gold below k, at rank", "Context shown to the reader", "rule@2"} {
		if !strings.Contains(s, w) {
			t.Errorf("the answer does not show %q:\n%s", w, s)
		}
	}
	b.shot("town-answer")
	first := browsertest.Eval[string](b.Tab, "location.hash")
	b.Key("j")
	b.Until("the next answer", fmt.Sprintf("location.hash !== %q && document.querySelector('#answer h3') !== null", first))
	b.Key("k")
	b.Until("back again", fmt.Sprintf("location.hash === %q", first))

	// Search in Chinese over everything.
	b.Exec(`document.activeElement.blur()`)
	b.Click("#clear")
	b.Until("cleared", `document.querySelector("#count").innerText === "1,440 answers"`)
	b.Key("/")
	b.Until("the search has the focus", `document.activeElement.id === "q"`)
	b.Type("望远镜 林越")
	b.Until("found", `[...document.querySelectorAll("#list .t")].length > 0 && [...document.querySelectorAll("#list .t")].every(t => t.innerText.includes("望远镜") && t.innerText.includes("林越"))`)
	b.Click("#clear")
	b.Until("cleared again", `document.querySelector("#q").value === "" && document.querySelectorAll("#list li").length === 100`)
	b.Click("#more")
	b.listed(200)

	// An address opens an answer; one that is not embedded comes from a side file.
	b.visit(file, "#answer=1439")
	b.Until("the last answer", `document.querySelector("#answer").innerText.includes("case-11/q14")`)
	if s := b.Text("#answer"); !strings.Contains(s, "null") {
		t.Errorf("the last answer is %q", s)
	}
	b.Exec(`document.activeElement.blur()`)
	b.Key("l")
	b.Until("Chinese", `document.documentElement.lang === "zh-CN" && document.querySelector("h2").innerText === "town（12 个案例，180 个问题）" && document.querySelector("#answer").innerText.includes("标准答案")`)
	b.Key("t")
	b.Until("dark", `getComputedStyle(document.body).backgroundColor === "rgb(16, 19, 23)"`)
	b.Exec(`document.querySelector("svg.plot").scrollIntoView()`)
	b.shot("town-dark")
	b.Clean()

	// On a phone nothing is wider than the window but what scrolls by itself.
	b.Do(chromedp.EmulateViewport(390, 844))
	if n := browsertest.Eval[int](b.Tab, "document.documentElement.scrollWidth"); n > 390 {
		t.Errorf("the page is %d wide on a phone of 390", n)
	}
	b.shot("town-phone")
	// In print: light, the tables whole, no controls.
	b.Do(chromedp.EmulateViewport(1000, 1400))
	b.Media("print", "dark")
	if s := browsertest.Eval[string](b.Tab, `getComputedStyle(document.body).backgroundColor + " " + getComputedStyle(document.querySelector("#filters")).display`); s != "rgb(255, 255, 255) none" {
		t.Errorf("printed: %s", s)
	}
	b.Exec(`scrollTo(0, 0)`)
	b.shot("town-print")
	b.Clean()
}

// TestBrowserCompare sorts a table by its columns, and puts two systems side by side for one
// question, whose answers are in the page or in side files.
func TestBrowserCompare(t *testing.T) {
	exttest.Need(t, "chromium")
	town := town
	town.hostile = false
	file := page(t, report.Options{Embed: 60}, town.seq())
	b := open(t, file, "en-US", 1280, 900)
	column := func(i int) string {
		return browsertest.Eval[string](b.Tab, fmt.Sprintf(`[...document.querySelector(".set table").tBodies[0].rows].map(r => (r.cells[%[1]d].querySelector(".en") || r.cells[%[1]d]).textContent).join(" ")`, i))
	}
	was := column(0)
	press := func(i int) { b.Exec(fmt.Sprintf(`document.querySelectorAll(".set table .sort")[%d].click()`, i)) }
	numbers := func() (out []float64) {
		for _, w := range strings.Fields(column(1)) {
			var x float64
			if _, err := fmt.Sscanf(w, "%g%%", &x); err == nil {
				out = append(out, x)
			}
		}
		return out
	}
	press(1)
	if n := numbers(); len(n) < 4 || !slices.IsSortedFunc(n, func(a, b float64) int { return cmp.Compare(b, a) }) || n[0] == n[len(n)-1] {
		t.Errorf("Overall from the best: %v", n)
	}
	press(1)
	if n := numbers(); !slices.IsSorted(n) {
		t.Errorf("Overall from the least: %v", n)
	}
	if s := browsertest.Eval[string](b.Tab, `document.querySelectorAll(".set table th")[1].getAttribute("aria-sort")`); s != "ascending" {
		t.Errorf("the head says %q", s)
	}
	press(1)
	if s := column(0); s != was {
		t.Errorf("a third time: %q, want the first order %q", s, was)
	}
	press(0)
	if s := strings.Fields(column(0)); !slices.IsSortedFunc(s, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }) {
		t.Errorf("by name: %q", s)
	}

	// The last answer is not in the page itself, nor is its counterpart.
	b.visit(file, "#answer=1439")
	b.Until("the answer", `document.querySelectorAll("#answer .views > div").length === 1 && document.querySelector("#answer").innerText.includes("case-11/q14")`)
	b.choose("with", "bm25")
	b.Until("two answers", `document.querySelectorAll("#answer .views > div").length === 2`)
	both := browsertest.Eval[[]string](b.Tab, `[...document.querySelectorAll("#answer .views > div")].map(d => d.innerText)`)
	if !strings.Contains(both[0], "null") || !strings.Contains(both[1], "bm25") || !strings.Contains(both[0], "case-11/q14") || !strings.Contains(both[1], "case-11/q14") {
		t.Errorf("side by side: %.200q", both)
	}
	if x := browsertest.Eval[[]float64](b.Tab, `[...document.querySelectorAll("#answer .views > div")].map(d => d.getBoundingClientRect().left)`); x[1] < x[0]+300 {
		t.Errorf("they stand at %v, want beside each other", x)
	}
	b.shot("town-beside")
	b.Exec(`document.activeElement.blur()`)
	b.Key("k") // another question, the same two systems
	b.Until("the two systems again", `location.hash.includes("with=bm25") && !location.hash.includes("1439") && document.querySelectorAll("#answer .views > div").length === 2`)
	b.choose("with", "")
	b.Until("one again", `document.querySelectorAll("#answer .views > div").length === 1 && !location.hash.includes("with")`)
	b.Clean()
}

// example is a run of examples/measure, explained: see its README.
func example() schema.Seq[schema.QARecord] {
	return jsonl.Files[schema.QARecord]([]string{"testdata/town-run.jsonl.zst"}, nil)
}

// TestBrowserExample opens the page of a real run, by rule and over invented dialogues,
// whose pictures the documents show.
func TestBrowserExample(t *testing.T) {
	exttest.Need(t, "chromium")
	file := page(t, report.Options{Title: "Town: eight systems, by rule", Runs: []report.Run{{Path: "out/town"}}}, example())
	b := open(t, file, "en-US", 1200, 1000)
	if n := browsertest.Eval[int](b.Tab, `document.querySelectorAll("svg.plot").length`); n != 4 {
		t.Errorf("%d plots, want bars, losses, tokens and latency: nobody paid for a model", n)
	}
	if s := b.Text("main"); !strings.Contains(s, "no model was asked") || strings.Contains(s, "cost in") {
		t.Error("a run by rule shows what it cost")
	}
	b.shot("report")
	b.visit(file, "#answers&system=full-context&verdict=wrong&category=KU")
	b.Until("its answers are listed", `document.querySelectorAll("#list li").length > 3`)
	b.Click("#list li:nth-child(2) a")
	b.Until("one is shown", `document.querySelector("#answer h3") !== null && document.querySelector("#answer").innerText.includes("Where it was lost")`)
	b.Exec(`document.querySelector("#answers").scrollIntoView()`)
	b.shot("report-answer")
	b.Clean()
}

// Hostile texts are shown, and do not run, in the page and in what it loads.
func TestBrowserHostile(t *testing.T) {
	exttest.Need(t, "chromium")
	v := invention{systems: []string{"bm25", "fused"}, dataset: "set " + hostileText, cases: 3, questions: 20, hostile: true}
	file := page(t, report.Options{Embed: 5, Title: hostileText}, v.seq())
	b := open(t, file, "en-US", 1200, 800)
	b.choose("all", "1")
	b.listed(100)
	b.visit(file, "#answer=59")
	b.Until("shown", `document.querySelector("#answer h3")?.innerText.includes("</script>") ?? false`)
	b.Until("the context, too", `document.querySelector("#answer pre").innerText.includes("window.ran=1")`)
	if browsertest.Eval[bool](b.Tab, "window.ran === 1 || document.querySelectorAll('img').length > 0") {
		t.Error("a text of the data ran")
	}
	b.Clean()
}

// Without its side files the page says what is missing; a small run needs none.
func TestBrowserAlone(t *testing.T) {
	exttest.Need(t, "chromium")
	file := page(t, report.Options{Embed: 8}, town.seq())
	if err := os.RemoveAll(filepath.Join(filepath.Dir(file), "report_files")); err != nil {
		t.Fatal(err)
	}
	b := open(t, file, "en-US", 1200, 800)
	b.choose("all", "1")
	b.Until("the missing folder is named", `document.querySelector("#count").innerText.includes("report_files")`)
	small := page(t, report.Options{}, invention{systems: []string{"bm25"}, dataset: "town", cases: 2, questions: 3}.seq())
	b = open(t, small, "en-US", 1200, 800)
	b.listed(6)
	if browsertest.Eval[bool](b.Tab, `document.querySelector('select[data-filter="all"]') !== null`) {
		t.Error("a page that holds everything offers to load more")
	}
	b.Clean()
}

// A search goes through a hundred thousand answers.
func TestBrowserMany(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	exttest.Need(t, "chromium")
	v := invention{systems: []string{"bm25", "fused"}, dataset: "town", cases: 100, questions: 500}
	file := page(t, report.Options{}, v.seq())
	b := open(t, file, "en-US", 1200, 800)
	b.visit(file, "#answers&q=case-99/q499&all=1")
	b.listed(2)
	b.Click("#list li:last-child a")
	b.Until("the last answer", `document.querySelector("#answer h3") !== null && document.querySelector("#answer").innerText.includes("fused")`)
	b.choose("with", "bm25")
	b.Until("the other system's beside it", `[...document.querySelectorAll("#answer .views > div")].filter(d => d.innerText.includes("case-99/q499")).length === 2`)
	b.visit(file, "#answers&all=1&hop=retrieve")
	b.Until("a page of them", `document.querySelectorAll("#list li").length === 100`)
	b.Clean()
}
