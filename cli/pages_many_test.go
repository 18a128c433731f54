package cli

import (
	"bufio"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"membench/internal/browsertest"
	"membench/internal/exttest"
)

// gardens are cases of n questions each, four of five of which have an answer.
func gardens(cases, n int) string {
	var b strings.Builder
	for c := range cases {
		id := fmt.Sprintf("g%03d", c)
		fmt.Fprintf(&b, `{"case_id":%q,"dataset":"gardens","conv_id":%q,"unit":"turn","speakers":["Ana","Ben"],"sessions":[{"session_id":"s1","time":"2026-01-05T10:00:00Z","turns":[`, id, id)
		for i := range n {
			fmt.Fprintf(&b, `%s{"turn_id":%d,"role":"user","name":"Ana","text":"Bed number %d of garden %s grows plant%d."}`, map[bool]string{true: ","}[i > 0], i+1, i, id, i*7+c)
		}
		b.WriteString(`]}],"questions":[`)
		for i := range n {
			gold := fmt.Sprint("plant", i*7+c)
			if i%5 == 4 {
				gold = "a rowing boat"
			}
			fmt.Fprintf(&b, `%s{"question_id":"%s-q%d","question":"What grows in bed number %d of garden %s?","answer":%q,"category":"IE","raw_category":"1","evidence":[{"conv_id":%q,"turn_id":%d}]}`,
				map[bool]string{true: ","}[i > 0], id, i, i, id, gold, id, i+1)
		}
		b.WriteString("]}\n")
	}
	return b.String()
}

// TestManyAnswersInPages makes a run of 100,000 answers and uses its pages: the report, the
// page for labels and the one that follows a run.
func TestManyAnswersInPages(t *testing.T) {
	if os.Getenv("MEMBENCH_SOAK") == "" {
		t.Skip("takes minutes: make soak")
	}
	exttest.Need(t, "chromium")
	const cases, questions = 1000, 50
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cases.jsonl"), []byte(gardens(cases, questions)), 0o666); err != nil {
		t.Fatal(err)
	}
	timed := func(args ...string) {
		t.Helper()
		began, c := time.Now(), start(t, dir, args...)
		r, peak := runWatched(t, c)
		if r.code != exitFine {
			t.Fatalf("%q: exit %d\n%s", args, r.code, r.stderr)
		}
		t.Logf("%s: %.1f s of CPU, %.1f s by the wall, %d MiB", strings.Join(args[:2], " "), (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), time.Since(began).Seconds(), peak>>20)
		if args[1] != "run" && peak > 512<<20 {
			t.Errorf("%q held %d MiB, want at most 512", args, peak>>20)
		}
	}
	timed("eval", "run", "cases.jsonl", "--system", "bm25,null", "--no-times", "-p", "rule", "-k", "3", "--format", "json", "-q", "-o", "run")
	timed("eval", "explain", "run", "-q")
	timed("eval", "report", "run", "-q", "-o", "out")

	page := ""
	size, files := int64(0), 0
	err := filepath.Walk(filepath.Join(dir, "out"), func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			size, files = size+info.Size(), files+1
			if strings.HasSuffix(path, ".html") {
				page = path
				t.Logf("%s: %d KiB", info.Name(), info.Size()>>10)
				if info.Size() > 2<<20 {
					t.Errorf("the page has %d bytes, want at most 2 MiB: the rest is loaded when it is asked for", info.Size())
				}
			}
		}
		return err
	})
	if err != nil || page == "" {
		t.Fatalf("no page: %v", err)
	}
	t.Logf("%d files, %d MiB together", files, size>>20)
	readReport(t, page, thousands(2*cases*questions), fmt.Sprintf("g%03d-q%d", cases-1, questions-1))
	labelMany(t, dir)
	watchMany(t, dir, "store "+thousands(cases*questions))
}

// thousands writes a number as the pages do.
func thousands(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }

