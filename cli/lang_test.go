package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// TestTexts holds the Chinese texts against the code: every command has one, every flag and
// message that they translate is in the program, and a message has the verbs of the English one.
func TestTexts(t *testing.T) {
	zh, err := loadTexts("zh")
	if err != nil {
		t.Fatal(err)
	}
	paths, usages := map[string]bool{}, map[string]bool{}
	for c := range commands(Command()) {
		if c.Hidden {
			continue
		}
		paths[c.CommandPath()] = true
		if zh.Commands[c.CommandPath()] == "" {
			t.Errorf("texts/zh.yaml has no text for %q: %s", c.CommandPath(), c.Short)
		}
		each := func(f *pflag.Flag) { usages[f.Usage] = true }
		c.Flags().VisitAll(each)
		c.PersistentFlags().VisitAll(each)
	}
	for path := range zh.Commands {
		if !paths[path] {
			t.Errorf("texts/zh.yaml: there is no command %q", path)
		}
	}
	for usage := range zh.Flags {
		if !usages[usage] {
			t.Errorf("texts/zh.yaml: no flag says %q", usage)
		}
	}
	var code strings.Builder
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && !strings.HasSuffix(f, "_test.go") {
			code.Write(b)
		}
	}
	verb := regexp.MustCompile(`%[-+ #0-9.]*[a-zA-Z]`)
	for en, text := range zh.Messages {
		if !strings.Contains(code.String(), strconv.Quote(en)) {
			t.Errorf("texts/zh.yaml: no message is %q", en)
		}
		if a, b := verb.FindAllString(en, -1), verb.FindAllString(text, -1); !slices.Equal(a, b) {
			t.Errorf("%q has the verbs %q, its Chinese text %q", en, a, b)
		}
	}
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
		{[]string{"view", "--help"}, "zh_CN.UTF-8", []string{"把图画成一个不需要网络的 HTML 文件", "选项：", "最多显示 n 条检查结果"}, "Flags:"},
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
