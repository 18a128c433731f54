package opstalk

import (
	"strings"
	"sync"
	"unicode/utf8"

	"membench/internal/pattern"
	"membench/internal/sentence"
)

// Chinese statements about systems: rows as in English. A row that holds a comma is
// tried on two clauses at once.

// zhActs start what is done about a fault.
const zhActs = `(?:重启|重新|重建|重插|重装|重置|重跑|回滚|回退|扩容|扩|缩容|清理|清空|清掉|清了?|切换|切|降级|限流|熔断|换|升级|升|加|调|改|删|关|停|摘|迁|补|杀|释放|续签|更新|更换|替换|隔离|驱逐|手动|滚动|把|给|腾|归档|压缩|下线|上线|禁用|启用|打开|开启|drain|reload|执行|跑|合并|增加|减少|刷|拉黑|封|绕过|拆|恢复|看|查|走|保留|备份|通知|联系|确认|登录|检查|抓|先)`

// zhKnobs are what can be set: an identifier, or a noun of this kind with what it is of.
const zhKnobs = `[a-z]+(?:[_.][a-z]+)+|TTL|ttl|(?:QPS|qps) ?上限|replicas|max_connections|maxmemory|MTU|[\p{Han}A-Z]{0,4}?(?:连接数|并发数?|线程数|副本数?|实例数|分区数|重试次数|阈值|告警线|水位线?|超时时间|超时|连接池(?:大小|上限)?|保留(?:时间|天数|期|周期)?|上限|下限|配额|限额|限流值?|版本号?|采样率|间隔|周期|频率|队列长度|批大小|堆内存|过期时间|日志级别|速率|权重|窗口|端口|带宽)`

// zhPort is an interface of a device, before its state: GE0/0/1 down.
const zhPort = `(?:(?:接口|端口)?\s?[A-Za-z0-9]+(?:/\d+)+\s?)?`

var zhFragments = strings.NewReplacer(
	"{A}", `(?:这次|那|所以|根因找到了|查清楚了|排除了|确认|现在|遇到|收到|今天|昨晚|其实)?(?P<S>`+opsAlert+`|[a-z]+(?:_[a-z0-9]+)+|`+opsThing+`\s?`+zhPort+`(?:[A-Za-z]{2,10}|\p{Han}{2,6}?)|[A-Za-z]{0,6}\s?\p{Han}{2,8}?)\s?(?:这个|这条)?(?:告警|报警)?(?:这次|最后|其实|应该|确实|现在|已经|又|只|也)*\s?`,
	"{T}", `(?P<S>`+opsThing+`|[a-z][a-z0-9]{2,})\s?(?:服务|这台机器|这台|机器|节点|集群|主机|实例|告警|这边|这块|启动)?(?:现在|目前|已经|早就|其实|一直|还|都|也|这周起|以后|主要)*\s?`,
	"{TO}", `(?P<O>(?:`+opsThing+`|[A-Za-z][A-Za-z0-9]{2,})(?:\s?(?:、|和|与|以及)\s?(?:`+opsThing+`|[A-Za-z][A-Za-z0-9]{2,}))*)`,
	"{HOST}", `(?P<O>`+opsHost+`(?:\s?(?:、|和|与)\s?`+opsHost+`)*)`,
	"{SVC}", `(?P<S>`+opsService+`)`,
	"{NP}", `(?:因为|由于|由)?\s?(?P<O>[^，。；？！]{2,30}?)`,
	"{ACT}", `(?P<O>`+zhActs+`[^，。；]{0,28}?)`,
	"{WHO}", `(?P<O>[\p{Han}A-Za-z]{2,8}?)`,
	"{BY}", `\s?(?:引起|导致|造成|引发|触发|惹出来|闹|搞|拖|打满|压垮)的`,
	"{OK}", `(?:就|才|便|马上|立刻|终于|已经?|很快|随即|也|全|都|自动|彻底|指标|错误率|延迟|队列)*\s?(?:恢复|消失|好了|消除|已?解除|解决|降下来|下来了|回落|不报了|不再报|不丢了|缓解|没再报|清零|消了|正常了|绿了|通了|搞定|修好|稳定?了|平了)(?:正常)?(?:了|的)*$`,
	"{BAD}", `(?:也|都|其实|根本|并|完全|一样|还是|了?一[遍次])*\s?(?:没用|没有用|不起作用|没起作用|不管用|没效果|没有效果|无效|没好|没恢复|没有恢复|并没有恢复|没解决|还在报|还在|又报|照报|没变化|没下来|依旧|照样)`,
	"{K}", `(?P<K>`+zhKnobs+`)`,
	"{V}", `(?P<V>v?\d[\d.,]*(?:\s?(?:毫秒|秒钟?|分钟|小时|天|个月|周|个|台|次|倍|万|ms|s|m|h|d|%|GB|gb|MB|mb|KB|Gi|Mi|G|M|k|K|qps|QPS)\b?)?)`,
)

