package openie

import (
	"fmt"
	"strings"
	"testing"
)

// Each line: text => what it says, or nothing. Works and chapters show their parts
// joined by "#"; "@" names the subject of a statement about systems.
const statements = `
我最喜欢的作家是老舍。 => PREFERS_AUTHOR 老舍 r1
我第二喜欢的作家是契诃夫 => PREFERS_AUTHOR 契诃夫 r2
很喜欢夏目漱石 => PREFERS_AUTHOR 夏目漱石
最喜欢夏目漱石的作品是《我是猫》 => PREFERS_AUTHOR 夏目漱石; FAVORITE_WORK 我是猫 r1
老舍是我喜欢的作家之一 => PREFERS_AUTHOR 老舍
喜欢带有旁观者视角的叙事方式 => PREFERS_NARRATIVE_STYLE 旁观者视角叙事
我不喜欢第二人称。 => DISLIKES_NARRATIVE_STYLE 第二人称
我讨厌香菜 => DISLIKES_TOPIC 香菜
我不再喜欢咖啡了 => DISLIKES_TOPIC 咖啡
我喜欢茶和咖啡 => PREFERS_TOPIC 茶; PREFERS_TOPIC 咖啡
我对天文很感兴趣 => PREFERS_TOPIC 天文
我是个慢性子 => SELF_TRAIT 慢性子
我不是一个有耐心的人 => LACKS_TRAIT 有耐心
我试过书信体 => TRIED_STYLE 书信体
我还没试过意识流 => HAS_NOT_TRIED_STYLE 意识流
我写的对话太生硬 => SELF_CRITIQUE 对话太生硬
昨晚读了《边城》第三章 => DISCUSSED_WORK 边城; DISCUSSED_CHAPTER 边城#第三章
我没读过《活着》 => HAS_NOT_DISCUSSED_WORK 活着
其实吧，我对香水没什么兴趣。 => DISLIKES_TOPIC 香水
咖啡我戒了两年了。 => DISLIKES_TOPIC 咖啡
恐怖片我是碰都不碰的。 => DISLIKES_TOPIC 恐怖片
推理小说我可以一口气看一整天。 => PREFERS_TOPIC 推理小说
我最喜欢的，是雨天。 => PREFERS_TOPIC 雨天 r1
那部《白夜》我看睡着了，不喜欢。 => DISLIKES_WORK 白夜; DISCUSSED_WORK 白夜
我同事和我每个周五都去跳舞。 => PREFERS_TOPIC 去跳舞
我煮面必放番茄。 => PREFERS_TOPIC 煮面放番茄
我有睡前看书的习惯。 => PREFERS_TOPIC 看书
我这个人吧，特别记仇。 => SELF_TRAIT 记仇
我没什么耐心。 => LACKS_TRAIT 耐心
散文诗我还没碰过。 => HAS_NOT_TRIED_STYLE 散文诗
我写着写着就跑题。 => SELF_CRITIQUE 写着写着就跑题
编辑说我节奏太慢，这个我认。 => SELF_CRITIQUE 节奏太慢
还没看到《活着》的最后一章。 => HAS_NOT_DISCUSSED_CHAPTER 活着#最后一章
最喜欢的一章也是开头。 => DISCUSSED_CHAPTER #开头
最喜欢的一章也是。 =>
从前，我很怕黑。 =>
喜欢归喜欢，也就看过一次吧。 =>
谈不上喜欢，能吃而已。 =>
我的主角讨厌下雨。 =>
编辑说我节奏太慢，我不服。 =>
你喜欢老舍吗？ =>
如果我喜欢老舍就好了 =>
我可能喜欢老舍 =>
我妈喜欢龙井 =>
他最喜欢的作家是刘慈欣 =>
老师说：“我最喜欢的作家是余华。” =>
我最讨厌下雨。开玩笑的。 =>
我希望你喜欢这本书 =>
My favourite author is Jane Austen. => PREFERS_AUTHOR Jane Austen r1
My favourite author is Ursula K. Le Guin, and it isn't close. => PREFERS_AUTHOR Ursula K. Le Guin r1
My second favorite writer is Anton Chekhov => PREFERS_AUTHOR Anton Chekhov r2
Likes hiking => PREFERS_TOPIC hiking
Doesn't like olives => DISLIKES_TOPIC olives
Is a vegetarian => SELF_TRAIT vegetarian
Tends to overthink things => SELF_TRAIT overthink things
I love jazz but can't stand country music. => PREFERS_TOPIC jazz; DISLIKES_TOPIC country music
My wife and I go ballroom dancing every Thursday. => PREFERS_TOPIC ballroom dancing
Mushrooms? Never liked them. => DISLIKES_TOPIC Mushrooms
Knitting keeps me sane. => PREFERS_TOPIC Knitting
I'd love a cup of tea. =>
I'm thinking of taking up pottery. =>
My sister's obsessed with jazz and she can't stand pop. =>
I love the photo! =>
I used to love jazz. =>
It's been a serious wake-up call about my lifestyle. =>
User loves jazz and old maps. => PREFERS_TOPIC jazz; PREFERS_TOPIC old maps
I can't stand olives. => DISLIKES_TOPIC olives
I no longer like crime novels => DISLIKES_TOPIC crime novels
I'm really into pottery these days. => PREFERS_TOPIC pottery
I'm not a patient person. => LACKS_TRAIT patient
I'm a night owl. => SELF_TRAIT night owl
I tend to overthink things. => SELF_TRAIT overthink things
My plot is too predictable. => SELF_CRITIQUE plot too predictable
I tried second-person narration once. => TRIED_STYLE second-person narration
I've never tried free verse => HAS_NOT_TRIED_STYLE free verse
I reread "Emma", mostly for chapter 12. => DISCUSSED_WORK Emma; DISCUSSED_CHAPTER Emma#chapter 12
I haven't read "Middlemarch" yet. => HAS_NOT_DISCUSSED_WORK Middlemarch
Do you like jazz? =>
I would like some tea. =>
If I liked jazz I'd tell you. =>
My brother loves thrillers. =>
Maybe I like jazz. =>
She said "I love jazz". =>
I like your idea. =>
CheckoutErrorRate affects checkout-web => @CheckoutErrorRate AFFECTS checkout-web
The root cause of CheckoutErrorRate was a full disk. => @CheckoutErrorRate CAUSED_BY full disk
CheckoutErrorRate 的根因是磁盘写满，不是网络。 => @CheckoutErrorRate CAUSED_BY 磁盘写满; @CheckoutErrorRate NOT_CAUSED_BY 网络
CheckoutErrorRate was fixed by rolling back cart-api. => @CheckoutErrorRate FIXED_BY rolling back cart-api
cart-api runs on app-01 and app-02 => @cart-api RUNS_ON app-01; @cart-api RUNS_ON app-02
cart-api 部署在 app-01 上 => @cart-api RUNS_ON app-01
cart-api depends on redis-cache => @cart-api DEPENDS_ON redis-cache
cart-api 依赖 redis-cache => @cart-api DEPENDS_ON redis-cache
cart-api 归支付组负责 => @cart-api OWNED_BY 支付组
cart-api is owned by the payments team. => @cart-api OWNED_BY payments team
把 cart-api 的超时从 3 秒调到 5 秒 => @cart-api HAS_SETTING 超时=5秒
The threshold of CheckoutErrorRate is 5%. => @CheckoutErrorRate HAS_SETTING threshold=5%
order-api depends on pgbouncer, and pgbouncer depends on pay-db. => @order-api DEPENDS_ON pgbouncer; @pgbouncer DEPENDS_ON pay-db
The cause of CheckoutErrorRate is a full disk, not the link. => @CheckoutErrorRate NOT_CAUSED_BY link; @CheckoutErrorRate CAUSED_BY full disk
cart-api goes from version 3.3.2 to 3.4.1 today. => @cart-api HAS_SETTING version=3.4.1
支付超时告警影响了 pay-gateway，mailer 没事。 => @支付超时 AFFECTS pay-gateway; @支付超时 DOES_NOT_AFFECT mailer
MQ堆积不是流量突增造成的，是消费端 GC 停顿。 => @MQ堆积 NOT_CAUSED_BY 流量突增; @MQ堆积 CAUSED_BY 消费端 GC 停顿
清理 binlog 后磁盘写满告警已解除。 => @磁盘写满 FIXED_BY 清理 binlog
重启 cache-02 之后 RedisEvictions 并没有恢复。 => @RedisEvictions NOT_FIXED_BY 重启 cache-02
PgPoolSaturated 的处置流程现在是不要先重启，先看 SHOW POOLS。 => @PgPoolSaturated HANDLED_BY 看 SHOW POOLS; @PgPoolSaturated NOT_HANDLED_BY 重启
sw-03 一直丢包。换光模块没用，重插之后就好了。 => @丢包 AFFECTS sw-03; @丢包 NOT_FIXED_BY 换光模块; @丢包 FIXED_BY 重插
mailer 不归我们组，是增长组的。 => @mailer NOT_OWNED_BY 我们组; @mailer OWNED_BY 增长组
web-03 上跑着 cart-api。 => @cart-api RUNS_ON web-03
我怀疑 CheckoutErrorRate 是证书过期引起的。 =>
我迟到是堵车导致的。 =>
Maybe CheckoutErrorRate was caused by the CDN. =>
`

