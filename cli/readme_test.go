package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"membench/config"
	"membench/internal/browsertest"
	"membench/internal/exttest"
)

// shellBlocks returns the ```sh blocks of a document.
func shellBlocks(t *testing.T, path string) (out []string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range strings.Split(string(b), "```sh\n") {
		if i == 0 {
			continue
		}
		block, _, ok := strings.Cut(part, "```")
		if !ok {
			t.Fatalf("%s: a block is not closed", path)
		}
		out = append(out, block)
	}
	return out
}

// The two READMEs show the same commands, and the commands do what they say: every
// membench line is run as it stands, in a copy of the repository's data.
func TestReadmeCommands(t *testing.T) {
	en, zh := shellBlocks(t, "../README.md"), shellBlocks(t, "../README.zh-CN.md")
	if len(en) < 3 || !slices.Equal(en, zh) {
		t.Fatalf("commands differ:\nREADME.md       %q\nREADME.zh-CN.md %q", en, zh)
	}
	if !strings.HasPrefix(en[0], "make demo ") || !strings.Contains(en[0], "\nmake test ") {
		t.Errorf("README.md starts with %q, want make demo, then make test", en[0])
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "data", "demo"), os.DirFS("../data/demo")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "examples", "measure"), os.DirFS("../examples/measure")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "examples", "chats"), os.DirFS("../examples/chats")); err != nil {
		t.Fatal(err)
	}
	script := "set -eu\nmembench demo -o out/demo\n" + strings.Join(en[1:], "")
	sh := exec.Command("sh", "-c", script)
	sh.Dir = dir
	out, err := sh.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"bm25 − graphmem", "false rejects", "evidence found"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the commands did not print %q", want)
		}
	}
	for _, want := range []string{"out/demo/graph/nodes.jsonl", "out/chats/graph.html", "out/mine/graph.html", "out/notes/qa_records.jsonl", "out/first/report.html"} {
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Errorf("the commands left no %s", want)
		}
	}
}

// docs/project.md shows a project file that loads and the example vocabulary as it is.
func TestProjectDocs(t *testing.T) {
	const doc = "../docs/project.md"
	profile, err := os.ReadFile("../examples/catalog/profile.yaml")
	if err != nil {
		t.Fatal(err)
	}
	checkDoc(t, doc, "profile.yaml", "```yaml\n"+string(profile)+"```\n")
	b, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(b), "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	name := filepath.Join(t.TempDir(), "membench.yaml")
	if err := os.WriteFile(name, []byte(block), 0o666); err != nil {
		t.Fatal(err)
	}
	if p, err := config.Load(name, func(string) (string, string) { return "", "" }); err != nil || p.Conversations["oncall"].Character != "opsbot" {
		t.Errorf("the example of docs/project.md: %v", err)
	}
}

// TestTutorialCommands runs every command of the tutorial as it stands.
func TestTutorialCommands(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples", "chats"), os.DirFS("../examples/chats")); err != nil {
		t.Fatal(err)
	}
	// The Chinese page has a chat of its own; its last block compares the same systems.
	en, zh := shellBlocks(t, "../docs/tutorial.md"), shellBlocks(t, "../docs/tutorial.zh-CN.md")
	if len(en) != len(zh) || en[len(en)-1] != zh[len(zh)-1] {
		t.Fatalf("the pages differ in more than the chat:\n%q\n%q", en, zh)
	}
	for _, c := range []struct {
		blocks []string
		want   []string
	}{
		{zh[:len(zh)-1], []string{"whatsapp, messages: 8, conversations: 1", "person:whatsapp-王芳/王芳|place:南京", "李强 LIVES_IN 合肥  (holds"}},
		{en, []string{"whatsapp, messages: 8, conversations: 1", "person:whatsapp-ana/Ana Ruiz|place:Porto", "wei LIVES_IN Oslo  (holds"}},
	} {
		if err := os.RemoveAll(filepath.Join(dir, "tutorial")); err != nil {
			t.Fatal(err)
		}
		sh := exec.Command("sh", "-c", "set -eu\n"+strings.Join(c.blocks, ""))
		sh.Dir = dir
		out, err := sh.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, want := range c.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("the commands did not print %q:\n%s", want, out)
			}
		}
	}
	for _, want := range []string{"tutorial/out/graph.html", "tutorial/report/report.html"} {
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Errorf("the commands left no %s", want)
		}
	}
}

// TestSite: the documentation builds as a site without a broken link, and its search
// finds a word in a browser.
func TestSite(t *testing.T) {
	exttest.Need(t, "python3", "chromium")
	dir := t.TempDir()
	build := exec.Command("../scripts/site.sh", dir)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files := http.FileServer(http.Dir(dir))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(r.URL.Path)))
		if err != nil || filepath.Ext(r.URL.Path) != ".html" {
			files.ServeHTTP(w, r)
			return
		}
		w.Write(bytes.Replace(page, []byte("<html"), []byte(`<html data-ready="true"`), 1)) // as our own pages say
	}))
	defer srv.Close()
	tab := browsertest.Open(t, srv.URL+"/index.html", "en", 1200, 900, srv.URL)
	tab.Until("the page", `!!document.querySelector("input.md-search__input")`)
	tab.Exec(`document.querySelector("input.md-search__input").focus()`)
	tab.Type("deprecated")
	tab.Until("results", `document.querySelectorAll(".md-search-result__item").length > 0`)
	if found := tab.Text(".md-search-result__list"); !strings.Contains(strings.ToLower(found), "deprecated") {
		t.Errorf("the search found %q", found)
	}
	tab.Clean()
}
