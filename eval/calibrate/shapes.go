package calibrate

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"membench/internal/smallfile"
	"membench/schema"
)

// A Shape is a form of answer of known truth: a template into which right and wrong
// answers are put.
type Shape struct {
	Lang     string // en or zh
	Right    bool   // a judge should accept it
	Name     string
	Template string
}

//go:embed data/shapes.txt
var shapesText string

//go:embed data/cases.txt
var casesText string

// Shapes are the built-in shapes.
func Shapes() []Shape {
	list, err := ReadShapes(shapesText)
	if err != nil {
		panic("calibrate: embedded shapes: " + err.Error()) // own data: a test reads it
	}
	return list
}

// exchange swaps the wrong and the right answer.
var exchange = strings.NewReplacer("{gold}", "{other}", "{other}", "{gold}", "{statement}", "{wrong}", "{wrong}", "{statement}")

// ShapesAnd returns the built-in shapes and those of a file, in the form that ReadShapes parses; "" and "built-in" mean no file.
func ShapesAnd(path string) ([]Shape, error) {
	if path == "" || path == "built-in" {
		return Shapes(), nil
	}
	b, err := smallfile.Read(path)
	if err != nil {
		return nil, err
	}
	own, err := ReadShapes(string(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return append(Shapes(), own...), nil
}

// String is the line from which ReadShapes reads the shape.
func (s Shape) String() string {
	return fmt.Sprintf("%s | %s | %s | %s", s.Lang, truth(s.Right), s.Name, strings.ReplaceAll(s.Template, "\n", `\n`))
}

// ReadShapes parses your own shapes: a line "language | right, wrong or swap | name | template" each; swap is right as written and wrong with the answers
// exchanged; data/shapes.txt lists the parts of a template. Lines that begin with # and empty ones are skipped.
func ReadShapes(text string) ([]Shape, error) {
	var out []Shape
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, "|", 4)
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		switch {
		case len(f) < 4 || f[2] == "" || f[3] == "":
			return nil, schema.Brokenf("line %d: want language | right or wrong | name | template", n)
		case f[0] != "en" && f[0] != "zh":
			return nil, fmt.Errorf("line %d: language: have %q, want en or zh", n, f[0])
		case f[1] != "right" && f[1] != "wrong" && f[1] != "swap":
			return nil, fmt.Errorf("line %d: truth: have %q, want right, wrong or swap", n, f[1])
		}
		if bad := unknownSlot(f[3]); bad != "" {
			return nil, fmt.Errorf("line %d: the template has %s, want {gold}, {other}, {other2} to {other9}, {others}, {many}, {statement}, {wrong} or {question}", n, bad)
		}
		s := Shape{Lang: f[0], Right: f[1] != "wrong", Name: f[2], Template: strings.ReplaceAll(f[3], `\n`, "\n")}
		out = append(out, s)
		if f[1] == "swap" {
			s.Right, s.Name = false, s.Name+", swapped"
			s.Template = exchange.Replace(s.Template)
			out = append(out, s)
		}
	}
	return out, nil
}

func unknownSlot(template string) string {
	for s := template; ; {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			return ""
		}
		j := strings.IndexByte(s[i:], '}')
		if j < 0 {
			return s[i:]
		}
		switch slot := s[i+1 : i+j]; {
		case slot == "gold", slot == "other", slot == "others", slot == "many", slot == "statement", slot == "wrong", slot == "question":
		case len(slot) == 6 && strings.HasPrefix(slot, "other") && slot[5] >= '2' && slot[5] <= '9':
		case strings.ContainsAny(slot, " \"{:,"): // braces of the answer itself
			j = 0
		default:
			return s[i : i+j+1]
		}
		s = s[i+j+1:]
	}
}

// Fill puts a gold and other answers of its kind into the template; "" if there are too few others. say makes a sentence of an answer; nil: none.
func (s Shape) Fill(question, gold string, others []string, say func(string) string) string {
	if say == nil && (strings.Contains(s.Template, "{statement}") || strings.Contains(s.Template, "{wrong}")) {
		return ""
	}
	if len(others) == 0 && (strings.Contains(s.Template, "{other") || strings.Contains(s.Template, "{wrong}") || strings.Contains(s.Template, "{many}")) {
		return ""
	}
	comma := ", "
	if s.Lang == "zh" {
		comma = "、"
	}
	pick := func(i int) string { return others[i%len(others)] }
	list := func(n int) string {
		var out []string
		for i := range n {
			out = append(out, pick(i))
			if i >= len(others)-1 && len(others) > 2 {
				break
			}
		}
		return strings.Join(out, comma)
	}
	r := []string{"{gold}", gold, "{question}", question}
	if len(others) > 0 {
		r = append(r, "{other}", pick(0), "{others}", list(6), "{many}", list(20))
		for i := 2; i <= 9; i++ {
			r = append(r, "{other"+strconv.Itoa(i)+"}", pick(i-1))
		}
	}
	if say != nil {
		r = append(r, sentence("{statement}", say(gold))...)
		if len(others) > 0 {
			r = append(r, sentence("{wrong}", say(pick(0)))...)
		}
	}
	return strings.NewReplacer(r...).Replace(s.Template)
}

