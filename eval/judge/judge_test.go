package judge

import (
	"strings"
	"testing"

	"membench/llm/llmtest"
)

// cases are invented: no text of a benchmark stands here.
var cases = []struct {
	q, gold, answer string
	want            bool
}{
	// dates
	{"When did Ann move to Leeds?", "4 March 2021", "On March 4th, 2021.", true},
	{"When did Ann move to Leeds?", "4 March 2021", "2021-03-04", true},
	{"When did Ann move to Leeds?", "4 March 2021", "3/4/2021", true},
	{"When did Ann move to Leeds?", "04.03.2021", "She moved on March 4, 2021.", true},
	{"When did Ann move to Leeds?", "4 March 2021", "04.03.2021", true},
	{"When did Ann move to Leeds?", "4 March 2021", "04.05.2021", false},
	{"When did Ann move to Leeds?", "4 March 2021", "Ann moved to Leeds on 11 March 2021.", false},
	{"When did Ann move to Leeds?", "4 March 2021", "Sometime in the spring of 2021", false},
	{"When did Ann move to Leeds?", "March 2021", "In early March 2021", true},
	{"When did Ann paint the fence?", "The week before 20 August 2022", "15 August 2022", true},
	{"When did Ann paint the fence?", "The week before 20 August 2022", "2 August 2022", false},
	{"When did Ann paint the fence?", "The Friday before 20 August 2022", "19 August 2022", true},
	{"When did Ann paint the fence?", "2019", "Ann painted it in 2019, as she said on 3 May 2020.", true},
	{"安什么时候搬到杭州的？", "2021年3月4日", "2021-03-04", true},
	{"安什么时候搬到杭州的？", "2021年3月4日", "安是在2021年3月4号搬过去的。", true},
	{"安什么时候搬到杭州的？", "2021年3月4日", "2021年4月4日", false},
	{"安什么时候搬到杭州的？", "2021年3月", "2021年3月上旬", true},
	{"When did Ann move to Leeds?", "2021年3月4日", "4 March 2021", true},
	// lengths and numbers
	{"How long has Ann played the cello?", "six years", "For 6 years.", true},
	{"How long has Ann played the cello?", "six years", "72 months", true},
	{"How long has Ann played the cello?", "six years", "nine years", false},
	{"安拉大提琴多久了？", "六年", "6年了", true},
	{"安拉大提琴多久了？", "六年", "九年", false},
	{"How many bridges did Tom sketch?", "3", "He sketched three bridges.", true},
	{"How many bridges did Tom sketch?", "3", "He sketched five bridges.", false},
	{"汤姆画了几座桥？", "三座", "他画了3座桥", true},
	{"汤姆画了几座桥？", "三座", "五座", false},
	// yes and no
	{"Is Tom a vegetarian?", "Yes", "Yes, Tom is a vegetarian.", true},
	{"Is Tom a vegetarian?", "No", "Yes, Tom is a vegetarian.", false},
	{"Would Tom enjoy a steak house?", "No, he eats no meat", "Tom would not enjoy a steak house, since he eats no meat.", true},
	{"汤姆吃素吗？", "是的", "不，他不吃素", false},
	// words
	{"What did Tom bring to the picnic?", "a lemon cake", "Tom brought a lemon cake.", true},
	{"What did Tom bring to the picnic?", "a lemon cake", "A bottle of cider", false},
	{"What did Tom bring to the picnic?", "a lemon cake", "Something to share", false},
	{"What did Tom bring to the picnic?", "a lemon cake", "That is not mentioned in the conversation.", false},
	{"What did Tom bring to the picnic?", "a lemon cake", "", false},
	{"Who taught Ann to swim?", "her mother", "Her mom taught her.", true},
	{"Which city did Ann and Tom both visit?", "New York City", "NYC", true},
	{"汤姆带了什么去野餐？", "柠檬蛋糕", "汤姆带了一个柠檬蛋糕。", true},
	{"汤姆带了什么去野餐？", "柠檬蛋糕", "一瓶苹果酒", false},
	{"汤姆带了什么去野餐？", "柠檬蛋糕", "没有提到", false},
	{"谁教安游泳的？", "她妈妈", "她母亲", true},
}

func TestJudge(t *testing.T) {
	for _, c := range cases {
		v := Judge(Question{Text: c.q}, []string{c.gold}, c.answer)
		if v.Correct != c.want {
			t.Errorf("%q, gold %q, answer %q: have %v (%.2f; %s: %s), want %v", c.q, c.gold, c.answer, v.Correct, v.Score, v.Rule, v.Reason, c.want)
		}
		if v.Score < 0 || v.Score > 1 {
			t.Errorf("score %v of %q is outside [0,1]", v.Score, c.answer)
		}
	}
}

// The answers a question has one by one, in several golds.
func TestSeveralGolds(t *testing.T) {
	v := Judge(Question{Text: "Where does Ann work?"}, []string{"a bakery", "the Rose Street bakery"}, "At the Rose Street bakery")
	if !v.Correct || v.Gold == "" {
		t.Errorf("have %+v, want it right by one of the golds", v)
	}
}