var zhRules = sync.OnceValue(func() []rule {
	return compile(zhFragments,
		[]string{"!AFFECTS", "", "影响 没事 正常",
			`{A}(?:不会|并没有|并未|没有?|不)影响到?\s?{TO}`, `{TO}\s?(?:完全|都|倒是)?(?:没受影响|不受影响|未受影响|没事|一切正常)`},
		[]string{"AFFECTS", "", "影响 打在 触发 报在 波及 FIRING",
			`^{A}(?:影响到?了?|打在了?|触发在|报在|波及到?了?|触发[，,]实例)\s?{TO}`},
		[]string{"!CAUSED_BY", "Topic", "关系 无关 不是 排除 并非",
			`^{A}(?:跟|和|与|同)\s?{NP}\s?(?:没有?(?:任何|半点|一点|什么|直接)?关系|无关)`, `^{A}(?:并不是|并非|不是){NP}{BY}`,
			`^(?:根因|原因)?(?:不是|并不是|跟)\s?{NP}(?:{BY}|的锅|的问题|没有?关系)$`, `排除了?\s?{NP}(?:的)?(?:可能性?|嫌疑|因素|原因|问题)?$`},
		[]string{"CAUSED_BY", "Topic", "因 引起 导致 造成 触发 祸首 定位 锅 引发 搞 打满",
			`^{A}(?:并不是|并非|不是)[^，。]{2,24}{BY}，(?:而)?是{NP}(?:{BY})?$`,
			`^{A}(?:的)?\s?(?:根因|根本原因|真正的?原因|原因|起因|罪魁祸首|元凶)(?:就|其实|最后|已经|确认)*\s?(?:是|在于|：|:)\s?{NP}$`,
			`^{A}由\s?{NP}\s?(?:引起|导致|造成|引发|触发)$`, `^{A}(?:最后|最终)?(?:定位到(?:是)?|查出来是|确认是){NP}(?:{BY})?$`, `^{A}(?:就|都|确认)?是{NP}{BY}$`, `^{A}是(?:因为|由于){NP}$`,
			`^{NP}\s?(?:导致|引起|造成|引发|触发)了?\s?{A}$`, `^(?:根因|根本原因|原因|罪魁祸首)(?:找到了)?(?:就)?(?:是|在于|：)\s?{NP}$`, `^(?:就|都)?是{NP}(?:{BY}|的锅)$`},
		[]string{"!FIXED_BY", "Action", "没 无效 管用 依旧 照 作用 还",
			`^{ACT}(?:之后|以后|后|了|也|，)*{BAD}[，,]{A}(?:还在|依旧|照样|还是)`, `^{ACT}(?:之后|以后|后|完|了|，)*\s?{A}{BAD}`, `^{ACT}(?:之后|以后|后|完|了|过|，)*{BAD}(?:了)?$`},
		[]string{"FIXED_BY", "Action", "恢复 好了 消 解 下来 回落 报 缓解 正常 绿 通 定 平",
			`^(?:最后|后来|结果|我们?)*(?:靠|通过)?{ACT}(?:之后|以后|后|完|了|，)+\s?{A}{OK}`, `^{A}(?:最后|后来|是)*(?:靠|通过|用|经){ACT}(?:之后|以后|后|才)*{OK}`,
			`^(?:最后|后来|结果|我们?)*(?:靠|通过)?{ACT}(?:之后|以后|后|完|了|，)+{OK}`},
		[]string{"!HANDLED_BY", "Action", "不要先 别先", `(?:不要|别)(?:再)?先(?P<O>[^，,。]{2,16})`},
		[]string{"HANDLED_BY", "Runbook", "手册 预案 RB-", `(?:遇到\s?)?{A}(?:出问题|的时候|时|的话|了)?[，,]?\s?(?:就|先)?(?:走|按照?|照|参考)\s?《(?P<O>[^《》]{2,30})》`, `{T}(?:出问题|告警|报警|异常)(?:了|的话|时)?[，,]?就?(?:走|按)\s?(?P<O>RB-[\w-]+)`},
		[]string{"HANDLED_BY", "Action", "手册 步骤 办法 流程 预案 方法 RB-",
			`(?P<S>RB-\d+)[^:：，]{0,20}[:：]\s?(?P<O>[^。]{4,60})$`,
			`(?:按手册[，,]|手册(?:里|上)?(?:规定|要求|写的是|说))\s?{A}(?:的时候|时)?(?:要先|应该先|得先|要|先)?\s?{ACT}$`,
			`^{A}的?(?:处理步骤|处置步骤|处置流程|处理办法|处置方法|应急步骤|手册|预案|流程)(?:现在|已经|里|上|写的)*(?:是|：|就是|改成了?|改为了?|更新为)\s?(?:不要[^，]{2,20}，)?(?:先)?{ACT}$`,
			`(?:手册|预案|流程)(?:现在|已经|里|上|写的)*(?:是|：|改成了?|改为了?|更新为)\s?{ACT}$`},
		[]string{"!OWNED_BY", "Topic", "不归 不由 不属于 不再归", `{T}(?:不再|不)(?:归|由|属于)\s?{WHO}(?:管|负责|维护)?(?:了)?(?:[，,。]|$)`},
		[]string{"OWNED_BY", "Topic", "归 由 负责 维护 管 属于 交给 转给",
			`{T}不归[^，。]{2,8}[，,](?:现在)?(?:是|归)\s?{WHO}的?$`, `(?P<S>\p{Han}{2,12}(?:手册|预案))》?(?:现在|目前)?(?:由|是|归)\s?{WHO}(?:在)?(?:维护|负责|管)`,
			`{T}的?\s?(?:负责人|owner|责任人|维护人|负责团队|接口人|值班人)(?:现在|目前|已经)*(?:还?是|为|改[为成由]了?|换[为成]了?|变更为|：|:)\s?{WHO}(?:了)?$`, `^(?:负责人|owner|责任人|维护人|负责团队)(?:现在|目前)?(?:是|为|改[为成]了?|换[为成]了?|：|:)\s?{WHO}(?:了)?$`,
			`{T}(?:归|由|属于|交给了?|移交给了?|转给了?|划给了?|是)\s?{WHO}(?:在)?(?:负责|管|维护|运维|接手|接管|跟进)(?:了|的)?`, `{T}(?:归|属于|交给了?|移交给了?|转给了?)\s?{WHO}(?:了|的)?$`,
			`^(?:现在|以后)?(?P<O>\p{Han}{2,6}?(?:组|团队|部|中心)|[老小]\p{Han})(?:现在|一直)*(?:负责|维护|管着?|接手了?)\s?{T}`},
		[]string{"!RUNS_ON", "Host", "不在 搬 迁", `{SVC}[^。]*?[，,](?:并)?不在\s?{HOST}`, `{SVC}\s?(?:早就|已经|现在)*(?:不在|搬离了?|迁离了?|不再跑在)\s?{HOST}`},
		[]string{">RUNS_ON", "Host", "迁 搬", `{T}(?:迁移?|搬)到了?\s?{HOST}`},
		[]string{"RUNS_ON", "Host", "跑 部署 运行 迁 搬", `{T}(?:跑|部署|运行|迁移?|搬)(?:在了?|到了?)\s?{HOST}`, `^(?P<O>` + opsHost + `)\s?(?:上面?|这台)?(?:现在|主要)*(?:跑着|部署着|跑的是|运行着)\s?{SVC}`},
		[]string{"!DEPENDS_ON", "Service", "依赖 调用", `{T}(?:不再|不)(?:直接|强)?(?:依赖|调用)\s?{TO}`},
		[]string{"DEPENDS_ON", "Service", "依赖 调用 只用", `{SVC}\s?不依赖[^，]+[，,]只(?:用|依赖)\s?{TO}`, `{T}(?:直接|强|弱|间接|会|要)*(?:依赖于?|调用)\s?{TO}`},
	)
})

