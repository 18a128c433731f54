package clause

import (
	"strings"
	"sync"

	"membench/internal/hanseg"
)

// Words of Chinese by what they do in a clause. Those of zhVerbs, zhRelations and the
// closed classes are added to the segmenter's dictionary, whose classes are coarse.

var zhRelations = table(`
mother: 妈妈, 妈, 母亲, 老妈, 我妈, 我妈妈, 娘
father: 爸爸, 爸, 父亲, 老爸, 我爸, 我爸爸
parent: 爸妈, 父母, 爹妈, 我爸妈, 我父母
sister: 姐姐, 姐, 妹妹, 妹, 老妹, 我姐, 我妹, 我姐姐, 我妹妹
brother: 哥哥, 哥, 弟弟, 弟, 老哥, 老弟, 我哥, 我弟, 我哥哥, 我弟弟
wife: 老婆, 妻子, 媳妇, 太太, 爱人
husband: 老公, 丈夫, 先生
partner: 对象, 另一半
girlfriend: 女朋友, 女友
boyfriend: 男朋友, 男友
son: 儿子
daughter: 女儿, 闺女
child: 孩子, 小孩, 宝宝, 娃
grandmother: 奶奶, 外婆, 姥姥, 外祖母
grandfather: 爷爷, 外公, 姥爷, 外祖父
uncle: 叔叔, 舅舅, 伯伯, 姑父, 姨夫, 大伯
aunt: 阿姨, 姑姑, 舅妈, 姨妈, 婶婶, 小姨
cousin: 表妹, 表弟, 表姐, 表哥, 堂妹, 堂弟, 堂姐, 堂哥
nephew: 侄子, 外甥
niece: 侄女, 外甥女
mother-in-law: 婆婆, 岳母, 丈母娘
father-in-law: 公公, 岳父
family: 家人, 全家, 一家人, 家里人
friend: 朋友, 闺蜜, 哥们, 好朋友, 好友, 发小
roommate: 室友, 舍友
classmate: 同学, 老同学
neighbor: 邻居
boss: 老板, 领导, 上司, 经理, 主管
colleague: 同事, 搭档
teacher: 老师, 班主任, 导师, 教练
student: 学生
client: 客户
doctor: 医生, 大夫
landlord: 房东
`)