func TestTriples(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(statements), "\n") {
		text, want, ok := strings.Cut(line, "=>")
		if !ok {
			t.Fatalf("no => in %q", line)
		}
		text, want = strings.TrimSpace(text), strings.TrimSpace(want)
		var got []string
		for _, tr := range Triples(text, TripleOptions{Ops: true}) {
			s := tr.Predicate + " " + strings.Join(tr.Object.Parts, "#")
			if tr.Subject.Type != "" {
				s = "@" + tr.Subject.Parts[0] + " " + s
			}
			if tr.Rank > 0 {
				s += fmt.Sprintf(" r%d", tr.Rank)
			}
			if tr.Confidence < 0.6 || tr.Confidence > 0.98 {
				t.Errorf("%s: confidence %v", text, tr.Confidence)
			}
			got = append(got, s)
		}
		if g := strings.Join(got, "; "); g != want {
			t.Errorf("%s\nhave %s\nwant %s", text, g, want)
		}
	}
}

func TestTripleNames(t *testing.T) {
	ts := Triples("lin likes tea", TripleOptions{Names: []string{"lin"}})
	if len(ts) != 1 || ts[0].Object.Parts[0] != "tea" {
		t.Errorf("have %+v", ts)
	}
	if ts := Triples("Maya likes tea", TripleOptions{Names: []string{"lin"}}); len(ts) != 0 {
		t.Errorf("another's taste: have %+v", ts)
	}
}

func FuzzTriples(f *testing.F) {
	for _, line := range strings.Split(statements, "\n") {
		text, _, _ := strings.Cut(line, "=>")
		f.Add(text)
	}
	f.Add("\xff“")
	f.Fuzz(func(t *testing.T, text string) {
		for _, tr := range Triples(text, TripleOptions{Ops: true, Names: []string{"lin"}}) {
			if tr.Predicate == "" || !tr.Object.ok() || tr.Confidence < 0.6 || tr.Confidence > 0.98 || tr.Rank < 0 {
				t.Errorf("%q: bad triple %+v", text, tr)
			}
			if text[tr.Sentence.Start:tr.Sentence.End] != tr.Sentence.Text {
				t.Errorf("%q: the sentence is not of the text", text)
			}
		}
	})
}

func BenchmarkTriples(b *testing.B) {
	lines := strings.Split(strings.TrimSpace(statements), "\n")
	n := 0
	for b.Loop() {
		for _, l := range lines {
			n += len(l)
			Triples(l, TripleOptions{Ops: true})
		}
	}
	b.SetBytes(int64(n / b.N))
}
