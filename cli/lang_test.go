package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"membench/schema"

	"github.com/spf13/pflag"
)

// TestTexts holds the Chinese texts against the code: every command, flag, finding and
// message has one, none is left of what the program no longer says, and a message has the
// verbs of the English one. A long text carries a digest of the English one: where that
// changed, read the Chinese again, then set the digest that the failure names.
func TestTexts(t *testing.T) {
	zh, err := loadTexts("zh")
	if err != nil {
		t.Fatal(err)
	}
	digest := func(english string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(english)))[:8] }
	fresh := func(name, of, english string) {
		if want := digest(english); of != want {
			t.Errorf("texts/zh.yaml: the English of %q changed: read its Chinese again, then set of: %q", name, want)
		}
	}
	root := Command()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd("zsh")
	root.InitDefaultVersionFlag()
	paths, longs, usages := map[string]bool{}, map[string]bool{modelPart: true}, map[string]bool{}
	fresh(modelPart, zh.Help[modelPart].Of, modelHelp)
	for c := range commands(root) {
		path := c.CommandPath()
		paths[path] = !c.Hidden
		if !c.Hidden && zh.Commands[path] == "" {
			t.Errorf("texts/zh.yaml has no text for %q: %s", path, c.Short)
		}
		long := strings.TrimSuffix(strings.TrimSuffix(c.Long, "\n"+ExitCodes), modelHelp)
		if longs[path] = !c.Hidden && long != c.Short+"."; longs[path] {
			fresh(path, zh.Help[path].Of, long)
		}
		each := func(f *pflag.Flag) {
			for _, text := range append(f.Annotations[groupOf], f.Usage) {
				if usages[text] = true; !c.Hidden && zh.Flags[text] == "" && !strings.HasPrefix(path, "membench completion") && f.Name != helpFlag {
					t.Errorf("texts/zh.yaml has no text for the flag --%s of %s: %q", f.Name, path, text)
				}
			}
		}
		c.Flags().VisitAll(each)
		c.PersistentFlags().VisitAll(each)
	}
	for usage, text := range zh.Flags {
		if strings.Count(usage, "`") != strings.Count(text, "`") {
			t.Errorf("%q names a value, or its Chinese text does: %q", usage, text)
		}
	}
	said := formatsOf(t)
	verb := regexp.MustCompile(`%(?:\[\d+\])?[-+ #0-9.]*[a-zA-Z]`)
	for format, at := range said {
		if text, ok := zh.Messages[format]; !ok && strings.ContainsFunc(verb.ReplaceAllString(format, ""), unicode.IsLetter) {
			t.Errorf("%s: texts/zh.yaml has no message %q", at, format)
		} else if a, b := verb.FindAllString(strings.ReplaceAll(format, "%%", ""), -1), verb.FindAllString(strings.ReplaceAll(text, "%%", ""), -1); ok && !slices.Equal(a, b) {
			t.Errorf("%q has the verbs %q, its Chinese text %q", format, a, b)
		}
	}
	for _, c := range schema.Codes() {
		fresh(c.Code, zh.Findings[c.Code].Of, c.Meaning+"|"+c.Do)
	}
	stale(t, "command", zh.Commands, func(s string) bool { return paths[s] })
	stale(t, "long help", zh.Help, func(s string) bool { return longs[s] })
	stale(t, "flag", zh.Flags, func(s string) bool { return usages[s] })
	asked := usagesOf(t)
	stale(t, "message", zh.Messages, func(s string) bool { return said[s] != "" || asked[s] })
	if err := fs.WalkDir(enTexts, "texts/en", func(path string, d fs.DirEntry, err error) error {
		name := strings.ReplaceAll(strings.TrimPrefix(strings.TrimSuffix(path, ".txt"), "texts/en"), "/", " ")
		if _, known := paths["membench"+name]; err == nil && !d.IsDir() && !known {
			t.Errorf("%s: there is no command membench%s", path, name)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	stale(t, "finding", zh.Findings, func(s string) bool { _, ok := schema.Code(s); return ok })
}

func stale[T any](t *testing.T, what string, texts map[string]T, known func(string) bool) {
	for english := range texts {
		if !known(english) {
			t.Errorf("texts/zh.yaml: there is no %s %q", what, english)
		}
	}
}

// formatsOf is every format that the program prints in the language of the user, with a
// place where it does.
func formatsOf(t *testing.T) map[string]string {
	files, err := filepath.Glob("*.go")
	for _, dir := range []string{"eval/pipeline", "eval/experiment", "eval/run", "eval/explain", "eval/records", "eval/aggregate", "chain"} {
		more, _ := filepath.Glob("../" + dir + "/*.go") // the pattern is right
		files = append(files, more...)
	}
	if err != nil || len(files) == 0 {
		t.Fatal("no sources", err)
	}
	out := map[string]string{}
	set := token.NewFileSet()
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(set, f, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		consts := map[string]ast.Expr{}
		ast.Inspect(tree, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
				consts[v.Names[0].Name] = v.Values[0]
			}
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := ""
			switch f := call.Fun.(type) {
			case *ast.SelectorExpr:
				name = f.Sel.Name
			case *ast.Ident:
				name = f.Name
			}
			if slices.Contains([]string{"warnf", "usagef", "say", "Say", "printf", "Printf", "Warn", "format"}, name) {
				for _, arg := range call.Args[:min(2, len(call.Args))] {
					if id, ok := arg.(*ast.Ident); ok && consts[id.Name] != nil {
						arg = consts[id.Name]
					}
					if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						s, _ := strconv.Unquote(lit.Value) // the parser took it
						out[s] = set.Position(lit.Pos()).String()
						break
					}
				}
			}
			return true
		})
	}
	return out
}