// sentence replaces a slot by a sentence, without its full stop where the template continues with it.
func sentence(slot, say string) (pairs []string) {
	bare := strings.TrimRight(say, ".。")
	for _, on := range []string{",", ";", ":", "?", ".", "!", "，", "；", "：", "？", "。", "！", " (", "（", " --", "的"} {
		pairs = append(pairs, slot+on, bare+on)
	}
	return append(pairs, slot, say)
}

// An item is a built-in question with the values that answer it for someone.
type item struct {
	set    string // en, zh, ops en, ops zh
	text   string // question, with the person or device in it
	say    string // sentence, {x} is the value
	values [][]string
}

// items are the built-in questions: invented.
func items() []item {
	lists := map[string][]string{}
	var out []item
	for line := range strings.Lines(casesText) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, " | ")
		if len(f) == 2 {
			lists[f[0]] = strings.Split(f[1], ";")
			continue
		}
		var values [][]string
		for _, v := range strings.Split(f[3], ";") {
			values = append(values, strings.Split(strings.TrimSpace(v), " = "))
		}
		slot, names := "{p}", lists["people "+strings.TrimPrefix(f[0], "ops ")]
		if strings.HasPrefix(f[0], "ops") {
			slot, names = "{d}", lists["devices"]
		}
		for _, name := range names {
			out = append(out, item{f[0], strings.ReplaceAll(f[1], slot, name), strings.ReplaceAll(f[2], slot, name), values})
		}
	}
	return out
}

// BuiltIn are the built-in questions as records, each with every shape of its language
// that can be made, and the bare values in their other spellings. Only the sets named
// are used, and at most each answers of a shape and set; 0 is all.
func BuiltIn(shapes []Shape, sets []string, each int) ([]Planted, error) {
	known := map[string]bool{}
	all := items()
	for _, it := range all {
		known[it.set] = true
	}
	for i, s := range sets {
		if sets[i] = strings.TrimSpace(s); !known[sets[i]] {
			return nil, fmt.Errorf("have %q, want en, zh, ops en or ops zh", s)
		}
	}
	var out []Planted
	have := map[string]int{}
	// full reports whether a set has all its answers of a shape; making one costs far more than checking.
	full := func(it item, s Shape) bool { return each > 0 && have[it.set+"\x00"+s.Name] >= each }
	for k, it := range all {
		if !slices.Contains(sets, it.set) {
			continue
		}
		i := k % len(it.values)
		gold := it.values[i][0]
		var others []string
		for j := 1; j < len(it.values); j++ {
			others = append(others, it.values[(i+j)%len(it.values)][0])
		}
		r := schema.QARecord{Dataset: "built-in", CaseID: it.set, QuestionID: strconv.Itoa(k), Question: it.text, Gold: gold}
		add := func(s Shape, answer string) {
			if answer != "" && !full(it, s) {
				have[it.set+"\x00"+s.Name]++
				out = append(out, Planted{Record: r, Set: it.set, Shape: s, Answer: answer})
			}
		}
		lang := it.set[len(it.set)-2:]
		say := func(x string) string { return strings.ReplaceAll(it.say, "{x}", x) }
		for _, s := range shapes {
			if s.Lang == lang && !full(it, s) {
				add(s, s.Fill(it.text, gold, others, say))
			}
		}
		for _, other := range it.values[i][1:] {
			add(Shape{lang, true, "another spelling", ""}, other)
			add(Shape{lang, true, "another spelling in a sentence", ""}, say(other))
		}
		for _, other := range others {
			add(Shape{lang, false, "any other of its kind", ""}, other)
		}
	}
	return out, nil
}

// Planted is one answer of known truth.
type Planted struct {
	Record schema.QARecord
	Set    string // en, zh, ops en, ops zh
	Shape  Shape
	Answer string
}
