package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"membench/llm/local"

	"github.com/spf13/cobra"
)

type localModel struct {
	embeddings bool
	timeout    time.Duration
	local.Config
}

const toy = "it is only for trying things out: its answers loop and ramble, and say nothing about the quality of a system"

func newModelCmd(e *env) *cobra.Command {
	return parent("model", "Run a small model on this machine, without a key", newModelFetchCmd(e), newModelUpCmd(e), newModelDownCmd(e), newModelStatusCmd(e))
}

func (o *localModel) add(e *env, c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&o.embeddings, "embeddings", false, "the model that gives vectors")
	f.StringVar(&o.Home, "home", "", "keep state and log in this `folder` (default ~/.local/share/membench/model)")
	f.BoolVar(&e.json, "json", false, "print the server as one JSON object")
}

func (o *localModel) kind() local.Kind {
	if o.embeddings {
		return local.Embeddings
	}
	return local.Chat
}

// place fills in the folders that are not given.
func (o *localModel) place(e *env) error {
	home := e.getenv("HOME")
	if home == "" && (o.Home == "" || o.Python == "") {
		return errors.New("HOME is not set: name a folder with --home")
	}
	o.Home = cmp.Or(o.Home, filepath.Join(cmp.Or(e.getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share")), "membench", "model"))
	o.Python = cmp.Or(o.Python, local.Python(modelDir(e)))
	return nil
}

// modelDir is where the models are installed.
func modelDir(e *env) string {
	return filepath.Join(cmp.Or(e.getenv("XDG_CACHE_HOME"), filepath.Join(e.getenv("HOME"), ".cache")), "membench", "localmodel")
}

func newModelFetchCmd(e *env) *cobra.Command {
	return verb("fetch", "Install the small models (about 220 MB)", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		return local.Install(c.Context(), modelDir(e), e.err)
	})
}

func newModelUpCmd(e *env) *cobra.Command {
	o := localModel{timeout: 2 * time.Minute}
	c := verb("up", "Start a small model on 127.0.0.1", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		switch {
		case o.Port < 0 || o.Port > 65535:
			return usagef("--port: have %d, want 1 to 65535, or 0 for a free one", o.Port)
		case o.embeddings && o.GGUF != "":
			return usagef("--gguf names a model that answers: omit --embeddings")
		}
		return runModelUp(c.Context(), e, o)
	})
	o.add(e, c)
	f := c.Flags()
	f.IntVar(&o.Port, "port", 0, "`port` on 127.0.0.1, 0 for a free one")
	f.StringVar(&o.GGUF, "gguf", "", "serve the model of this `file` instead")
	f.IntVar(&o.Threads, "threads", 2, "use `n` threads")
	f.IntVar(&o.Context, "context", 8192, "`tokens` of question and answer together")
	f.DurationVar(&o.timeout, "timeout", o.timeout, "longest `time` to wait until it answers")
	return c
}

func runModelUp(ctx context.Context, e *env, o localModel) error {
	if err := o.place(e); err != nil {
		return err
	}
	now, err := local.Look(o.Home, o.kind())
	if err != nil {
		return err
	}
	if now.Running {
		e.warnf("model: already running")
		return o.print(e, now)
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	st, err := local.Up(ctx, o.kind(), o.Config)
	if errors.Is(err, local.ErrNotInstalled) {
		return fmt.Errorf("%w: 'membench model fetch' installs them", err)
	}
	if err != nil {
		return err
	}
	if o.kind() == local.Chat && o.GGUF == "" {
		e.warnf("%s runs on this machine: %s", st.Model, toy)
	}
	return o.print(e, st)
}

// print gives the variables that name a server, for eval in a shell.
func (o *localModel) print(e *env, s local.State) error {
	if e.json {
		return writeJSON(e.out, s)
	}
	url, model := "OPENAI_BASE_URL", "OPENAI_MODEL"
	if s.Kind == local.Embeddings {
		url, model = "LOCAL_EMBEDDING_BASE_URL", "LOCAL_EMBEDDING_MODEL"
	}
	_, err := fmt.Fprintf(e.text(), "export %s=%s %s=%s\n", url, s.URL, model, s.Model)
	return err
}

func newModelDownCmd(e *env) *cobra.Command {
	var o localModel
	c := verb("down", "Stop the small model", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if err := o.place(e); err != nil {
			return err
		}
		was, err := local.Down(c.Context(), o.Home, o.kind())
		if err == nil && !was.Running {
			e.warnf("model: not running")
		}
		return err
	})
	o.add(e, c)
	return c
}

func newModelStatusCmd(e *env) *cobra.Command {
	var o localModel
	c := verb("status", "Show whether the small model runs, and where", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if err := o.place(e); err != nil {
			return err
		}
		now, err := local.Look(o.Home, o.kind())
		switch {
		case err != nil:
			return err
		case now.Running || e.json:
			return o.print(e, now)
		}
		if _, err := os.Stat(o.Python); err != nil {
			e.warnf("model: not installed ('membench model fetch' installs it)")
			return nil
		}
		e.warnf("model: not running ('membench model up' starts it)")
		return nil
	})
	o.add(e, c)
	return c
}