var zhSettings = sync.OnceValue(func() []rule {
	set := `(?:从\s?\S+?\s?)?(?:是|为|有|到|至|设为|设成了?|设到了?|设置为|定为|配成了?|改为了?|改成了?|改到了?|调成了?|调为|调到了?|调大到|提到了?|提高到了?|降到了?|降为|升到了?|加到了?|减到了?|扩到了?|缩到了?|放宽到了?|回退到|=|：|:)?\s?`
	return compile(zhFragments,
		[]string{"HAS_SETTING", "Tag", "= 数 值 线 时 池 留 限 额 本 率 隔 期 度 小 存 别 权 窗 口 宽 发 TTL ttl _",
			`{T}(?:上|里)?的?\s?{K}(?:现在|目前|已经|统一|这次|今天|刚|只|就|还|实际|默认|\s)*` + set + `{V}`,
			`(?:把|给)\s?{T}的?\s?{K}\s?(?:从\s?\S+\s?)?(?:提|调|加|降|改|扩|缩|升|减)\w*[到为成至]了?\s?{V}`,
			`^(?:把)?{K}(?:现在|目前|已经|统一|\s)*` + set + `{V}`},
		[]string{"HAS_SETTING", "Tag", "升 回滚 降 跑的是", `{T}(?:升级?|回滚|回退|降级?)到了?\s?(?P<V>v?\d+(?:\.\d+)+)`},
		[]string{"HAS_SETTING", "Tag", "扩 缩", `{T}(?:从\s?\d+\s?个?\S{0,2}\s?)?(?:扩容?|缩容?)(?:到了?|成了?)\s?(?P<V>\d+)\s?个?(?P<K>副本|实例|节点|分区)`},
	)
})

