package clause

import (
	"slices"
	"testing"
)

// chinese are the facts that are read in a text, said after another, whatever their chance.
func chinese(asked, text string) (have []string) {
	for _, f := range Candidates(text, Options{Before: asked}) {
		if f.Modality == Asserted || f.Modality == Plan {
			have = append(have, line(f))
		}
	}
	return have
}

// TestChineseChat: what is said in Chinese chat without a subject, in a noun's words or of a day to come.
func TestChineseChat(t *testing.T) {
	for _, tc := range []struct {
		asked, text string
		want        []string
	}{
		// a day that is neither past nor repeated, and what goes on from there
		{"", "九月三号去大理，住一周吧，顺便看看老同学", []string{"S|去|去大理|九月三号|PLANS plan", "S|住|住一周|一周|PLANS plan", "S|看看|看看老同学||PLANS plan"}},
		{"", "我十月份搬来的", []string{"S|搬来|搬来|十月份|DID"}},
		{"", "改周三开会了", []string{"S|开会|改周三开会|周三|PLANS plan"}},
		{"", "明天就开学了，下周就放假了", []string{"S|开学|开学|明天|DID", "S|放假|放假|下周|PLANS plan"}},
		{"", "我今天不去健身房", []string{"S|去|去健身房|今天|PLANS not plan"}},
		{"", "我快毕业了", []string{"S|毕业|毕业||PLANS plan"}},
		{"", "我都快饿死了", nil},
		{"", "我在3号车厢", []string{"S|在|在车厢|3号|DID"}},
		{"", "下周出差，收到请回复", []string{"S|出差|出差|下周|PLANS plan", "S|收到|收到请回复||DID"}},
		{"", "写完带你去看海", []string{"S|带|带你去看海||PLANS plan"}},
		// what the speaker does for the person spoken to is to come
		{"", "我去车站接你", []string{"S|去|去车站接你||PLANS plan"}},
		{"", "我回头托人问问", []string{"S|回头|回头托人问问||PLANS plan"}},
		{"", "我马上回家了", []string{"S|回家|回家||PLANS plan"}},
		{"", "我会记得跟老板说的", []string{"S|记得|记得跟老板说||PLANS plan"}},
		{"", "我天天去公园", []string{"S|去|去公园|天天|HAS_HABIT"}},
		{"", "我先去了医院", []string{"S|去|去医院||DID"}},
		{"", "我去接你", []string{"S|去|去接你||PLANS plan"}},
		{"", "我给你寄两盒", []string{"S|寄|给你寄两盒||PLANS plan"}},
		{"", "我给你寄了两盒", []string{"S|寄|给你寄两盒||DID"}},
		{"", "到家给我打电话", []string{"S|到家|到家给我打电话||DID"}},
		// what is going on
		{"", "我在开会呢", []string{"S|开会|开会||DID"}},
		{"", "开会呢", []string{"S|开会|开会||DID"}},
		{"", "我在自习室", []string{"S|在|在自习室||DID"}},
		{"", "在干嘛呢", nil},
		// words that are nouns in the dictionary in a verb's place
		{"", "我不习惯这边的天气", []string{"S|习惯|习惯这边的天气||HAS_HABIT not"}},
		{"", "我明年不租房了", []string{"S|租房|租房|明年|DID not"}},
		{"", "我已经上车了", []string{"S|上车|上车||DID"}},
		{"", "我明天还要上班", []string{"S|上班|上班|明天|PLANS plan"}},
		{"", "明天我会把钥匙交给物业", []string{"S|交|把钥匙交给物业|明天|PLANS plan"}},
		{"", "发给老周了", []string{"S|发|发给老周||DID"}},
		// results, and what is named behind the verb
		{"", "捡回来三只", []string{"S|捡|捡回来三只||DID"}},
		{"", "吃了，楼下的担担面", []string{"S|吃|吃楼下的担担面||DID"}},
		{"", "吃了奶奶，我们先走了", []string{"S|吃|吃||DID", "S|走|走||DID"}},
		{"", "我工作找到了", []string{"S|找到|找到工作||DID"}},
		// the body, and what a doctor says
		{"", "我爸血糖高还不忌口", []string{"father|是|血糖高||IS"}},
		{"", "现在疼的是左肩", []string{"S|是|左肩疼|现在|HAS_CONDITION"}},
		{"", "我去年体检查出来胆结石", []string{"S|体检|胆结石|去年|HAS_CONDITION"}},
		{"", "医生说是腰肌劳损，没事", nil},
		{"", "医生说是关节炎，让多休息", []string{"S|有|关节炎||HAS_CONDITION"}},
		// people
		{"", "你姨下周来", []string{"aunt|来|来|下周|PLANS plan"}},
		{"", "小秦是我高中同学", []string{"S|是|高中同学，叫小秦||HAS_RELATIVE"}},
		{"", "妈，今天加班了", []string{"S|加班|加班|今天|DID"}},
		{"", "我表姐，今天加班了", []string{"cousin|加班|加班|今天|DID"}},
		{"", "我一个邻居的妹在家开了个花店", nil},
		{"", "我来成都六年了", []string{"S|来|成都|六年|LIVES_IN"}},
		{"", "我头一个月才挣两千", []string{"S|挣|挣两千|一个月|DID"}},
		// what only looks like a statement
		{"", "离公司走路十分钟", nil},
		{"", "土干了再浇水", nil},
		{"", "就当交学费了", nil},
		// answers
		{"你啥时候过来", "中秋吧，给她带个风筝", []string{"S|过来|过来|中秋|PLANS plan", "S|带|给她带个风筝||PLANS plan"}},
		{"你那个瑜伽课退了没", "退了", []string{"S|退|退那个瑜伽课||DID"}},
		{"毕业论文写了没？", "没写", []string{"S|写|毕业论文||MADE not"}},
		{"你们国庆去趟桂林？高铁两个小时", "我还没去过", []string{"S|去|桂林|国庆|VISITED not"}},
		{"你几天浇一次？", "天天浇啊", []string{"S|浇|浇|天天|HAS_HABIT"}},
		{"搬哪儿去", "还在老地方，一居室", []string{"S|在|在老地方||DID"}},
	} {
		if have := chinese(tc.asked, tc.text); !slices.Equal(have, tc.want) {
			t.Errorf("%q, %q: have %q, want %q", tc.asked, tc.text, have, tc.want)
		}
	}
}

func TestVocative(t *testing.T) {
	for text, want := range map[string]string{"妈，我到了": "mother", "爸你别买了": "father", "吃过了奶奶": "grandmother", "老公，下班了吗": "husband", "妈呀": "", "我妈，她": "", "妈妈说得对": "", "老师，请假": "", "妈的": ""} {
		if have := Vocative(text); have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}
