package judge

import "testing"

// chinese are invented questions of every kind that the judge knows; about as many
// right answers as wrong ones of each.
var chinese = []struct {
	kind, q, gold, answer string
	want                  bool
}{
	{"date", "林晓什么时候搬到成都的？", "2022年5月8日", "2022-05-08", true},
	{"date", "林晓什么时候搬到成都的？", "2022年5月8日", "她是二〇二二年五月八日搬过去的", true},
	{"date", "林晓什么时候搬到成都的？", "2022年5月8日", "2022年5月18日", false},
	{"date", "林晓什么时候搬到成都的？", "2022年5月8日", "大概是春天", false},
	{"date", "老周哪天做的手术？", "2023年11月", "2023年11月中旬", true},
	{"date", "老周哪天做的手术？", "2023年11月", "2023年9月", false},
	{"date", "他们哪一年结的婚？", "2015年", "2015年", true},
	{"date", "他们哪一年结的婚？", "2015年", "应该是2016年", false},
	{"date", "仓库何时盘点？", "2024年3月1日至3月3日", "2024年3月1日到3日", true},
	{"date", "仓库何时盘点？", "2024年3月1日至3月3日", "2024年4月初", false},

	{"duration", "何姐学古筝多久了？", "三年", "已经3年了", true},
	{"duration", "何姐学古筝多久了？", "三年", "36个月", true},
	{"duration", "何姐学古筝多久了？", "三年", "五年", false},
	{"duration", "何姐学古筝多久了？", "三年", "有一阵子了", false},
	{"duration", "割接要多长时间？", "两个小时", "2小时左右", true},
	{"duration", "割接要多长时间？", "两个小时", "四十分钟", false},
	{"duration", "证书还有多久过期？", "两周", "14天", true},
	{"duration", "证书还有多久过期？", "两周", "两个月", false},

	{"number", "机房里有几台交换机？", "12台", "一共十二台", true},
	{"number", "机房里有几台交换机？", "12台", "有15台", false},
	{"number", "机房里有几台交换机？", "12台", "好几台", false},
	{"number", "小郑养了多少只鹦鹉？", "四只", "4只鹦鹉", true},
	{"number", "小郑养了多少只鹦鹉？", "四只", "两只", false},
	{"number", "房租每月多少钱？", "3500元", "每个月三千五百元", true},
	{"number", "房租每月多少钱？", "3500元", "每月5300元", false},
	{"number", "从家到公司多少公里？", "8公里", "8000米", true},
	{"number", "从家到公司多少公里？", "8公里", "18公里", false},

	{"place", "她女儿在哪里上学？", "成都", "她女儿在成都上学。", true},
	{"place", "她女儿在哪里上学？", "成都", "她女儿在西安完成学业。", false},
	{"money", "月租是多少？", "3200元", "月租三千二百元。", true},
	{"yes/no", "小郑会游泳吗？", "会", "会的，他每周都游", true},
	{"yes/no", "小郑会游泳吗？", "会", "不会", false},
	{"yes/no", "何姐是不是素食者？", "不是", "不是，她也吃鱼", true},
	{"yes/no", "何姐是不是素食者？", "不是", "是的，她吃素", false},
	{"yes/no", "老周有没有去过西藏？", "没有", "没有去过", true},
	{"yes/no", "老周有没有去过西藏？", "没有", "有，他前年去过", false},
	{"yes/no", "主备切换是否成功？", "是", "是的，成功了", true},
	{"yes/no", "主备切换是否成功？", "是", "没有成功", false},

	{"list", "林晓有哪些爱好？", "摄影、登山和做陶艺", "登山、陶艺、摄影", true},
	{"list", "林晓有哪些爱好？", "摄影、登山和做陶艺", "她喜欢摄影、登山，也做陶艺。", true},
	{"list", "林晓有哪些爱好？", "摄影、登山和做陶艺", "下棋、游泳和跑步", false},
	{"list", "林晓有哪些爱好？", "摄影、登山和做陶艺", "各种各样的活动", false},
	{"list", "哪些服务依赖Redis？", "订单服务、库存服务", "库存服务和订单服务", true},
	{"list", "哪些服务依赖Redis？", "订单服务、库存服务", "支付网关、日志平台", false},
	{"list", "野餐带了什么？", "西瓜，三明治，果汁", "果汁、三明治还有西瓜", true},
	{"list", "野餐带了什么？", "西瓜，三明治，果汁", "帐篷和毯子", false},

	{"words", "谁介绍老周去那家医院的？", "他的表弟", "是他表弟介绍的", true},
	{"words", "谁介绍老周去那家医院的？", "他的表弟", "他的同事", false},
	{"words", "何姐在哪里上班？", "区图书馆", "她在区图书馆工作。", true},
	{"words", "何姐在哪里上班？", "区图书馆", "一家花店", false},
	{"words", "何姐在哪里上班？", "区图书馆", "在某个地方上班", false},
	{"words", "故障的根因是什么？", "光模块老化", "根因是光模块老化", true},
	{"words", "故障的根因是什么？", "光模块老化", "路由配置写错了", false},
	{"words", "谁教林晓弹琴的？", "妈妈", "她母亲", true},
	{"words", "谁教林晓弹琴的？", "妈妈", "她的老师", false},
	{"words", "小郑的狗叫什么名字？", "豆豆", "叫豆豆", true},
	{"words", "小郑的狗叫什么名字？", "豆豆", "叫毛毛", false},

	{"abstention", "何姐在哪里上班？", "区图书馆", "对话里没有提到", false},
	{"abstention", "何姐在哪里上班？", "区图书馆", "我不知道", false},
	{"abstention", "林晓的车牌号是多少？", "没有提到", "对话中没有提及车牌号", true},
	{"abstention", "林晓的车牌号是多少？", "没有提到", "川A12345", false},
	{"abstention", "老周的生日是哪天？", "无法确定", "不清楚，没有相关信息", true},
	{"abstention", "老周的生日是哪天？", "无法确定", "1979年6月2日", false},
}

// TestChinese holds how many of the invented cases are judged right.
func TestChinese(t *testing.T) {
	if len(chinese) != 63 {
		t.Errorf("have %d cases, want 63", len(chinese))
	}
	// The weights saw English only: they refuse "8000米" for "8公里", a range of days
	// written with 到, and "会的" with more behind it.
	const most = 3
	accepted, refused := 0, 0 // wrong ones accepted, right ones refused
	for _, c := range chinese {
		v := Judge(Question{Text: c.q}, []string{c.gold}, c.answer)
		switch {
		case v.Correct == c.want:
			continue
		case v.Correct:
			accepted++
		default:
			refused++
		}
		t.Logf("%s: %q, gold %q, answer %q: have %v (%.2f; %s: %s)", c.kind, c.q, c.gold, c.answer, v.Correct, v.Score, v.Rule, v.Reason)
	}
	if accepted > 0 || refused > most {
		t.Errorf("of %d cases %d wrong answers accepted, %d right ones refused, want 0 and at most %d", len(chinese), accepted, refused, most)
	}
}
