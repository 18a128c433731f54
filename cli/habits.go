package cli

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
	"unicode"

	"membench/annotate"
	"membench/annotate/chats"
	"membench/config"
	"membench/cypher/neo4j/server"
	"membench/datasets"
	"membench/datasets/convert"
	"membench/datasets/probes"
	"membench/eval/calibrate"
	"membench/eval/protocol"
	"membench/graphir/export"
	"membench/internal/textnorm"
	"membench/memory/open"
	"membench/schema"
	"membench/schema/findings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groupOf is the annotation of a flag that names its group in help.
const groupOf = "membench_group"

// inGroup adds flags to a command and puts them under a title in its help.
func inGroup(c *cobra.Command, title string, add func()) {
	before := map[string]bool{}
	c.Flags().VisitAll(func(f *pflag.Flag) { before[f.Name] = true })
	add()
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !before[f.Name] && f.Annotations[groupOf] == nil {
			f.Annotations = map[string][]string{groupOf: {title}}
		}
	})
}

// flagGroups is the flags of a command as its help shows them: those without a group
// first, under the title that the template gives, then group by group.
func flagGroups(c *cobra.Command, first string) string {
	titles := []string{""}
	sets := map[string]*pflag.FlagSet{}
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		title := ""
		if g := f.Annotations[groupOf]; g != nil {
			title = g[0]
		}
		if sets[title] == nil {
			sets[title] = pflag.NewFlagSet("", pflag.ContinueOnError)
			if title != "" {
				titles = append(titles, title)
			}
		}
		sets[title].AddFlag(f)
	})
	slices.Sort(titles[1:])
	var b strings.Builder
	for _, title := range titles {
		if sets[title] == nil {
			continue
		}
		name := first
		if title != "" {
			name = title + " flags:"
		}
		fmt.Fprintf(&b, "\n%s\n%s\n", name, strings.TrimRight(sets[title].FlagUsages(), "\n"))
	}
	return b.String()
}

//go:embed texts/usage.tmpl
var usageTemplate string

// usage writes the usage of a command. The functions belong to this template only: cobra.AddTemplateFunc writes to one map of the process, which two concurrent
// commands would both change.
func usage(c *cobra.Command, in *texts) error {
	t, err := template.New("usage").Funcs(template.FuncMap{
		"flagGroups": flagGroups,
		"trim":       func(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) },
	}).Parse(usageTemplate)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := t.Execute(&text, c); err != nil {
		return err
	}
	_, err = fmt.Fprint(c.OutOrStderr(), in.words(text.String()))
	return err
}

// didYouMean adds the nearest commands or flags to an error about one that is not known.
func didYouMean(c *cobra.Command, err error) error {
	var names []string
	word, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if ok {
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		c.InheritedFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	} else if _, rest, found := strings.Cut(err.Error(), `unknown command "`); found {
		word, _, _ = strings.Cut(rest, `"`)
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
	}
	near := textnorm.Nearest(word, names, 2)
	if word == "" || len(near) == 0 {
		return err
	}
	if ok {
		near = []string{"--" + near[0]}
	}
	return fmt.Errorf("%w\ndid you mean %s?", err, strings.Join(near, " or "))
}

// fixed are the flags that have one of a list of values, by the flag's name, or by command and flag where they differ from command to command: the values are
// offered, and no others are taken.
var fixed = map[string]func() []string{
	"kind":       kindNames,
	"tagger":     choices("rule", "model"),
	"extractor":  choices("rule", "model"),
	"embedder":   choices("hash", "model"),
	"direction":  choices("down", "up", "both"),
	"source":     choices("auto", "norm", "raw"),
	"dates":      choices("dmy", "mdy"),
	"group":      choices(string(probes.GroupUser), string(probes.GroupConversation)),
	"log-format": choices("text", "json"),
	"log-level":  choices(levels...),

	"annotate --format": func() []string {
		return namesOf(annotate.Formats(), func(f annotate.Format) string { return string(f) })
	},
	"validate --format":         findings.Formats,
	"datasets lint --format":    findings.Formats,
	"export --format":           export.FormatNames,
	"eval grade --judge":        choices("rule", "model"),
	"eval judge check --format": calibrate.CheckFormats,
	"neo4j up --engine":         choices("auto", server.Docker, server.Java),
	"datasets convert --to":     convert.Forms,
}

