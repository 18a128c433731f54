package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"membench/config"
	"membench/internal/textnorm"
	"membench/llm/cassette"
	llmodels "membench/models"
	"membench/schema"

	"github.com/spf13/cobra"
)

func newConfigCmd(e *env) *cobra.Command {
	return parent("config", "Show the effective configuration", newConfigShowCmd(e), newConfigPromptsCmd(e))
}

func newConfigShowCmd(e *env) *cobra.Command {
	m := modelFlags{temperature: -1}
	c := verb("show", "Print every effective value and its origin; secrets are masked", cobra.NoArgs,
		func(*cobra.Command, []string) error { return runConfigShow(e, m) })
	m.addShared(c)
	c.Flags().BoolVar(&e.json, "json", false, "print one JSON object")
	return c
}

type configReport struct {
	File     string                    `json:"file"` // "": none
	Project  []config.Value            `json:"project"`
	Prices   string                    `json:"prices"`
	Cassette string                    `json:"cassette"` // mode and file
	Roles    map[string][]config.Value `json:"roles"`
}

func runConfigShow(e *env, m modelFlags) error {
	r := configReport{File: cmp.Or(m.config, config.Find(".")), Project: []config.Value{}, Roles: map[string][]config.Value{}}
	p, err := m.project(e)
	if err != nil {
		return err
	}
	if p != nil {
		r.Project = p.Show()
	}
	prices, err := config.LoadPrices(m.options(e).PriceFile(p))
	if err != nil {
		return &schema.UsageError{Err: err}
	}
	r.Prices = fmt.Sprintf("%s: %d models, %s, as of %s", prices.From, len(prices.Prices), prices.Currency, prices.AsOf)
	file, mode, err := m.options(e).CassetteFile(p)
	if err != nil {
		return err
	}
	if r.Cassette = string(mode); mode != cassette.Off {
		r.Cassette += " " + file
	}
	for _, role := range config.Roles() {
		ep, err := p.Resolve(role, config.Model{}, e.lookup)
		if err != nil {
			return &schema.UsageError{Err: err}
		}
		r.Roles[string(role)] = ep.Values
	}
	if e.json {
		return writeJSON(e.out, r)
	}
	rows := [][3]string{{"project file", cmp.Or(r.File, "none (no membench.yaml here)")}}
	for _, v := range r.Project {
		rows = append(rows, [3]string{v.Name, v.Value, v.From})
	}
	rows = append(rows, [3]string{"prices", r.Prices}, [3]string{"cassette", r.Cassette})
	for _, role := range config.Roles() {
		rows = append(rows, [3]string{}, [3]string{string(role)})
		for _, v := range r.Roles[string(role)] {
			rows = append(rows, [3]string{"  " + v.Name, v.Value, v.From})
		}
		if ep := r.Roles[string(role)]; role != config.Embed && (len(ep) == 0 || ep[0].Name != "name") {
			rows = append(rows, [3]string{"  name", "none: this role goes by rule"})
		}
	}
	return writeColumns(e.text(), rows)
}

// writeColumns aligns rows by the columns that a terminal gives their characters.
func writeColumns(w io.Writer, rows [][3]string) error {
	var wide [2]int
	for _, row := range rows {
		for i := range wide {
			wide[i] = max(wide[i], textnorm.Width(row[i]))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(strings.TrimRight(textnorm.Pad(row[0], wide[0]+2)+textnorm.Pad(row[1], wide[1]+2)+row[2], " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func newConfigPromptsCmd(e *env) *cobra.Command {
	var m modelFlags
	var out string
	c := verb("prompts", "List the effective prompts, or write them to a folder for editing", cobra.NoArgs,
		func(c *cobra.Command, _ []string) error { return runConfigPrompts(c.Context(), e, m, out) })
	m.addShared(c)
	c.Flags().StringVarP(&out, "output", "o", "", "write the prompts into this `folder`")
	c.Flags().BoolVar(&e.json, "json", false, "print one JSON object")
	return c
}

func runConfigPrompts(ctx context.Context, e *env, m modelFlags, out string) error {
	p, err := m.project(e)
	if err != nil {
		return err
	}
	prompts, err := m.options(e).OpenPrompts(p)
	if err != nil {
		return err
	}
	type row struct {
		Name   string `json:"name"`
		From   string `json:"from"`
		SHA256 string `json:"sha256"`
	}
	rows := []row{}
	for _, q := range llmodels.Prompts(prompts) {
		rows = append(rows, row{q.Name, q.From, q.SHA256()})
		if out == "" {
			continue
		}
		err := writeOut(e, filepath.Join(out, q.Name+".md"), func(w io.Writer) error {
			_, err := io.WriteString(w, q.Text+"\n")
			return errors.Join(err, ctx.Err())
		})
		if err != nil {
			return err
		}
	}
	if e.json {
		return writeJSON(e.out, map[string]any{"prompts": rows})
	}
	for _, r := range rows {
		fmt.Fprintf(e.text(), "%s\t%s\t%s\n", r.Name, r.From, r.SHA256)
	}
	return nil
}