// readReport pages through the answers, filters, searches and sorts.
func readReport(t *testing.T, page, answers, last string) {
	began := time.Now()
	step := func(what string) {
		t.Logf("report: %s after %.1f s", what, time.Since(began).Seconds())
		began = time.Now()
	}
	b := browsertest.Open(t, browsertest.File(t, page), "en-US", 1200, 800, browsertest.File(t, filepath.Dir(page)))
	step("ready")
	b.Visit(browsertest.File(t, page) + "#answers&all=1")
	b.Until("all answers are counted", fmt.Sprintf(`document.querySelector("#count").innerText.includes(%q)`, answers))
	step("all are listed")
	for i := range 5 {
		b.Exec(`document.querySelector("#more").click()`)
		b.Until("further answers", fmt.Sprintf(`document.querySelectorAll("#list li").length === %d`, 100*(i+2)))
	}
	step("600 are shown")
	b.Visit(browsertest.File(t, page) + "#answers&all=1&hop=store&system=null")
	b.Until("a filter by hop", `document.querySelectorAll("#list li").length === 100 && document.querySelector('select[data-filter="hop"]').value === "store" && [...document.querySelectorAll("#list li")].every(l => l.innerText.includes("null"))`)
	step("filtered by hop")
	b.Visit(browsertest.File(t, page) + "#answers&all=1&q=" + last)
	b.Until("a search", `document.querySelectorAll("#list li").length === 2`)
	step("searched")
	b.Click("#list li:last-child a")
	b.Until("the last answer", fmt.Sprintf(`document.querySelector("#answer h3") !== null && document.querySelector("#answer").innerText.includes(%q)`, last))
	step("the last answer is shown")
	b.Exec(`document.querySelector(".set table .sort").click()`)
	b.Until("a table is sorted", `document.querySelector(".set table th[aria-sort]") !== null`)
	heap := browsertest.Eval[float64](b, `performance.memory.usedJSHeapSize`)
	t.Logf("report: %.0f MiB of script memory", heap/(1<<20))
	if heap > 400<<20 {
		t.Errorf("the page's scripts hold %.0f MiB, want at most 400", heap/(1<<20))
	}
	b.Clean()
}

var pageAddress = regexp.MustCompile(`http://[0-9.:]+/[^\s;]*`)

// serve runs a command that opens a page, and gives its address.
func serve(t *testing.T, dir string, args ...string) (address string) {
	t.Helper()
	c := start(t, dir, args...)
	words, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { endPage(t, c, args) })
	lines := bufio.NewScanner(words)
	for lines.Scan() {
		if address = pageAddress.FindString(lines.Text()); address != "" {
			break
		}
	}
	if _, err := url.Parse(address); err != nil || address == "" {
		t.Fatalf("%q: no page", args)
	}
	t.Logf("%s: its page after %.1f s", strings.Join(args[:2], " "), time.Since(began).Seconds())
	return address
}

func endPage(t *testing.T, c *exec.Cmd, args []string) {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
	if _, rest, ok := strings.Cut(string(b), "VmHWM:"); ok {
		line, _, _ := strings.Cut(rest, "\n")
		t.Logf("%s: %s at most", strings.Join(args[:2], " "), strings.TrimSpace(line))
	}
	_ = c.Process.Signal(os.Interrupt)
	_ = c.Wait()
}

// labelMany labels some of a draw of a thousand.
func labelMany(t *testing.T, dir string) {
	address := serve(t, dir, "eval", "label", "run", "--by", "ann", "-n", "1000")
	b := browsertest.Open(t, address, "en-US", 1200, 800, address)
	b.Until("a thousand to label", `document.querySelector("#place").textContent.startsWith("1 / 1000")`)
	for i := range 20 {
		b.Key("n")
		b.Key("r")
		b.Key("Enter")
		b.Until("the next", fmt.Sprintf(`document.documentElement.dataset.at === "%d" && document.documentElement.dataset.unsaved === "0"`, i+1))
	}
	b.Clean()
	out, err := os.ReadFile(filepath.Join(dir, "run", "labels", "ann.jsonl"))
	if err != nil || strings.Count(string(out), `"hop":"retrieve"`) < 20 {
		t.Errorf("labels: %v\n%.300s", err, out)
	}
}

// watchMany looks at the finished run.
func watchMany(t *testing.T, dir, lost string) {
	address := serve(t, dir, "eval", "watch", "run")
	began := time.Now()
	b := browsertest.Open(t, address, "en-US", 1200, 800, address)
	for range 12 { // Until waits ten seconds
		if strings.Contains(b.Text("#rows"), lost) {
			break
		}
		time.Sleep(time.Second)
	}
	if s := b.Text("#rows"); !strings.Contains(s, lost) || !strings.Contains(s, "bm25") {
		t.Errorf("the finished run: %q, want %q", s, lost)
	}
	t.Logf("watch: figures after %.1f s", time.Since(began).Seconds())
	b.Clean()
}
