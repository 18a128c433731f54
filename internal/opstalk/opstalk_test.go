package opstalk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"membench/schema/catalog"
)

type devClaim struct {
	Predicate, Subject, Object string
	SubjectAlt                 []string `json:"subject_alt"`
	ObjectAlt                  []string `json:"object_alt"`
	Or                         []devClaim
}

type devLine struct {
	Text, Context string
	Claims        []devClaim
}

// half is A or B by the hash of the text: rules are tuned on A, B is only counted.
func (l devLine) half() string {
	h := fnv.New32a()
	h.Write([]byte(l.Text))
	return string("AB"[h.Sum32()>>16&1])
}

// says reports whether a statement is this claim: the predicate is the same, and subject
// and object are named in about the same words.
func (c devClaim) says(s Statement, context string) bool {
	cat := catalog.Default()
	predicate := s.Predicate
	if s.Denied {
		predicate = cat.Predicates[predicate].Negative
	}
	for _, o := range c.Or {
		if o.says(s, context) {
			return true
		}
	}
	subject := append(slices.Clone(c.SubjectAlt), c.Subject)
	named := slices.ContainsFunc(subject, func(w string) bool { return sameWords(w, s.Subject.Name) }) || c.Subject == "context" && strings.Contains(context, s.Subject.Name)
	return predicate == c.Predicate && named && slices.ContainsFunc(append(slices.Clone(c.ObjectAlt), c.Object), func(w string) bool { return sameWords(w, s.Object.Name) })
}

// sameWords holds when the words of one cover at least half of those of the other, both
// ways; Chinese counts characters.
func sameWords(a, b string) bool {
	x, y := words(a), words(b)
	n := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			n++
		}
	}
	return n > 0 && 2*n >= len(x) && 2*n >= len(y)
}

func words(s string) (out []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if w[0] < 0x80 {
			out = append(out, w)
			continue
		}
		for _, r := range w {
			out = append(out, string(r))
		}
	}
	return out
}

// TestDev measures the rules on invented talk (testdata/ops.jsonl; what counts is in
// internal/clause/testdata/dev/README.md). -v lists the misses and wrongs of half A.
func TestDev(t *testing.T) {
	floor := map[string]struct{ precision, recall float64 }{"A": {0.97, 0.90}, "B": {0.95, 0.86}}
	b, err := os.ReadFile("testdata/ops.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	type sum struct{ asked, found, made, right int }
	sums := map[string]*sum{"A": {}, "B": {}}
	for line := range bytes.Lines(b) {
		var l devLine
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		var o Options
		o.Alert, o.Thing = o.Spoken(l.Context)
		got, s := Read(l.Text, o), sums[l.half()]
		for _, g := range got {
			s.made++
			if slices.ContainsFunc(l.Claims, func(c devClaim) bool { return c.says(g, l.Context) }) {
				s.right++
			} else if l.half() == "A" {
				t.Logf("WRONG %s\n  %s %v %s %s", l.Text, g.Subject.Name, g.Denied, g.Predicate, g.Object.Name)
			}
		}
		for _, c := range l.Claims {
			s.asked++
			if slices.ContainsFunc(got, func(g Statement) bool { return c.says(g, l.Context) }) {
				s.found++
			} else if l.half() == "A" {
				t.Logf("MISSED [%s] %s\n  %s %s %s", l.Context, l.Text, c.Subject, c.Predicate, c.Object)
			}
		}
	}
	for half, s := range sums {
		precision, recall := float64(s.right)/float64(max(1, s.made)), float64(s.found)/float64(max(1, s.asked))
		t.Logf("ops %s: precision %.3f of %d, recall %.3f of %d", half, precision, s.made, recall, s.asked)
		if precision < floor[half].precision || recall < floor[half].recall {
			t.Errorf("half %s: precision %.3f recall %.3f, want %v", half, precision, recall, floor[half])
		}
	}
}

// Each line: text => what it says, or nothing.
const said = `
MQ堆积不是流量突增造成的，是消费端 GC 停顿。 => MQ堆积 !CAUSED_BY 流量突增; MQ堆积 CAUSED_BY 消费端 GC 停顿
CheckoutErrorRate was fixed by rolling back cart-api. => CheckoutErrorRate FIXED_BY rolling back cart-api
mailer 不归我们组，是增长组的。 => mailer OWNED_BY 增长组; mailer !OWNED_BY 我们组
order-api depends on pgbouncer, and pgbouncer depends on pay-db. => order-api DEPENDS_ON pgbouncer; pgbouncer DEPENDS_ON pay-db
我怀疑 CheckoutErrorRate 是证书过期引起的。 =>
Maybe CheckoutErrorRate was caused by the CDN. =>
我迟到是堵车导致的。 =>
Alarm CPU_HIGH on web-1, ticket TT-1. => CPU_HIGH AFFECTS web-1
Alarm FAN_FAIL on core-sw-9, interface Gi0/2. => FAN_FAIL AFFECTS core-sw-9
Alarm DISK_FULL on db-7, cart and mail. => DISK_FULL AFFECTS cart; DISK_FULL AFFECTS db-7; DISK_FULL AFFECTS mail
The service cart runs on host web-7. => cart RUNS_ON web-7
billing depends on auth-api and on ledger. => billing DEPENDS_ON auth-api; billing DEPENDS_ON ledger
We swapped the fan and FAN_FAIL cleared. => FAN_FAIL FIXED_BY swapped the fan
We moved ledger to db-2. => ledger RUNS_ON db-2
We raised the memory threshold of cache-01 from 90% to 85%. => cache-01 HAS_SETTING memory threshold=85%
cache-02 内存告警阈值从 90% 调到 85% => cache-02 HAS_SETTING 内存告警阈值=85%
SW-CORE-07 GE0/0/1 down 的原因是光模块故障 => SW-CORE-07 GE0/0/1 down CAUSED_BY 光模块故障
cache-02 内存告警由大 key 导致，清理后恢复 => cache-02 内存 CAUSED_BY 大 key; cache-02 内存 FIXED_BY 清理
mail-gw 部署在 10.20.3.15 上，负责人是张敏 => mail-gw RUNS_ON 10.20.3.15
我下周休假，mail-gw 负责人改为刘洋 => mail-gw OWNED_BY 刘洋
order-api v2.1.0 CPU 98%，GigabitEthernet0/0/1 down =>
`

func TestRead(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(said)) {
		text, want, _ := strings.Cut(line, "=>")
		var got []string
		for _, s := range Read(strings.TrimSpace(text), Options{}) {
			got = append(got, fmt.Sprintf("%s %s%s %s", s.Subject.Name, map[bool]string{true: "!"}[s.Denied], s.Predicate, s.Object.Name))
		}
		slices.Sort(got)
		wants := strings.Split(strings.TrimSpace(want), "; ")
		slices.Sort(wants)
		if g := strings.Join(got, "; "); g != strings.Join(wants, "; ") {
			t.Errorf("%s\nhave %s\nwant %s", text, g, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("CheckoutErrorRate 的根因是磁盘写满，不是网络。")
	f.Add("[FIRING] DiskUsageCritical instance=node-17")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range Read(text, Options{Alert: "A", Thing: "b-1"}) {
			if !s.Object.ok() || s.Predicate == "" || s.Subject.Type == "" {
				t.Fatalf("%q: %+v", text, s)
			}
		}
	})
}
