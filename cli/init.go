package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"membench/annotate/chats"
	"membench/internal/csvdoc"
	"membench/schema"

	"github.com/spf13/cobra"
)

type initOptions struct {
	chats.InitOptions
	stepFlags
	zone string
}

func newInitCmd(e *env) *cobra.Command {
	var o initOptions
	c := verb("init EXPORT...", "Make a project from your own chats", cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		o.Paths = args
		if err := o.check(); err != nil {
			return err
		}
		return runInit(c.Context(), e, o)
	})
	c.Long = formTable()
	c.Flags().StringVarP(&o.Dir, "output", "o", "mine", "make the project in this `folder`")
	c.Flags().BoolVar(&o.Force, "force", false, "overwrite an existing membench.yaml")
	c.Flags().BoolVar(&o.Add, "add", false, "add the messages that are new to the project in that folder; its membench.yaml stays")
	c.Flags().BoolVar(&e.json, "json", false, "print what was made as one JSON object")
	o.addFlags(c)
	return c
}

// addFlags adds the flags that say how exports are read.
func (o *initOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Form, "form", "", "read every export as this `form` instead of detecting it")
	f.Var(csvdoc.Flag{Into: (*csvdoc.Mapping)(&o.Map), Of: "a message", Parts: chats.Parts}, "map", "columns of a table as sender=A,text=B,time=C; also role, conversation, quote, attachment, id, reply")
	f.StringVar(&o.Dates, "dates", "", "`order` of day and month in dates such as 3/4/26: dmy or mdy (default: detected from the file)")
	f.StringVar(&o.zone, "zone", "UTC", "`zone` of times without one: Europe/Berlin or +08:00")
	f.StringVar(&o.Encoding, "encoding", "", "`name` of the encoding of files that are not UTF-8: gb18030, big5, shift_jis, windows-1252 (default: detected)")
	f.StringVar(&o.Me, "me", "", "your `name` in the chats: what you say is about the user")
	o.stepFlags.add(c, 20)
}

func (o *initOptions) check() (err error) {
	if o.Zone, err = chats.ParseZone(o.zone); err != nil {
		return usagef("--zone: %w", err)
	}
	o.Strict, o.Accept = o.strict, schema.Limit(o.accept)
	return nil
}

func formTable() string {
	var b strings.Builder
	for _, f := range chats.Forms() {
		fmt.Fprintf(&b, "  %-10s %s\n", f.Name, f.Doc)
	}
	return b.String()
}

func runInit(ctx context.Context, e *env, o initOptions) error {
	p, err := makeProject(ctx, e, o)
	if !wrote(err) {
		return err
	}
	if e.json {
		if werr := writeJSON(e.out, p); werr != nil {
			return werr
		}
		return err
	}
	for _, part := range p.Parts {
		e.printf("%s: %s, messages: %d, conversations: %d", part.Path, part.Form, part.Messages, part.Conversations)
		if part.First != "" {
			e.printf(", %s to %s", part.First, part.Last)
		}
		e.printf("\n")
	}
	if o.Me == "" && !o.Add && len(p.Parts[0].Names) > 0 && !p.Parts[0].Assistants {
		e.printf("\nWhich of the speakers are you? Give --me %q, or set user: in %s.\n", p.Parts[0].Names[0].Name, p.Config)
	}
	e.printf("\nNext:\n\n  membench chain -c %[1]s -o %[2]s\n  membench view %[2]s/graph -o %[2]s/graph.html\n", p.Config, filepath.Join(o.Dir, "out"))
	return err
}

func makeProject(ctx context.Context, e *env, o initOptions) (p chats.Project, err error) {
	t := newTally(e, o.limit)
	o.Report = t.found
	p, err = chats.Init(ctx, o.InitOptions)
	if f, ok := errors.AsType[*schema.Finding](err); ok {
		t.take(f)
		err = errFindings
	}
	t.summary()
	return p, err
}
