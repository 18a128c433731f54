package claims

import (
	"context"
	"slices"
	"strings"
	"testing"

	"membench/schema"
	"membench/schema/catalog"
)

// TestChineseStates: 了 says that a state began; 过, 以前 and verbs of leaving say that it is over. What is left is what stands behind 从.
func TestChineseStates(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"我养了一只猫，叫年糕。", "HAS_PET 猫，叫年糕"},
		{"我刚养了一只狗。", "HAS_PET 狗"},
		{"我养过一只猫。", "HAS_NO_PET 猫"},
		{"我以前养了一只兔子。", "HAS_NO_PET 兔子"},
		{"我不养猫了。", "HAS_NO_PET 猫"},
		{"我养的猫死了。", ""},
		{"我上周从火锅店离职了，现在在书店上班。", "DOES_NOT_WORK_AT 火锅店; WORKS_AT 书店"},
		{"我离职了。", ""},
		{"我辞职去读书了。", ""},
		{"我在书店上班了。", "WORKS_AT 书店"},
		{"我在银行工作了三年。", ""},
		{"我以前在银行工作。", "DOES_NOT_WORK_AT 银行"},
		{"我搬离了苏州。", "DOES_NOT_LIVE_IN 苏州"},
		{"我从苏州搬走了。", "DOES_NOT_LIVE_IN 苏州"},
		{"我从北京搬到杭州了。", "LIVES_IN 杭州"},
		{"我结婚了。", "HAS_STATUS 结婚"},
		{"我有女朋友了。", "HAS_RELATIVE 女朋友"},
		{"我卖保险。", ""},
		{"我把车卖了。", "DOES_NOT_OWN 车; HAS_NOT 车"},
		{"我把我的车卖了。", "DOES_NOT_OWN 车; HAS_NOT 车"},
		{"我把狗送人了。", "HAS_NO_PET 狗"},
		{"我辞掉了银行的工作。", "DOES_NOT_WORK_AT 银行"},
		{"我下个月打算养一只狗。", "PLANS 养一只狗"},
		{"我在成都住了五年了。", "LIVES_IN 成都"},
		{"I quit.", ""},
		// Read once, after the rules were written; the value of 退休 was wrong then.
		{"去年我领养了一条狗。", "HAS_PET 狗"},
		{"我从学校退休了。", "DOES_NOT_WORK_AT 学校; HAS_STATUS 退休"},
		{"我跳槽到阿里了。", ""},
		{"我曾经住在上海。", "DOES_NOT_LIVE_IN 上海"},
		{"我住上海了。", "LIVES_IN 上海"},
		{"我以前是护士。", "DOES_NOT_WORK_AS 护士"},
		{"我卖掉了自行车。", "DOES_NOT_OWN 自行车; HAS_NOT 自行车"},
	} {
		m := Memory{ID: "mem:1", Point: "1", Speaker: schema.Ref{Type: schema.LabelUser, ID: "user:w"}, Text: tc.text}
		m.Fields.CreatedAt = "2025-06-10T19:02:00Z"
		a, err := Rule(catalog.Default(), schema.Latest).Extract(context.Background(), Chunk{Memories: []Memory{m}})
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, s := range a.Statements {
			if c := s.Claim; c != nil && c.Status == schema.StatusActive && c.Predicate != "DID" {
				have = append(have, c.Predicate+" "+schema.NameOf(c.Object.ID))
			}
		}
		slices.Sort(have)
		if got := strings.Join(have, "; "); got != tc.want {
			t.Errorf("%s: have %q, want %q", tc.text, got, tc.want)
		}
	}
}