// zhVerbs are verbs that say what someone does, by slot; DID where they make none.
var zhVerbs = table(`
PREFERS_TOPIC: 喜欢, 爱, 热爱, 热衷于, 偏好, 钟爱, 离不开, 讨厌, 超爱, 喜爱, 迷上, 爱上, 最爱, 最怕, 不爱, 偏爱, 痴迷, 受不了
LIVES_IN: 住, 住在, 搬到, 搬去, 搬回, 定居, 搬来, 租住
WORKS_AT: 工作, 上班, 任职, 就职, 入职
WORKS_AS: 担任, 负责
STUDIES: 学, 学习, 攻读, 念, 读研, 读博, 自学, 进修
STUDIES_AT: 考上, 就读, 就读于, 毕业
OWNS: 买, 买了, 拥有, 购买, 入手, 下单
HAS_PET: 养, 领养, 收养
HAS_CONDITION: 过敏, 感冒, 发烧, 生病, 住院, 骨折, 咳嗽, 失眠, 怀孕, 头疼, 胃疼, 牙疼, 确诊, 受伤, 崴
NEEDS: 需要, 缺, 缺少
WANTS: 想, 想要, 希望, 盼, 期待
PLANS: 打算, 计划, 准备, 决定
HAS_OPINION: 觉得, 认为, 感觉, 相信, 同意, 赞成, 反对
FEELS: 怕, 害怕, 担心, 后悔, 生气, 难过, 纠结, 焦虑, 紧张, 想念
HAS_SKILL: 会, 学会, 擅长, 精通
VISITED: 去过, 到过, 游览, 逛, 参观
MADE: 写, 画, 做了, 编, 拍, 录, 织, 设计, 制作, 创作, 发明, 搭建, 开发, 建
DISCUSSED_WORK: 看完, 读完, 追完
HAS_STATUS: 结婚, 离婚, 订婚, 退休, 分手, 单身, 恋爱, 失业
HAS: 有, 没有, 没
IS: 是, 属于, 算是, 当, 成为
HAS_NAME: 叫, 名叫
DID: 去, 来, 做, 吃, 喝, 看, 读, 听, 玩, 跑, 跑步, 走, 走路, 爬, 爬山, 游泳, 健身, 锻炼, 打, 踢, 弹, 唱, 唱歌, 跳, 跳舞, 骑, 开, 开车, 坐, 飞, 睡, 睡觉, 起床, 煮, 炒, 炖, 烤, 做饭, 下厨, 点, 叫外卖
DID: 换, 卖, 送, 借, 还, 拿, 带, 给, 寄, 收, 收到, 找, 找到, 丢, 摔, 弄丢, 修, 装, 拆, 搬, 搬家, 租, 订, 预订, 抢, 报名, 参加, 加入, 退出, 放弃, 开始, 继续, 停, 结束, 完成, 戒, 戒烟, 戒酒, 减肥, 生, 生了, 去世, 离职, 辞职, 跳槽, 转行, 面试, 升职, 加薪, 被裁, 出差, 加班, 值班, 下班, 请假, 放假, 休假, 旅游, 旅行, 度假, 回, 回家, 回来, 回去, 回国, 出国, 留学, 移民, 搬走
DID: 考, 考试, 通过, 挂科, 备考, 上, 上课, 练, 练习, 教, 教书, 当兵, 服役, 创业, 开店, 投资, 理财, 存, 存钱, 花, 赚, 赚钱, 做手术, 手术, 体检, 看病, 吃药, 打针, 养病, 见, 见面, 碰见, 遇到, 遇见, 认识, 相亲, 约, 约会, 聊, 聊天, 吵架, 打电话, 发, 发现, 发布, 学过, 试, 尝试, 体验, 申请, 报, 报考, 庆祝, 过生日, 过年, 聚, 聚餐, 聚会, 请客, 拜访, 陪, 照顾, 接, 送到, 扔, 种, 浇, 浇花, 钓鱼, 露营, 徒步, 滑雪, 潜水, 冲浪, 打球, 打工, 打工度假, 实习, 兼职, 毕业, 待, 呆, 长大, 出生, 转业, 错过, 忘, 忘记, 忘了, 记得, 碰, 用, 穿, 戴, 摆, 叹, 说, 吹, 推荐, 动笔, 下棋, 看书, 看电影, 看电视, 追剧, 拍照, 摄影, 直播, 写作, 画画, 做梦, 梦见, 熬夜, 逛街, 购物, 洗澡, 打扫, 收拾, 装修, 看到, 看见, 听到, 闻到, 敢, 提, 提起, 震撼, 吓, 惹, 开车去, 升级, 重启, 扩容, 回滚, 迁, 迁移, 部署, 修复, 排查, 维护, 配置, 调, 调到, 改, 清, 清理, 监控, 切换, 上线, 下线, 巡检, 抓包, 压测, 备份, 恢复, 处理, 查, 替换, 接手, 交接, 告诉, 问, 谢谢, 道歉, 答应, 拒绝, 商量, 交往, 支持, 做到, 坚持, 努力, 攒, 拿到, 获得, 赢, 输, 得, 得了, 拿了, 考完, 搞, 弄, 办, 办理, 跟, 追, 逃, 躲, 等, 睡好, 吃完, 吃过, 吃了, 喝了
`)

