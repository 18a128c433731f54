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
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/findings"
	"membench/schema/validate"

	"github.com/spf13/cobra"
)

func newSchemaCmd(e *env) *cobra.Command {
	return parent(&cobra.Command{
		Use:   "schema",
		Short: "List, show, export and compare the published JSON Schemas",
		Long: `The published contracts: JSON Schemas (2020-12), one per kind of record and
version, built into the program. 'validate' checks files against them.`,
	}, newSchemaListCmd(e), newSchemaShowCmd(e), newSchemaExportCmd(e), newSchemaCheckCmd(e), newSchemaCodesCmd(e))
}

func newSchemaListCmd(e *env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List kinds of records, their versions and what they are",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return runSchemaList(e, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

type schemaRow struct {
	Kind    schema.Kind    `json:"kind"`
	Version schema.Version `json:"version"`
	ID      string         `json:"id"`
	Title   string         `json:"title"`
	Text    string         `json:"description"`
}

func runSchemaList(e *env, asJSON bool) error {
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
			if asJSON {
				if err := codec.WriteLine(e.text(), row); err != nil {
					return err
				}
				continue
			}
			first, _, _ := strings.Cut(row.Text, ". ")
			if _, err := fmt.Fprintf(e.text(), "%-13s %s  %s\n", row.Kind, row.Version, strings.TrimSuffix(first, ".")); err != nil {
				return err
			}
		}
	}
	return nil
}

func parseKind(s string) (schema.Kind, error) {
	k := schema.Kind(s)
	if !slices.Contains(schema.Kinds(schema.Latest), k) {
		return "", usagef("kind %q is unknown: have %s", s, kindList())
	}
	return k, nil
}

func newSchemaShowCmd(e *env) *cobra.Command {
	v := schema.Latest
	c := &cobra.Command{
		Use:   "show KIND|FILE|catalog",
		Short: "Print the JSON Schema of a kind of record or file, or the built-in catalogue",
		Long: `Print the JSON Schema of one kind of record, or of a file that people write: membench.yaml,
eval.yaml, catalog.yaml (a catalogue of your own) or service.yaml. Editors check and
complete a file whose first line names its schema:

  # yaml-language-server: $schema=membench.schema.json`,
		Example: `  membench schema show claim --version 0.0.1
  membench schema show membench.yaml > membench.schema.json
  membench schema show catalog        predicates, entity types, labels and edge types, as YAML`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
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
		},
	}
	c.Flags().Var(versionFlag{&v}, "version", "schema `version`")
	return c
}

func newSchemaExportCmd(e *env) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "export",
		Short: "Write every schema of every version into a folder",
		Long: `Write every schema of every version into a folder, as v<version>/<kind>.schema.json,
and the built-in vocabulary as catalog.yaml: for validators of other languages, and for
'schema check' against a later version.`,
		Example: "  membench schema export -o schemas",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if dir == "" {
				return usagef("-o is required: the folder to write to")
			}
			return runSchemaExport(e, dir)
		},
	}
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
	var asJSON bool
	c := &cobra.Command{
		Use:   "check OLD NEW",
		Short: "Say whether readers or writers break between two versions",
		Long: `Compare two versions of the schemas: published ones by number, or folders of
<kind>.schema.json files. For each kind and member it says what changed and whom it
breaks:

  readers   a program made for OLD cannot rely on all that NEW allows
  writers   what a program made for OLD writes is not always valid in NEW

Exit status 3 if anything breaks.`,
		Example: `  membench schema check 0.0.1 0.1.0
  membench schema check published/v0.1.0 0.1.0     in CI: has the contract moved?`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return runSchemaCheck(e, args[0], args[1], asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

// readSchemas takes a published version or a folder.
func readSchemas(name string) (map[schema.Kind][]byte, error) {
	out := map[schema.Kind][]byte{}
	if v, err := schema.ParseVersion(name); err == nil {
		for _, k := range schema.Kinds(v) {
			text, err := schema.JSONSchema(k, v)
			if err != nil {
				return nil, err
			}
			out[k] = text
		}
		return out, nil
	}
	files, err := filepath.Glob(filepath.Join(name, "*.schema.json"))
	if err != nil || len(files) == 0 {
		return nil, usagef("%s is neither a published version %v nor a folder with *.schema.json files", name, schema.Versions())
	}
	for _, f := range files {
		text, err := smallfile.Read(f)
		if err != nil {
			return nil, err
		}
		out[schema.Kind(strings.TrimSuffix(filepath.Base(f), ".schema.json"))] = text
	}
	return out, nil
}

func runSchemaCheck(e *env, oldName, newName string, asJSON bool) error {
	old, err := readSchemas(oldName)
	if err != nil {
		return err
	}
	newer, err := readSchemas(newName)
	if err != nil {
		return err
	}
	changes, err := validate.Compare(old, newer)
	if err != nil {
		return err
	}
	readers, writers := 0, 0
	for _, c := range changes {
		switch c.Breaks {
		case validate.BreaksReaders:
			readers++
		case validate.BreaksWriters:
			writers++
		case validate.BreaksBoth:
			readers++
			writers++
		}
		if asJSON {
			if err := codec.WriteLine(e.text(), c); err != nil {
				return err
			}
			continue
		}
		breaks := "fine"
		if c.Breaks != "" {
			breaks = "breaks " + c.Breaks
		}
		at := string(c.Kind)
		if c.Pointer != "" {
			at += " " + c.Pointer
		}
		if _, err := fmt.Fprintf(e.text(), "%-14s  %s: %s\n", breaks, at, c.What); err != nil {
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
	var asJSON bool
	c := &cobra.Command{
		Use:     "codes [CODE...]",
		Short:   "List finding codes: what they mean and what to do",
		Example: "  membench schema codes ID010 LNK001",
		RunE: func(_ *cobra.Command, args []string) error {
			for _, code := range args {
				if _, ok := schema.Code(strings.ToUpper(code)); !ok {
					return usagef("code %q is unknown: 'membench schema codes' lists all", code)
				}
			}
			for _, c := range schema.Codes() {
				if len(args) > 0 && !slices.ContainsFunc(args, func(a string) bool { return strings.EqualFold(a, c.Code) }) {
					continue
				}
				if asJSON {
					if err := codec.WriteLine(e.text(), c); err != nil {
						return err
					}
					continue
				}
				meaning, fix := e.texts.code(c)
				if _, err := fmt.Fprintf(e.text(), "%-8s %-16s %s\n%26s%s\n", c.Code, c.Severity, meaning, "", fix); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}
