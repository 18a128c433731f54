// Formatsdoc writes docs/formats.md from the published schemas, the catalogue and the codes of findings.
//
//	go run -C tools ./formatsdoc
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/catalog"
)

func main() {
	out := flag.String("o", "../docs/formats.md", "write to this `file`")
	flag.Parse()
	text, err := formatsDoc()
	if err == nil {
		err = os.WriteFile(*out, text, 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "formatsdoc:", err)
		os.Exit(1)
	}
}

// schemaDoc is what the documentation needs of a schema, members in order.
type schemaDoc struct {
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Type        any               `json:"type"`
	Const       any               `json:"const"`
	Enum        []any             `json:"enum"`
	Minimum     any               `json:"minimum"`
	Maximum     any               `json:"maximum"`
	Pattern     string            `json:"pattern"`
	Format      string            `json:"format"`
	Required    []string          `json:"required"`
	Properties  schema.Object     `json:"properties"`
	Items       *schemaDoc        `json:"items"`
	AnyOf       []schemaDoc       `json:"anyOf"`
	Ref         string            `json:"$ref"`
	Warn        *schemaDoc        `json:"x-warn"`
	Examples    []json.RawMessage `json:"examples"`
	Extra       schema.Extra      `json:",embed"`
}

func readSchema(k schema.Kind, v schema.Version) (schemaDoc, error) {
	var d schemaDoc
	text, err := schema.JSONSchema(k, v)
	if err != nil {
		return d, err
	}
	if err := codec.Unmarshal(text, &d); err != nil {
		return d, fmt.Errorf("schema %s %s: %w", k, v, err)
	}
	return d, nil
}

// formatsDoc is the text of docs/formats.md.
func formatsDoc() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(formatsHead)
	b.WriteString("| kind | description | versions |\n|---|---|---|\n")
	for _, k := range schema.Kinds(schema.Latest) {
		d, err := readSchema(k, schema.Latest)
		if err != nil {
			return nil, err
		}
		var vs []string
		for _, v := range schema.Versions() {
			if slices.Contains(schema.Kinds(v), k) {
				vs = append(vs, string(v))
			}
		}
		text, _, _ := strings.Cut(d.Description, ". ")
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", k, anchor(d.Title), cell(strings.TrimSuffix(text, ".")), strings.Join(vs, ", "))
	}
	for _, k := range schema.Kinds(schema.Latest) {
		d, err := readSchema(k, schema.Latest)
		if err != nil {
			return nil, err
		}
		var olds []atVersion
		for _, v := range schema.Versions() {
			if v != schema.Latest && slices.Contains(schema.Kinds(v), k) {
				old, err := readSchema(k, v)
				if err != nil {
					return nil, err
				}
				olds = append(olds, atVersion{v, &old})
			}
		}
		url := schema.SchemaURL(k, schema.Latest)
		_, file, _ := strings.Cut(url, "/schema/")
		fmt.Fprintf(&b, "\n## %s\n\nKind `%s`, schema [`%s`](../schema/%s). %s\n", d.Title, k, url, file, d.Description)
		b.WriteString("\n| member | type | required | since | meaning |\n|---|---|---|---|---|\n")
		memberRows(&b, "", &d, olds)
		b.WriteString("\n```json\n")
		for _, x := range d.Examples {
			b.Write(codec.AppendLayout(nil, x, layoutOfKind(k)))
			b.WriteByte('\n')
		}
		b.WriteString("```\n")
	}
	b.WriteString(formatsIDs)
	catalogDoc(&b)
	codesDoc(&b)
	return b.Bytes(), nil
}

func layoutOfKind(k schema.Kind) codec.Layout {
	switch k {
	case schema.KindClaim, schema.KindEntity:
		return codec.Compact
	case schema.KindIndex, schema.KindManifest, schema.KindMeta:
		return codec.Indented
	}
	return codec.Spaced
}

func anchor(title string) string { return strings.ReplaceAll(strings.ToLower(title), " ", "-") }

func cell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "|", "\\|"), "\n", " ")
}

// atVersion is a schema, or a part of one, as a version has it.
type atVersion struct {
	v schema.Version
	d *schemaDoc
}

