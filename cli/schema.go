package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/config"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/findings"
	"membench/schema/validate"

	"github.com/spf13/cobra"
)

func newSchemaCmd(e *env) *cobra.Command {
	return parent("schema", "List, show, export and compare the published JSON Schemas", newSchemaListCmd(e), newSchemaShowCmd(e), newSchemaExportCmd(e), newSchemaCheckCmd(e), newSchemaCodesCmd(e))
}

func newSchemaListCmd(e *env) *cobra.Command {
	c := verb("list", "List kinds of records, their versions and what they are", cobra.NoArgs,
		func(*cobra.Command, []string) error { return runSchemaList(e) })
	c.Flags().BoolVar(&e.json, "json", false, "print one JSON object a line")
	return c
}

type schemaRow struct {
	Kind    schema.Kind    `json:"kind"`
	Version schema.Version `json:"version"`
	ID      string         `json:"id"`
	Title   string         `json:"title"`
	Text    string         `json:"description"`
}

func runSchemaList(e *env) error {
	for _, v := range schema.Versions() {
		for _, k := range schema.Kinds(v) {
			var row schemaRow
			text, err := schema.JSONSchema(k, v)
			if err == nil {
				err = codec.Unmarshal(text, &row) // its title and description
			}
			if err != nil {
				return fmt.Errorf("schema %s %s: %w", k, v, err)
			}
			row.Kind, row.Version, row.ID = k, v, schema.SchemaURL(k, v)
			first, _, _ := strings.Cut(row.Text, ". ")
			if err := e.line(row, "%-13s %s  %s", row.Kind, row.Version, strings.TrimSuffix(first, ".")); err != nil {
				return err
			}
		}
	}
	return nil
}

func parseKind(s string) (schema.Kind, error) {
	k := schema.Kind(s)
	if !slices.Contains(schema.Kinds(schema.Latest), k) {
		return "", usagef("kind %q is unknown: have %s", s, strings.Join(kindNames(), ", "))
	}
	return k, nil
}

func newSchemaShowCmd(e *env) *cobra.Command {
	v := schema.Latest
	c := verb("show KIND|FILE|catalog", "Print the JSON Schema of a kind of record or file, or the built-in catalogue",
		cobra.ExactArgs(1), func(_ *cobra.Command, args []string) error {
			if args[0] == "catalog" {
				_, err := e.out.Write(catalog.Builtin())
				return err
			}
			if strings.HasSuffix(args[0], ".yaml") {
				text, ok := config.FileSchema(args[0])
				if !ok {
					return usagef("%s has no schema, expected one of %s, with .yaml", args[0], strings.Join(config.FileSchemas(), ", "))
				}
				_, err := e.out.Write(text)
				return err
			}
			k, err := parseKind(args[0])
			if err != nil {
				return err
			}
			text, err := schema.JSONSchema(k, v)
			if err != nil {
				return usagef("kind %s does not exist in version %s: have %v", k, v, schema.Kinds(v))
			}
			_, err = e.out.Write(text)
			return err
		})
	c.Flags().Var(versionFlag{&v}, "version", "schema `version`")
	return c
}

func newSchemaExportCmd(e *env) *cobra.Command {
	var dir string
	c := verb("export", "Write every schema of every version into a folder", cobra.NoArgs, func(*cobra.Command, []string) error {
		if dir == "" {
			return usagef("-o is required: the folder to write to")
		}
		return runSchemaExport(e, dir)
	})
	c.Flags().StringVarP(&dir, "output", "o", "", "write the schemas into this `folder`")
	return c
}

func runSchemaExport(e *env, dir string) error {
	n := 0
	for _, v := range schema.Versions() {
		sub := filepath.Join(dir, "v"+string(v))
		if err := os.MkdirAll(sub, 0o777); err != nil {
			return err
		}
		for _, k := range schema.Kinds(v) {
			text, err := schema.JSONSchema(k, v)
			if err != nil {
				return err
			}
			err = writeOut(e, filepath.Join(sub, string(k)+".schema.json"), func(w io.Writer) error { _, err := w.Write(text); return err })
			if err != nil {
				return err
			}
			n++
		}
	}
	err := writeOut(e, filepath.Join(dir, "catalog.yaml"), func(w io.Writer) error { _, err := w.Write(catalog.Builtin()); return err })
	if err != nil {
		return err
	}
	e.warnf("wrote %s and catalog.yaml to %s", findings.Count(n, "schema"), dir)
	return nil
}

func newSchemaCheckCmd(e *env) *cobra.Command {
	c := verb("check OLD NEW", "Check whether readers or writers break between two versions", cobra.ExactArgs(2),
		func(_ *cobra.Command, args []string) error { return runSchemaCheck(e, args[0], args[1]) })
	c.Flags().BoolVar(&e.json, "json", false, "print one JSON object a line")
	return c
}

func runSchemaCheck(e *env, oldName, newName string) error {
	old, err := validate.Schemas(oldName)
	if err != nil {
		return err
	}
	newer, err := validate.Schemas(newName)
	if err != nil {
		return err
	}
	changes, err := validate.Compare(old, newer)
	if err != nil {
		return err
	}
	readers, writers := validate.Breaks(changes)
	for _, c := range changes {
		if err := e.line(c, "%v", c); err != nil {
			return err
		}
	}
	e.warnf("%s: %d changes break readers, %d break writers", findings.Count(len(changes), "change"), readers, writers)
	if readers+writers > 0 {
		return errFindings
	}
	return nil
}

func newSchemaCodesCmd(e *env) *cobra.Command {
	c := verb("codes [CODE...]", "List finding codes: what they mean and what to do", cobra.ArbitraryArgs, func(_ *cobra.Command, args []string) error {
		for _, code := range args {
			if _, ok := schema.Code(strings.ToUpper(code)); !ok {
				return usagef("code %q is unknown: 'membench schema codes' lists all", code)
			}
		}
		for _, c := range schema.Codes() {
			if len(args) > 0 && !slices.ContainsFunc(args, func(a string) bool { return strings.EqualFold(a, c.Code) }) {
				continue
			}
			meaning, fix := e.texts.code(c)
			if err := e.line(c, "%-8s %-16s %s\n%26s%s", c.Code, c.Severity, meaning, "", fix); err != nil {
				return err
			}
		}
		return nil
	})
	c.Flags().BoolVar(&e.json, "json", false, "print one JSON object a line")
	return c
}
