package explain_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"membench/schema"
)

// Invented dialogues, half of them Chinese: each session tells some facts of two
// people among small talk, and each fact is asked for once; some questions take two.

type kind struct{ said, asked string } // %[1]s who, %[2]s the value

type tongue struct {
	people []string
	kinds  []kind
	values [][]string
	talk   []string
	both   string // a question over two people: %[1]s, %[2]s
}

var tongues = []tongue{
	{
		people: []string{"Iris", "Tomas"},
		kinds: []kind{
			{"Guess what, I finally adopted a pet: %[2]s. My evenings are louder now.", "What did %[1]s adopt?"},
			{"I signed up for a course, %[2]s, and the first lesson went well.", "Which course did %[1]s sign up for?"},
			{"We are leaving on holiday to %[2]s once the tickets are paid.", "Where does %[1]s go on holiday?"},
			{"My new colleague is called %[2]s and sits right by the window.", "What is %[1]s's new colleague called?"},
			{"The landlord raised the rent, so from spring I pay %[2]s a month.", "What rent does %[1]s pay a month?"},
			{"I repaired something old at last, namely %[2]s, with my own hands.", "What did %[1]s repair?"},
		},
		values: [][]string{
			{"a three-legged greyhound", "two noisy budgerigars", "a grey lop rabbit", "an elderly tortoise", "a ginger kitten", "a blind spaniel", "a pair of ferrets", "a stick insect colony"},
			{"underwater welding", "medieval calligraphy", "beginner's Finnish", "bread baking", "glass blowing", "celestial navigation", "mushroom growing", "clock making"},
			{"the Faroe Islands", "northern Portugal", "Lake Ohrid", "the Lofoten coast", "Tasmania", "the Azores", "Svaneti", "the Outer Hebrides"},
			{"Bartholomew Quist", "Oyelaran Adeyemi", "Henrike Solberg", "Marisol Etxebarria", "Casimir Wrona", "Ottoline Frayne", "Dashiell Kopp", "Ingeborg Thule"},
			{"1140 euros", "865 euros", "1320 euros", "978 euros", "2075 euros", "745 euros", "1610 euros", "599 euros"},
			{"a walnut gramophone", "the cellar pump", "grandfather's barometer", "a leaking canoe", "the brass telescope", "an enamel stove", "a cracked cello", "the weather vane"},
		},
		talk: []string{"How was your week?", "Same as ever, busy but fine.", "That sounds lovely, tell me more.", "I slept badly because of the storm.", "Let us catch up properly soon.", "The bus was late again this morning.", "Really? I had no idea!", "Work keeps me on my toes."},
		both: "What did %[1]s and %[2]s each repair?",
	},
	{
		people: []string{"林晓", "周航"},
		kinds: []kind{
			{"跟你说个好消息，我终于领养了%[2]s，晚上家里热闹多了。", "%[1]s领养了什么？"},
			{"我报名参加了%[2]s课程，第一节课上得很顺利。", "%[1]s报名了什么课程？"},
			{"票买好之后，我们打算去%[2]s度假。", "%[1]s去哪里度假？"},
			{"新来的同事叫%[2]s，座位就在窗户旁边。", "%[1]s的新同事叫什么？"},
			{"房东又涨价了，从春天起我每月要付%[2]s房租。", "%[1]s每月付多少房租？"},
			{"我总算亲手修好了%[2]s，折腾了整整两天。", "%[1]s修好了什么？"},
		},
		values: [][]string{
			{"三条腿的灰狗", "一对虎皮鹦鹉", "灰色垂耳兔", "年迈的陆龟", "橘色小奶猫", "失明的猎犬", "两只雪貂", "一窝竹节虫"},
			{"水下焊接", "欧体书法", "芬兰语入门", "面包烘焙", "玻璃吹制", "天文导航", "蘑菇栽培", "钟表维修"},
			{"涠洲岛", "喀纳斯湖畔", "黔东南苗寨", "泉州古城", "敦煌戈壁", "嵊泗列岛", "阿尔山林区", "腾冲温泉"},
			{"欧阳秉谦", "慕容雪霁", "司徒望舒", "端木怀瑾", "诸葛明远", "皇甫清和", "尉迟长风", "上官若水"},
			{"1140元", "865元", "1320元", "978元", "2075元", "745元", "1610元", "599元"},
			{"胡桃木留声机", "地窖水泵", "爷爷的气压计", "漏水的独木舟", "黄铜望远镜", "搪瓷煤炉", "开裂的大提琴", "屋顶风向标"},
		},
		talk: []string{"这周过得怎么样？", "老样子，忙是忙，还行。", "听起来真不错，多讲讲。", "昨晚打雷，没睡好。", "改天好好聚一聚。", "今早公交又晚点了。", "真的吗？我完全不知道！", "工作上总有新花样。"},
		both: "%[1]s和%[2]s各修好了什么？",
	},
}

// invented makes n cases of thirteen questions each.
func invented(n int) []schema.Case {
	rng := rand.New(rand.NewPCG(7, 7))
	var out []schema.Case
	for i := range n {
		l := tongues[i%2]
		c := schema.Case{ID: fmt.Sprintf("case-%03d", i), Dataset: "invented", ConvID: schema.ConvID(fmt.Sprintf("case-%03d", i)), Unit: schema.UnitTurn, Speakers: l.people}
		turn := 0
		say := func(s *schema.Session, who int, text string) schema.EventRef {
			turn++
			s.Turns = append(s.Turns, schema.CaseTurn{TurnID: turn, Role: []string{"user", "assistant"}[who], Name: l.people[who], Text: text})
			return schema.EventRef{ConvID: c.ConvID, TurnID: turn}
		}
		ask := func(category, text, gold string, refs ...schema.EventRef) {
			c.Questions = append(c.Questions, schema.Question{ID: fmt.Sprintf("%s/q/%d", c.ID, len(c.Questions)), Text: text, Answer: gold, Category: category, RawCategory: category, Evidence: refs})
		}
		var last [2]schema.EventRef
		var lastValue [2]string
		for k, kind := range l.kinds {
			s := schema.Session{ID: fmt.Sprintf("S%02d", k+1), Time: fmt.Sprintf("2025-%02d-03T18:00:00Z", k+1)}
			values := rng.Perm(len(l.values[k]))
			for who := range 2 {
				for range 2 + rng.IntN(3) {
					say(&s, rng.IntN(2), l.talk[rng.IntN(len(l.talk))])
				}
				v := l.values[k][values[who]]
				last[who], lastValue[who] = say(&s, who, fmt.Sprintf(kind.said, l.people[who], v)), v
				ask(schema.CatIE, fmt.Sprintf(kind.asked, l.people[who], v), v, last[who])
			}
			c.Sessions = append(c.Sessions, s)
		}
		c.Sessions = append(c.Sessions, schema.Session{ID: "S07", Time: "2025-07-03T18:00:00Z"})
		say(&c.Sessions[6], 0, l.talk[0])
		ask(schema.CatMR, fmt.Sprintf(l.both, l.people[0], l.people[1]), lastValue[0]+", "+lastValue[1], last[0], last[1])
		out = append(out, c)
	}
	return out
}

func TestInvented(t *testing.T) {
	cases := invented(60)
	table, failed := prove(t, breaks(t, "bm25-stemmed", cases, nil), cases, nil)
	check(t, table, 50)
	if failed < 500 {
		t.Errorf("%d questions failed, want at least 500", failed)
	}
}
