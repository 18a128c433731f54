// Clidocs writes the command reference of the documentation, and man pages, from the
// commands themselves.
//
//	go run -C tools ./clidocs -md ../out/commands.md
//	go run -C tools ./clidocs -man ../dist/man
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"membench/cli"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

func main() {
	md := flag.String("md", "", "write the reference to this `file`")
	man := flag.String("man", "", "write man pages into this `folder`")
	flag.Parse()
	if err := run(*md, *man); err != nil {
		fmt.Fprintln(os.Stderr, "clidocs:", err)
		os.Exit(1)
	}
}

func run(md, man string) error {
	root := cli.Command()
	root.DisableAutoGenTag = true
	if md != "" {
		if err := os.WriteFile(md, reference(root), 0o666); err != nil {
			return err
		}
	}
	if man == "" {
		return nil
	}
	if err := os.MkdirAll(man, 0o777); err != nil {
		return err
	}
	date := time.Unix(0, 0).UTC() // no clock in what is built
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "membench", Manual: "membench", Date: &date}, man)
}

// reference is one page: a section for each command that runs, with its help.
func reference(root *cobra.Command) []byte {
	var b bytes.Buffer
	b.WriteString("# Commands\n\nMade from the commands themselves. Flags of every command and exit codes stand at the end.\n")
	section(&b, root)
	b.WriteString("\n## Flags of every command\n\n```text\n" + root.PersistentFlags().FlagUsages() + "```\n\n## Exit codes\n\n" + cli.ExitCodes + "\n")
	return b.Bytes()
}

func section(b *bytes.Buffer, c *cobra.Command) {
	if !c.IsAvailableCommand() && c.HasParent() || c.Name() == "help" || c.Name() == "completion" {
		return
	}
	if c.Runnable() && c.HasParent() {
		fmt.Fprintf(b, "\n## %s\n\n%s.\n\n```text\n%s\n```\n", c.CommandPath(), c.Short, strings.TrimSpace(c.UseLine()))
		long := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(c.Long), strings.TrimSpace(cli.ExitCodes)))
		if long != "" && long != c.Short+"." {
			fmt.Fprintf(b, "\n```text\n%s\n```\n", long)
		}
		if c.Example != "" {
			fmt.Fprintf(b, "\nExamples:\n\n```text\n%s\n```\n", strings.TrimRight(c.Example, "\n"))
		}
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "workers" && f.DefValue != "0" {
				f.DefValue = "0" // hidden: it is the number of processors of this machine
			}
			if f.Name != "help" {
				flags.AddFlag(f)
			}
		})
		if flags.HasFlags() {
			fmt.Fprintf(b, "\nFlags:\n\n```text\n%s```\n", flags.FlagUsages())
		}
	}
	for _, sub := range c.Commands() {
		section(b, sub)
	}
}