// usagesOf is every format of a usage error that a package makes.
func usagesOf(t *testing.T) map[string]bool {
	out := map[string]bool{}
	call := regexp.MustCompile(`schema\.Usagef\(("(?:[^"\\]|\\.)*")`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range call.FindAllSubmatch(text, -1) {
			format, err := strconv.Unquote(string(m[1]))
			if err != nil {
				return err
			}
			out[format] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLanguage(t *testing.T) {
	vars := func(lang string) func(string) string {
		return func(name string) string { return map[string]string{"LANG": lang}[name] }
	}
	for _, tc := range []struct {
		args []string
		lang string
		out  []string
		not  string
	}{
		{[]string{"--help"}, "zh_CN.UTF-8", []string{"用法：", "制作数据：", "把对话变成事件", "退出码：0 正常"}, "Usage:"},
		{[]string{"view", "--help"}, "zh_CN.UTF-8", []string{"把图画成一个 HTML 文件", "选项：", "(默认 20)", "最多显示 n 条检查结果"}, "Flags:"},
		{[]string{"view", "--help", "--lang", "en"}, "zh_CN.UTF-8", []string{"Usage:", "View draws a graph"}, "用法"},
		{[]string{"--lang=zh", "eval", "--help"}, "C", []string{"用法：", "逐题比较评分后的运行"}, "Usage:"},
		{[]string{"view", "x"}, "zh_TW", []string{"没有指定输出：加 -o FILE.html", "用法见 'membench view --help'"}, "no output"},
		{[]string{"veiw"}, "zh", []string{`未知命令 "veiw"`, "是不是 "}, "unknown"},
		{[]string{"view", "nowhere", "-o", filepath.Join(t.TempDir(), "x.html")}, "zh", []string{"没有这个文件或文件夹"}, "no such file"},
		{[]string{"view", "x"}, "en_GB", []string{"no output named"}, "输出"},
		{[]string{"--lang", "fr", "view", "x"}, "zh", []string{"--lang"}, ""},
	} {
		var out bytes.Buffer
		e := &env{in: strings.NewReader(""), out: &out, err: newConsole(&out, time.Now), getenv: vars(tc.lang), now: time.Now}
		run(t.Context(), e, tc.args)
		for _, want := range tc.out {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q with LANG=%s: no %q in\n%s", tc.args, tc.lang, want, out.String())
			}
		}
		if tc.not != "" && strings.Contains(out.String(), tc.not) {
			t.Errorf("%q with LANG=%s: %q stands in\n%s", tc.args, tc.lang, tc.not, out.String())
		}
	}
}

// Commands of one process may run at the same time, in different languages: what they
// print of themselves is what each prints alone.
func TestCommandsAtOnce(t *testing.T) {
	help := func(lang string) string {
		var out, words strings.Builder
		if code := run(context.Background(), plainEnv(&out, &words, nil), []string{"annotate", "--help", "--lang", lang}); code != exitFine {
			t.Errorf("exit %d: %s", code, &words)
		}
		return out.String()
	}
	alone := map[string]string{}
	for _, lang := range languages {
		alone[lang] = help(lang)
	}
	var all sync.WaitGroup
	for i := range 40 {
		lang := languages[i%len(languages)]
		all.Go(func() {
			if got := help(lang); got != alone[lang] {
				t.Errorf("--lang %s beside others:\n%s", lang, got)
			}
		})
	}
	all.Wait()
}

// TestSaid: what a file keeps in English is said in Chinese where its format is known, whatever stands before it.
func TestSaid(t *testing.T) {
	zh, err := loadTexts("zh")
	if err != nil {
		t.Fatal(err)
	}
	for english, want := range map[string]string{
		"with only 3 cases, intervals by case are wide":             "只有 3 个案例，按案例的区间很宽",
		"no known price for a, b: their tokens are not in the cost": "a, b 的价格未知：其 token 不计入成本",
		"it returns nearly all of its memory: 98 % of the dialogue (median; turns named, or characters shown with their speakers' names), so retrieval metrics measure no choice": "它几乎返回全部记忆：对话的 98 %（中位数；按标明的轮次，或按连同说话人显示的字符），因此检索指标不反映选择",
		"nobody knows this one": "nobody knows this one",
	} {
		if got := zh.format("%s", schema.Said(english)); got != want {
			t.Errorf("%q: have %q, want %q", english, got, want)
		}
	}
}