var (
	zhTalk  = pattern.New(`告警|报警|根因|服务|主机|节点|集群|连接池|阈值|副本|超时|网关|数据库|磁盘|内存|队列|堆积|延迟|证书|缓存|重启|回滚|扩容|负责人|值班|手册|预案|依赖|部署|限流|版本|日志|链路|丢包|归|负责|维护`)
	zhOut   = pattern.New(`怀疑|感觉|像是|好像|不像|可能|也许|会不会|是不是|大概|估计|应该是|猜|没确认|不确定|没定论|没查|没找到|如果|要是|假如|万一|打算|计划|准备|建议|回头|明天再|下个?[月周]|待会|等会|过时|以前|原来是|据说|听说|谁|什么|吗$|怎么|多少|要不要|有没有|正在|试试|想把|想给|得把|该把|^(?:之前|原来|原先)`)
	zhMarks = pattern.New(`(?:清楚|找到|定位|确认|结论|通知|输出|更新)了?[：:]|[，,。；;！!…]+|——| - `)
	zhList  = pattern.New(`、|和|与|以及`)
	// A symptom represents its alert: "sw-03 一直丢包".
	zhSymptom = pattern.New(`^(` + opsThing + `)\s?(?:又|一直|开始|在|频繁|间歇性|疯狂|大量|突然|持续|\s)*(?:报|抛|返回)?(丢包|闪断|抖动|超时|掉线|失联|宕机|不通|断连|卡死|OOM|频繁重启|反复重启|\d{3} ?错误)`)
	zhNamed   = pattern.New(`(?:^|[，。：:；“「\s])((?:` + opsThing + `\s?)?\p{Han}{2,8}?|[A-Z]{1,6}\p{Han}{2,6}?)(?:这个|这条)?(?:告警|报警)|^(?:告警|报警)[：:]\s?(\p{Han}{2,8})`)
	zhNoName  = pattern.New(`^(?:这|那|该|收到|一条|有|新|老|所有|全部|没|又|还|的|查|看|处理|先|静默|屏蔽|确认|关|发|触发|是|今天|昨|刚|几|原因|根因|问题|手册|它|我|你|他|再|已经|之后|然后|结果|大概|状态|服务|系统|大家|现在|不)|[的了吗不]$`)
)

// zhRead reads one Chinese sentence, clause by clause; before are the sentences ahead of it.
func zhRead(s string, before []sentence.Sentence, o Options) (out []Statement) {
	for _, b := range before {
		o.Alert, o.Thing = o.Spoken(b.Text)
	}
	if o.Alert == "" && o.Thing == "" && !opsAny.MatchString(s) && !zhTalk.MatchString(s) {
		return nil
	}
	var last string // the clause before, where it may continue
	for _, c := range zhMarks.Split(s, -1) {
		if c = strings.TrimSpace(c); c == "" {
			continue
		}
		if zhOut.MatchString(c) {
			last = ""
			continue
		}
		had := len(out)
		if last != "" {
			out = merge(out, readClause(zhRules(), zhSettings(), last+"，"+c, o, true))
		}
		o.Alert, o.Thing = o.Spoken(c)
		if len(out) == had {
			out = merge(out, readClause(zhRules(), zhSettings(), c, o, false))
		}
		last = c
	}
	return out
}

// zhSpoken is the alert that a Chinese text speaks of by a Chinese name, or by its symptom
// on a named system.
func zhSpoken(text string) string {
	if m := zhNamed.FindStringSubmatch(text); m != nil && !zhNoName.MatchString(m[1]+m[2]) {
		return m[1] + m[2]
	}
	if m := zhSymptom.FindStringSubmatch(text); m != nil {
		return m[2]
	}
	return ""
}

// zhClean makes a name of a phrase about systems.
func zhClean(s string) string {
	s = clean(trimAny(s, []string{"上次", "这次", "昨晚的", "刚才的", "因为", "由于", "一个", "那条", "那个", "了"}, []string{"的问题", "的锅", "的原因", "的缘故", "这一步", "了", "的", "之后", "以后"}))
	if n := utf8.RuneCountInString(s); n > 40 || n < 2 {
		return ""
	}
	return s
}
