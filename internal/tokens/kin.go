package tokens

import (
	"strings"
	"sync"
)

// Kin returns terms of words that mean nearly what words of the text mean, or are
// examples of them, in both languages: who asks for a "drink" should meet "tea" and
// "咖啡". It is a small everyday lexicon, no thesaurus; a term of the text itself is
// never among them. The order is fixed.
func Kin(text string) []string {
	have := map[string]bool{}
	for _, t := range Terms(text) {
		have[t] = true
	}
	words := map[string]bool{}
	han := ""
	for _, t := range Split(text) {
		if t.Han {
			han += t.Text + " "
		} else {
			words[Stem(t.Text)] = true
		}
	}
	var out []string
	seen := map[string]bool{}
	for _, g := range groups() {
		hit := false
		for _, w := range g.heads {
			if w.han && strings.Contains(han, w.text) || !w.han && words[w.text] {
				hit = true
				break
			}
		}
		if !hit {
			continue
		}
		for _, t := range g.terms {
			if !have[t] && !seen[t] {
				seen[t] = true
				out = append(out, t)
			}
		}
	}
	return out
}

type word struct {
	text string
	han  bool
}

type group struct {
	heads []word   // a text with one of these …
	terms []string // … is also searched for these
}

// lexicon has one group a line: words that replace each other, then after ">" examples, which are searched for but do not trigger a search.
const lexicon = `
author writer novelist poet whose 作家 作者 写书的 写书人 诗人
favourite prefer love best adore 最喜欢 最爱 偏爱 喜欢 排第一 首选 钟爱 心头好
hate dislike detest 讨厌 不喜欢 反感 受不了
drink beverage sip 饮料 喝 喝的 提神 > tea coffee juice beer wine water cocoa 茶 咖啡 果汁 啤酒 酒 牛奶
food eat meal dish cook cuisine snack 吃 食物 菜 饭 口味 零食 > pizza noodle rice soup bread cake fruit vegetable 面 米饭 汤 面包 蛋糕 水果 火锅
pet animal 宠物 动物 > cat dog kitten puppy tortoise rabbit hamster parrot fish 猫 狗 龟 兔 鹦鹉 仓鼠
paw 爪 > cat kitten 猫
name call nickname title 名字 叫 称呼 昵称 题目 标题 名叫
book novel story manuscript 书 小说 稿子 作品 故事 手稿
draft manuscript 稿 初稿 稿子
deadline due submit hand 截止 交稿 期限 最晚
wedding marry marriage ceremony bride 婚礼 结婚 成亲
exercise sport workout fitness training 运动 锻炼 健身 > run swim hike yoga tennis bike cycle gym climb 跑步 游泳 瑜伽 爬山 骑车 打球
hobby pastime leisure activity 爱好 消遣 业余 > paint read hike camp dance play garden pottery photography 画画 读书 摄影 跳舞
job work career occupation profession 工作 职业 上班 > nurse teacher engineer doctor translator driver clerk 老师 医生 护士 司机 工程师 翻译
home live reside city town hometown 住 住在 搬 家 城市 老家
birthday born 生日 出生
sister brother sibling 姐姐 妹妹 哥哥 弟弟 兄弟姐妹
mother mom mum mama 妈妈 母亲 妈
father dad papa 爸爸 父亲 爸
parent mother father mom dad 父母 爸妈
child kid son daughter baby 孩子 儿子 女儿 小孩
grandmother grandma granny nana 外婆 奶奶 姥姥
grandfather grandpa 外公 爷爷 姥爷
friend buddy mate roommate 朋友 室友 同学 伙伴
wife husband partner spouse 妻子 丈夫 老婆 老公 爱人
club circle group society meetup 社团 俱乐部 小组
meet gather assemble 见面 聚会 聚
music song sing instrument band 音乐 歌 曲 唱 > guitar piano violin drum 吉他 钢琴 小提琴 鼓
film movie cinema 电影 片子
travel trip journey visit vacation holiday 旅行 旅游 出差 去过
car vehicle drive 车 开车
sick ill disease allergy allergic 病 生病 过敏 忌口
morning dawn 早上 早晨 清晨
evening night 晚上 夜里 今晚 那晚
winter cold snow 冬天 冬 冷
summer hot heat 夏天 夏 热
weekday day date when 哪天 哪一天 星期几 几号 什么时候 日期 > monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december 周一 周二 周三 周四 周五 周六 周日 星期 号 月
change switch replace instead longer 换 改 变 改成 换成 现在改 不再
postpone delay move reschedule 推迟 延期 改到 晚了
dedicate dedication devote 献给 题献
teacher lesson class course learn study 老师 上课 课 学 学习
language chinese english french 语言 中文 英文 法语
alert alarm incident outage 告警 报警 故障 事故
cause reason root why 原因 根因 为什么 起因
fix resolve restart rollback mitigate repair 修复 解决 重启 回滚 处理 处置 恢复
threshold limit timeout setting 阈值 上限 超时 限额 设置
owner responsible charge team 负责 负责人 团队
service server host machine database gateway 服务 主机 机器 数据库 网关
runbook procedure manual step 手册 流程 步骤 预案
price cost pay expensive 价格 多少钱 花 贵
money salary budget 钱 工资 预算
colour paint 颜色 > red blue green yellow purple orange black white 红 蓝 绿 黄 紫 黑 白
age old year 年龄 岁 多大
phone call mobile 电话 手机
gift present 礼物
style narration person tense voice 写法 手法 叙事 人称 视角
science fiction fan 科幻
crime detective mystery thriller 推理 侦探 悬疑
`

var groups = sync.OnceValue(func() []group {
	var out []group
	for _, line := range strings.Split(strings.TrimSpace(lexicon), "\n") {
		var g group
		asks := true
		for _, w := range strings.Fields(line) {
			if w == ">" {
				asks = false
				continue
			}
			parts := Split(w)
			if len(parts) == 0 {
				continue
			}
			if !parts[0].Han {
				s := Stem(parts[0].Text)
				g.terms = append(g.terms, s)
				if asks {
					g.heads = append(g.heads, word{s, false})
				}
				continue
			}
			runes := []rune(parts[0].Text)
			if asks && len(runes) > 1 {
				g.heads = append(g.heads, word{parts[0].Text, true})
			} else if asks && strings.ContainsRune("喝吃猫狗茶酒书歌车病住爪", runes[0]) {
				g.heads = append(g.heads, word{parts[0].Text, true})
			}
			if len(runes) == 1 {
				g.terms = append(g.terms, parts[0].Text)
			}
			for i := 0; i+1 < len(runes); i++ {
				if !FunctionRune(runes[i]) || !FunctionRune(runes[i+1]) {
					g.terms = append(g.terms, string(runes[i:i+2]))
				}
			}
		}
		out = append(out, g)
	}
	return out
})