// memberRows writes a row for each member and those inside it. olds are the older
// versions that have what d describes, oldest first.
func memberRows(b *bytes.Buffer, prefix string, d *schemaDoc, olds []atVersion) {
	if d.Items != nil && d.Items.Properties.Len() > 0 {
		var in []atVersion
		for _, o := range olds {
			if o.d.Items != nil {
				in = append(in, atVersion{o.v, o.d.Items})
			}
		}
		memberRows(b, prefix+"[].", d.Items, in)
		return
	}
	for name, raw := range d.Properties.Members() {
		var p schemaDoc
		if codec.Unmarshal(raw, &p) != nil {
			continue // unreachable: schemas are checked by a test
		}
		since := string(schema.Latest)
		var in []atVersion
		for _, o := range olds {
			var was schemaDoc
			if r, ok := o.d.Properties.Get(name); ok && codec.Unmarshal(r, &was) == nil {
				in = append(in, atVersion{o.v, &was})
			}
		}
		if len(in) > 0 {
			since = string(in[0].v)
		}
		required := ""
		if slices.Contains(d.Required, name) {
			required = "yes"
		}
		text := p.Description
		if len(p.Enum) > 0 && !mentionsAll(text, p.Enum) {
			text += " One of " + codeList(p.Enum) + "."
		}
		if len(in) > 0 && in[0].v == schema.V001 && in[0].d.Warn != nil && len(in[0].d.Warn.Enum) > 0 {
			text += " 0.0.1 documents " + codeList(in[0].d.Warn.Enum) + "; others are a warning."
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s | %s | %s |\n", prefix, name, cell(typeText(&p)), required, since, cell(text))
		switch {
		case p.Properties.Len() > 0:
			memberRows(b, prefix+name+".", &p, in)
		case p.Items != nil && p.Items.Properties.Len() > 0:
			memberRows(b, prefix+name, &p, in)
		}
	}
}

func mentionsAll(text string, values []any) bool {
	for _, v := range values {
		if s, ok := v.(string); ok && !strings.Contains(text, s) {
			return false
		}
	}
	return true
}

func codeList(values []any) string {
	var out []string
	for _, v := range values {
		if v != nil {
			out = append(out, fmt.Sprintf("`%v`", v))
		}
	}
	return strings.Join(out, ", ")
}

func typeText(p *schemaDoc) string {
	var t string
	switch x := p.Type.(type) {
	case string:
		t = x
	case []any:
		var out []string
		for _, v := range x {
			out = append(out, fmt.Sprint(v))
		}
		t = strings.Join(out, " or ")
	default:
		switch {
		case p.Const != nil:
			return fmt.Sprintf("`%v`", p.Const)
		case len(p.AnyOf) > 0:
			var out []string
			for _, a := range p.AnyOf {
				out = append(out, strings.TrimSuffix(a.Ref, ".schema.json"))
			}
			return strings.Join(out, " or ")
		}
	}
	if t == "array" && p.Items != nil {
		t = typeText(p.Items) + "[]"
	}
	if p.Minimum != nil && p.Maximum != nil {
		t += fmt.Sprintf(" %v–%v", p.Minimum, p.Maximum)
	} else if p.Minimum != nil {
		t += fmt.Sprintf(" ≥ %v", p.Minimum)
	}
	if p.Format != "" {
		t += ", " + p.Format
	}
	return t
}

func catalogDoc(b *bytes.Buffer) {
	c := catalog.Default()
	b.WriteString(formatsCatalog)
	b.WriteString("### Predicates\n\n| predicate | negative | domain | subjects | objects | one at a time | since | meaning |\n|---|---|---|---|---|---|---|---|\n")
	for _, name := range catalog.Sorted(c.Predicates) {
		p := c.Predicates[name]
		subjects := p.Subjects
		if len(subjects) == 0 {
			subjects = catalog.People()
		}
		fmt.Fprintf(b, "| `%s` | `%s` | %s | %s | %s | %s | %s | %s; %s |\n", name, p.Negative, p.Domain, strings.Join(subjects, ", "), strings.Join(p.Objects, ", "), p.Single, p.Since, cell(p.Doc), cell(p.DocZH))
	}
	b.WriteString("\n### Entity types\n\n| type | id | since | meaning |\n|---|---|---|---|\n")
	for _, name := range catalog.Sorted(c.Entities) {
		t := c.Entities[name]
		id := t.Prefix + ":{" + t.Key + "}"
		if len(t.Parts) > 0 {
			id = t.Prefix + ":{" + strings.Join(t.Parts, "}"+t.Separator+"{") + "}"
		}
		fmt.Fprintf(b, "| %s | `%s` | %s | %s |\n", name, id, t.Since, cell(t.Doc))
	}
	b.WriteString("\n### Node labels\n\n| label | id | since | properties in order |\n|---|---|---|---|\n")
	for _, name := range catalog.Sorted(c.Labels) {
		l := c.Labels[name]
		fmt.Fprintf(b, "| %s | `%s:…` | %s | %s |\n", name, l.Prefix, l.Since, strings.Join(l.Props, ", "))
	}
	b.WriteString("\n### Edge types\n\n| type | from | to | since | until | properties in order |\n|---|---|---|---|---|---|\n")
	for _, name := range catalog.Sorted(c.Edges) {
		t := c.Edges[name]
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s |\n", name, any2(t.From), any2(t.To), t.Since, t.Until, strings.Join(t.Props, ", "))
	}
}

func any2(labels []string) string {
	return strings.ReplaceAll(strings.Join(labels, ", "), "*", "any entity")
}

func codesDoc(b *bytes.Buffer) {
	b.WriteString("\n## Finding codes\n\nA finding is printed as `path:line:col: /json/pointer: CODE: message (have …, want …)`. Lines and columns count from 1, columns in code points.\nErrors make `validate` exit with status 3; warnings do not.\n\n| code | severity | meaning | what to do |\n|---|---|---|---|\n")
	for _, c := range schema.Codes() {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", c.Code, c.Severity, cell(c.Meaning), cell(c.Do))
	}
}

const formatsHead = `<!-- Written by "go run -C tools ./formatsdoc" from schema/v*/*.json and the catalogue. Do not edit. -->

# Formats

Each step of the chain reads and writes one JSON record per line (JSON Lines, UTF-8). The
formats are JSON Schemas (draft 2020-12) built into the program. ` + "`membench schema export -o DIR`" + `
writes them to a folder. ` + "`membench validate PATH`" + ` checks files against them and against rules that a
schema cannot express (see the finding codes at the end).

Three versions are published. **0.0.1** is the data schema of 2026-02-25. Files of that time
contain values that it does not document; the schema accepts them, ` + "`x-warn`" + ` lists the documented
values, and any other value is reported as the warning SCH020. **0.1.0** and **0.2.0** add the members marked so in the column "since".
In 0.2.0 the subject of a claim is the speaker, by name and conversation, unless a user or agent is declared.
Members that are not listed are allowed in every record. They are kept and written after the known ones.

Claims and entities are written with the separators ` + "`,` and `:`" + `, all other records with ` + "`, ` and `: `" + `.
Index, manifest and meta files are indented by two spaces. Only ` + "`\"`, `\\` and control characters" + ` are escaped.

`

const formatsIDs = `
## Ids

` + "```text" + `
simple = prefix ":" seg                          tag:马克杯   user:xnne   mem:<md5 of the text>
claim  = "claim:" PRED "|" seg "|" simple "|" simple
edge   = "edge:" TYPE ":" node ":" node
node   = claim | simple | compound
compound = "event:" conv ":" turn | "session:" conv ":" session | "chapter:" work "#" title | "person:" conv "/" name
         | "dom:" root ":" domain | "pred:" root ":" domain ":" PRED
` + "```" + `

A seg is free text, escaped once: ` + "`%`, `|`, `:`" + `, control characters, U+2028 and U+2029 become
` + "`%XX`" + ` (upper-case hex of the UTF-8 bytes); ` + "`#`" + ` is escaped too in the parts of a chapter. Names are first normalised to NFC
and trimmed, and runs of white space become one space; memory texts are hashed unchanged.
` + "`validate`" + ` recomputes every id. Version 0.0.1 joins the parts raw: a raw ` + "`:`, `|` or `%`" + ` in
a part is the warning ID010, and two things with one id are the error ID001. Ids are at most 4,000 bytes.
`

const formatsCatalog = `
## Catalogue

The vocabulary of claims and graphs is data: [schema/catalog/catalog.yaml](../schema/catalog/catalog.yaml).
A file of the same shape adds terms (` + "`--catalog FILE`" + `). It cannot change built-in terms:

` + "```yaml" + `
version: 1
domains:
  sport: {doc: "teams and matches", since: 0.1.0}
entities:
  Team: {prefix: team, key: name, since: 0.1.0, doc: "a team"}
predicates:
  SUPPORTS_TEAM: {domain: sport, objects: [Team], negative: DOES_NOT_SUPPORT_TEAM, since: 0.1.0, doc: "is a fan of"}
labels:
  Team: {prefix: team, since: 0.1.0}
` + "```" + `

"One at a time": always = one object per subject; rank = one per subject and rank; name = one value per
subject and name of "name=value" objects; empty = many.

`
