package probes_test

import (
	"strings"
	"testing"
	"unicode"

	"membench/datasets/probes"
)

// What the text says decides, not only what the claims hold of it.
func TestText(t *testing.T) {
	g := dialogue(t, []line{
		{"ops", "2026-03-02", "赵强", "告警 CPU过高 影响 cart-api。", []string{"AFFECTS Alert:CPU过高 > Service:cart-api"}},
		{"ops", "2026-03-02", "钱敏", "重启以后恢复了。", nil},
		{"ops", "2026-03-03", "赵强", "磁盘满 清理日志 后恢复。", []string{"FIXED_BY Alert:磁盘满 > Action:清理日志"}},
		{"ops", "2026-03-04", "钱敏", "cart-api owner=checkout-squad 负责人没变。", []string{"OWNED_BY Service:cart-api > Team:checkout-squad"}},
		{"ops", "2026-03-05", "赵强", "order-api 和 checkout-squad 没有关系。", nil},
		{"ops", "2026-03-06", "赵强", "我最喜欢的颜色是红色。", []string{"FAVORITE Tag:颜色=红色"}},
		{"talk", "2026-01-05", "Mia", "In May I will see Kyoto.", nil},
		{"talk", "2026-02-05", "Mia", "I like Madrid.", []string{"PREFERS_TOPIC Topic:Madrid"}},
		{"talk", "2026-03-05", "Mia", "I like the Kyoto trip so far.", []string{"PREFERS_TOPIC Topic:Kyoto trip"}},
		{"talk", "2026-03-06", "Mia", "I like Bruges.", []string{"PREFERS_TOPIC Topic:Bruges"}},
		{"talk", "2026-03-07", "Mia", "I have two cats, Luna and Pip.", []string{"HAS_PET Topic:two cats", "HAS_PET Topic:Luna", "HAS_PET Topic:Pip"}},
		{"talk", "2026-03-08", "Mia", "I live in Turku.", []string{"LIVES_IN Place:Turku"}},
		{"talk", "2026-03-09", "Mia", "I live in Oulu now.", []string{"LIVES_IN Place:Oulu"}},
		{"talk", "2026-03-10", "Mia", "I work as a baker.", []string{"WORKS_AS Tag:baker"}},
		{"talk", "2026-03-11", "Mia", "I do not work as a baker any more.", []string{"DOES_NOT_WORK_AS Tag:baker"}},
	})
	seen := map[probes.Type]int{}
	list, count, order := "", "", 0
	for seed := range uint64(8) {
		for _, q := range questions(t, generate(t, g, probes.Options{Searched: 1, Count: 1000, Seed: seed})) {
			seen[q.meta.Type]++
			switch q.meta.Type {
			case probes.WrongAttribute:
				if strings.Contains(q.Text, "CPU过高") && strings.ContainsAny(q.Text, "修复") {
					t.Errorf("the next turn says what ended it: %s", q.Text)
				}
			case probes.Order, probes.Interval:
				if strings.Contains(q.Text, "Kyoto trip") {
					t.Errorf("Kyoto came up before that: %s = %s", q.Text, q.Answer)
				}
				order++
			case probes.Contradiction:
				t.Errorf("news, and no contradiction: %s = %s", q.Text, q.Answer)
			case probes.List:
				if strings.Contains(q.Answer, "Luna") {
					list = q.Answer
				}
			case probes.Count:
				if strings.Contains(q.Text, "animals") {
					count = q.Answer
				}
			}
			if q.c.ConvID == "ops" && !strings.ContainsFunc(q.Text, func(r rune) bool { return strings.ContainsRune("的是什么谁哪在几吗？", r) }) || strings.Contains(q.Text, "“favorite”") {
				t.Errorf("not asked in Chinese: %s", q.Text)
			}
			if q.c.ConvID == "talk" && strings.ContainsFunc(q.Text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
				t.Errorf("not asked in English: %s", q.Text)
			}
		}
	}
	if list != "Luna, Pip" || count != "2" || order == 0 || seen[probes.UpdateNew] == 0 || seen[probes.SingleFact] == 0 {
		t.Errorf("list %q, count %q, %d of order, all %v", list, count, order, seen)
	}
}