// completions are the values that are offered for flags which check theirs themselves, or take others, too.
func completions(e *env) map[string]func() []string {
	return map[string]func() []string{
		"system":   func() []string { return systemNames(e) },
		"baseline": func() []string { return systemNames(e) },
		"protocol": protocol.Names,
		"dataset": func() []string {
			return namesOf(datasets.Catalogue(), func(d datasets.Info) string { return d.Name + "=" })
		},
		"schema-version": schemaVersions,
		"backend": func() []string {
			return append([]string{"embedded", "mem0"}, systemNames(e, open.Service)...)
		},
		"form":          func() []string { return namesOf(chats.Forms(), func(f chats.Form) string { return f.Name }) },
		"cassette-mode": choices("off", "cache", "record", "replay-only"),
		"reader":        choices("rule", "model"),
		"judge":         choices("rule", "model"),
		"grain":         choices("turn", "session"),
		"isolation":     choices("global", "per_conv"),
		"pcm-mode":      choices("fixed", "faithful"),
		"answer-prompt": choices("answer", "answer-short", "answer-notes"),
		"prompt-lang":   choices("en", "zh"),
		"lang":          choices(languages...),

		"experiment --backend":     func() []string { return systemNames(e) },
		"eval --format":            config.EvalFormats,
		"eval run --format":        config.EvalFormats,
		"eval report --format":     config.EvalFormats,
		"eval export --format":     choices("lme", "locomo", "mem0"),
		"shard to-graph map --hop": choices("events", "exports", "claims"),
		"chain --engine":           choices("spark"),
		"pcm analyze --format":     choices("text", "json", "csv"),
		"migrate --to":             schemaVersions,
	}
}

// listed is what a table has for a flag of a command, nil if nothing.
func listed(table map[string]func() []string, c *cobra.Command, flag string) func() []string {
	if values := table[strings.TrimPrefix(c.CommandPath(), "membench ")+" --"+flag]; values != nil {
		return values
	}
	return table[flag]
}

// checkChoices rejects the values of flags that are not in their list. The default may be given, too.
func checkChoices(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		values, v := listed(fixed, c, f.Name), f.Value.String()
		if err != nil || values == nil || v == f.DefValue || slices.Contains(values(), v) {
			return
		}
		all := values()
		last := len(all) - 1
		err = usagef("--%s: have %q, want %s", f.Name, v, schema.Say("%s or %s", strings.Join(all[:last], ", "), all[last]))
	})
	return err
}

// choices is a fixed list of values.
func choices(values ...string) func() []string { return func() []string { return values } }

// firstArguments are the values of first arguments that have a known list, by command.
func firstArguments(e *env) map[string]func() []string {
	sets := func() []string { return namesOf(datasets.Catalogue(), func(d datasets.Info) string { return d.Name }) }
	return map[string]func() []string{
		"datasets convert": sets, "datasets fetch": sets, "datasets info": sets, "datasets lint": sets, "datasets sample": sets,
		"systems show":  func() []string { return systemNames(e) },
		"systems check": func() []string { return systemNames(e) },
		"schema show": func() []string {
			return append(append(kindNames(), "catalog"), namesOf(config.FileSchemas(), func(name string) string { return name + ".yaml" })...)
		},
	}
}

// completing registers the completions of a program.
func completing(root *cobra.Command, e *env) *cobra.Command {
	known, first := completions(e), firstArguments(e)
	maps.Copy(known, fixed)
	for c := range commands(root) {
		complete(c, known)
		if values := first[strings.TrimPrefix(c.CommandPath(), "membench ")]; values != nil {
			completeFirst(c, values)
		}
	}
	return root
}

// completeFirst registers the completion of a command's first argument.
func completeFirst(c *cobra.Command, values func() []string) {
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 { // files follow
			return nil, cobra.ShellCompDirectiveDefault
		}
		return matching(values(), "", typed), cobra.ShellCompDirectiveDefault
	}
}

func matching(values []string, lead, typed string) (out []string) {
	for _, v := range values {
		if strings.HasPrefix(lead+v, typed) {
			out = append(out, lead+v)
		}
	}
	return out
}

// complete registers completions for the flags of a command that have any. The values of some
// flags depend on the command.
func complete(c *cobra.Command, known map[string]func() []string) {
	each := func(f *pflag.Flag) {
		values := listed(known, c, f.Name)
		if values == nil {
			return
		}
		list := func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			lead := ""
			if i := strings.LastIndexByte(typed, ','); i >= 0 { // of a list, the last
				lead = typed[:i+1]
			}
			return matching(values(), lead, typed), cobra.ShellCompDirectiveNoFileComp
		}
		if err := c.RegisterFlagCompletionFunc(f.Name, list); err != nil {
			return // registered by the command itself
		}
	}
	c.Flags().VisitAll(each)
	c.PersistentFlags().VisitAll(each) // of the root: its own are not among Flags yet
}

// namesOf makes a list of values from what they are in.
func namesOf[T any](list []T, name func(T) string) (out []string) {
	for _, x := range list {
		out = append(out, name(x))
	}
	return out
}

func kindNames() []string {
	return namesOf(schema.Kinds(schema.Latest), func(k schema.Kind) string { return string(k) })
}

func schemaVersions() []string {
	return namesOf(schema.Versions(), func(v schema.Version) string { return string(v) })
}

// systemNames are the names of the systems of some kinds; none: of all.
func systemNames(e *env, kinds ...open.Kind) (out []string) {
	list, err := e.place("").List(context.Background())
	if err != nil {
		return nil
	}
	for _, s := range list {
		if len(kinds) == 0 || slices.Contains(kinds, s.Kind) {
			out = append(out, s.Name)
		}
	}
	return out
}