var (
	zhPronouns  = map[string]Mention{"我": {Kind: Speaker}, "本人": {Kind: Speaker}, "咱": {Kind: Speaker}, "俺": {Kind: Speaker}, "自己": {Kind: Speaker}, "我们": {Kind: Speaker, Plural: true}, "咱们": {Kind: Speaker, Plural: true}, "我俩": {Kind: Speaker, Plural: true}, "咱俩": {Kind: Speaker, Plural: true}, "我家": {Kind: Speaker, Plural: true}, "我们家": {Kind: Speaker, Plural: true}, "我们组": {Kind: Speaker, Plural: true}, "我们部门": {Kind: Speaker, Plural: true}, "我们公司": {Kind: Speaker, Plural: true}, "我们团队": {Kind: Speaker, Plural: true}, "你": {Kind: Addressee}, "您": {Kind: Addressee}, "你们": {Kind: Addressee, Plural: true}, "他": {Kind: Pronoun, Gender: Male}, "她": {Kind: Pronoun, Gender: Female}, "他们": {Kind: Pronoun, Plural: true}, "她们": {Kind: Pronoun, Plural: true, Gender: Female}}
	zhAdverbs   = set("就 都 也 还 又 再 才 已经 已 刚 刚刚 刚才 正 正在 一直 一般 一起 一边 边 常 常常 经常 总 总是 总算 老是 天天 每天 平时 通常 偶尔 有时 有时候 最近 目前 现在 以前 之前 从前 后来 从来 曾 曾经 终于 竟然 居然 真 真的 特别 非常 很 太 挺 好 超 超级 比较 最 更 有点 有点儿 有些 稍微 几乎 差点 其实 当然 确实 果然 只 只好 只是 仅 光 全 全都 可能 也许 大概 应该 好像 似乎 肯定 一定 必须 突然 忽然 马上 立刻 赶紧 先 顺便 特意 亲自 自己 到底 究竟 还是 仍然 依然 渐渐 慢慢 越来越 大多 大部分 多 少 完全 根本 并 并且 实在 尤其 以后 今后 小时候 不怎么 不太 前天 昨天 今天 明天 后天 昨晚 今晚 晚上 早上 中午 下午 上午 上周 下周 上个月 下个月 去年 今年 明年 年底 年初 周末 周一 周二 周三 周四 周五 周六 周日 未来 将来 同时 当时 反正 幸好 可惜 毕竟 本来 原来 原本 一共 总共 一道 手头 重新 直接 不小心 偷偷 第一次 首次 头一次")
	zhOpeners   = set("但 但是 不过 可是 可 而 而且 所以 因为 由于 然后 于是 结果 另外 虽然 尽管 那 那么 嗯 啊 哦 哎 唉 哈哈 哈哈哈 嘿 呀 对 对了 是的 好的 话说 说起来 说实话 老实说 总之 比如 例如 至于 关于 除了 或者 以及 和 只要 只有 无论 不管 既然 即使 自从 自打 抱歉 不好意思 谢谢")
	zhNegations = set("不 没 没有 别 未 从不 从未 从没 从来不 从来没 不再 不会 不能 不想 不怎么 不太 没法 并不 并没有 不用 不敢 不要 不肯 不愿")
	zhAspects   = []string{"了", "过", "着"}
	zhEndings   = []string{"了", "吗", "呢", "吧", "啊", "呀", "啦", "哦", "哈", "嘛", "的", "来着", "而已", "罢了", "喔", "哟", "咯", "喽", "～", "~"}
	zhPreps     = set("在 跟 和 与 同 给 对 从 向 为 用 往 于 替 比 随 关于 按 离 由 把 将 被 让 叫 使 连")
)

// zhSegmenter knows the words of this file.
var zhSegmenter = sync.OnceValue(func() *hanseg.Segmenter {
	words := map[string]byte{}
	add := func(w string, c byte) {
		if strings.TrimSpace(w) != "" {
			words[w] = c
		}
	}
	for w := range zhVerbs {
		add(w, 'v')
	}
	for w := range zhRelations {
		add(w, 'K')
	}
	for w := range zhAdverbs {
		add(w, 'd')
	}
	for w := range zhOpeners {
		add(w, 'c')
	}
	for w := range zhPronouns {
		add(w, 'r')
	}
	for w := range zhPreps {
		add(w, 'p')
	}
	for w := range zhNegations {
		add(w, 'N')
	}
	for w := range zhFeelings {
		add(w, 'a')
	}
	for w := range zhStates {
		add(w, 'n')
	}
	return hanseg.New(words)
})

// zhFeelings are adjectives of a state of mind or body.
var zhFeelings = set("开心 高兴 难受 难过 累 困 饿 忙 紧张 焦虑 害怕 兴奋 激动 失望 无聊 孤独 寂寞 烦 烦躁 生气 郁闷 沮丧 幸福 满意 后悔 内疚 尴尬 惊讶 感动 放松 踏实 舒服 不舒服 疲惫 崩溃 着急 委屈 自豪 骄傲 羡慕")

// zhStates are complements of 是 that have a slot of their own.
var zhStates = map[string]string{"素食者": "FOLLOWS_DIET", "素食主义者": "FOLLOWS_DIET", "单身": "HAS_STATUS", "独生子女": "HAS_STATUS", "左撇子": "IS"}

var zhJobs = []string{"师", "工程师", "医生", "护士", "老师", "经理", "律师", "会计", "程序员", "司机", "学生", "研究生", "博士生", "作家", "画家", "记者", "编辑", "设计师", "警察", "军人", "工人", "农民", "木匠", "厨师", "翻译", "演员", "教授", "店长", "老板", "运营", "销售", "导游"}

var zhPets = []string{"猫", "狗", "犬", "兔", "仓鼠", "鹦鹉", "金鱼", "鱼", "乌龟", "龟", "鸟", "蛇", "刺猬", "柯基", "柴犬", "橘猫", "布偶"}

// zhFalseNegation starts with a negative character and denies nothing.
var zhFalseNegation = set("不错 不过 不仅 不但 不管 不论 不得不 不止 不然 不少 不久 不如 不光 不断 不禁 没关系 没事 没问题 没想到 不好意思 差不多 不客气 不小心 不一定 不由得 不愧 不妨 不同 不住")