func TestAbstention(t *testing.T) {
	for answer, want := range map[string]bool{"I don't know.": true, "The conversation does not mention it.": true, "没有提到这一点": true, "In Paris": false, "在巴黎": false} {
		if v := Judge(Question{Text: "Where did Ann study?", Abstain: true}, []string{"no answer"}, answer); v.Correct != want {
			t.Errorf("%q: have %v (%s), want %v", answer, v.Correct, v.Reason, want)
		}
	}
}

// A guess beside an abstention, and a denial of what the question takes for granted, are no certain verdicts.
func TestDoubtfulAbstention(t *testing.T) {
	for answer, want := range map[string]bool{"I'm not sure, but it is probably Juno.": true, "不清楚，应该是朱诺。": true, "She owns no mare.": true, "That is not mentioned.": false, "没有提到。": false, "Juno": false} {
		if v := Judge(Question{Text: "What is the name of her mare?", Abstain: true}, []string{""}, answer); (v.Doubt != "") != want {
			t.Errorf("%q: have %v, doubt %q", answer, v.Correct, v.Doubt)
		}
	}
}

// What a very small model answers to a question that it cannot answer (made up, looping,
// playing on) is wrong, whichever question it is given for, and so is each of its other
// answers that lacks the gold's words.
func TestDegenerateAnswers(t *testing.T) {
	planted := 0
	for _, q := range llmtest.WrongAnswers() {
		answers := []string{q.Answer, strings.Repeat(q.Answer+" ", 20), strings.Repeat(q.Question+" ", 8)}
		for _, other := range llmtest.WrongAnswers() {
			answers = append(answers, other.Answer)
		}
		for _, other := range llmtest.RealAnswers() {
			if !strings.Contains(other, q.Gold) && !strings.Contains(other, "3") { // {"1": …} and lists count to three
				answers = append(answers, other)
			}
		}
		for _, a := range answers {
			planted++
			if v := Judge(Question{Text: q.Question}, []string{q.Gold}, a); v.Correct {
				t.Errorf("%q, gold %q: %.200q is right (%s: %s)", q.Question, q.Gold, a, v.Rule, v.Reason)
			}
		}
	}
	if planted < 200 {
		t.Errorf("%d plants", planted)
	}
}

// A verdict shows what it compared.
func TestFacts(t *testing.T) {
	v := Judge(Question{Text: "What pets does Tom have?"}, []string{"a parrot and two goldfish"}, "Tom has a parrot.")
	var all []string
	for _, f := range v.Facts {
		all = append(all, f.String())
	}
	s := strings.Join(all, "\n")
	for _, want := range []string{"word parrot = parrot", "goldfish: missing"} {
		if !strings.Contains(s, want) {
			t.Errorf("facts lack %q:\n%s", want, s)
		}
	}
}

func TestModel(t *testing.T) {
	m := model()
	if strings.Join(m.Features, " ") != strings.Join(featureNames, " ") {
		t.Error("weights.json was trained on other features: run tools/judgetrain again")
	}
	if m.Sure == nil || strings.Join(m.Sure.Features, " ") != strings.Join(sureNames, " ") {
		t.Error("the last stage's weights were trained on other features: run tools/judgetrain -look sure -o again")
	}
	for _, answer := range []string{"a lemon cake", "nobody knows"} {
		if f := Sure(Question{Text: "What did Tom bring?"}, []string{"a lemon cake"}, answer); len(f) != len(sureNames) {
			t.Errorf("%s: have %d features of the last stage, want %d", answer, len(f), len(sureNames))
		}
	}
	if f := Features(Question{Text: "What did Tom bring?"}, "a lemon cake", "cake"); len(f) != len(featureNames) {
		t.Errorf("have %d features, want %d", len(f), len(featureNames))
	}
	for _, tr := range m.Trees {
		for i, f := range tr.Feature {
			if f >= 0 && 2*i+2 >= len(tr.Feature) {
				t.Fatal("a tree has a node without children")
			}
		}
	}
	if m.Made == "" || m.Thresholds.Trained <= 0 {
		t.Errorf("weights.json does not say how it was made or where it cuts: %q %+v", m.Made, m.Thresholds)
	}
}

func FuzzJudge(f *testing.F) {
	for _, c := range cases {
		f.Add(c.q, c.gold, c.answer)
	}
	for _, a := range llmtest.WrongAnswers() {
		f.Add(a.Question, a.Gold, a.Answer)
	}
	f.Add("Which network?", "10.0.0.0/8", "10.0.0.1:53, mask 255.0.0.0") // two values at one place before the mask
	f.Fuzz(func(t *testing.T, q, gold, answer string) {
		v := Judge(Question{Text: q}, []string{gold}, answer)
		if !(v.Score >= 0 && v.Score <= 1) {
			t.Fatalf("score %v", v.Score)
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			c := &cases[i%len(cases)]
			Judge(Question{Text: c.q}, []string{c.gold}, c.answer)
		}
	})
}
