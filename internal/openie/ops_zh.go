package openie

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/pattern"
)

// Chinese talk about systems. A sentence is read clause by clause; each clause is
// offered to every frame. A frame names its subject, or takes the one that was spoken
// of last: in the sentence, in the sentences before it, or in the memory before.

const (
	// A name of a system: Latin, as such names are in Chinese text too.
	zhSys  = `(?:` + opsThing + `|[A-Za-z][A-Za-z0-9_.-]*[A-Za-z0-9])`
	zhSyss = zhSys + `(?:\s?(?:、|和|与|跟|以及|，)\s?` + zhSys + `)*`
	// The name of an alert may be Chinese: 支付超时, MQ堆积, 磁盘写满.
	zhAlarm = `(?:` + opsAlert + `|[A-Za-z0-9_.-]*[A-Za-z][A-Za-z0-9_.-]*\s?[\p{Han}]{2,6}?|[\p{Han}]{2,8}?|` + zhSys + `)`
	zhAny   = `(?:这个|这条|该)?\s?(?:告警|报警)?\s?`
	zhVal   = `(?:v?\d[\d.,]*\d|\d)(?:\s?(?:毫秒|秒钟?|分钟|小时|天|个月|周|个|台|次|倍|万|ms|s|m|h|d|%|GB|gb|MB|mb|KB|Gi|Mi|G|M|k|K|qps|QPS|w))?`
	// What can be set: an identifier, or a noun of this kind with what it is of.
	zhKnob = `(?:[a-z]+(?:[_.][a-z]+)+|TTL|ttl|QPS ?上限|qps ?上限|replicas|max_connections|maxmemory|(?:最大|最小)?(?:连接|并发|线程|副本|实例|分区|重试|请求|工作线程|消费者)(?:数量?|次数|上限|池(?:大小|上限)?)|(?:告警|报警|磁盘|内存|延迟|错误率|失败率|堆积|水位)?(?:阈值|告警线|水位线?)|(?:连接|读|写|请求|读取|调用|空闲)?超时(?:时间)?|连接池(?:大小|上限)?|(?:日志)?保留(?:时间|天数|期|周期)?|(?:内存|连接|并发|磁盘|CPU|队列|上传|限流)?(?:上限|下限|配额|限额)|限流值?|(?:镜像|当前|线上)?版本号?|副本|采样率|(?:刷新|轮询|检查|心跳|抓取|上报|备份)?(?:间隔|周期|频率)|队列长度|批大小|批量大小|堆内存|缓存(?:时间|过期时间)|过期时间|日志级别|MTU|mtu|速率|权重|窗口|端口|带宽|轮转大小)`
)

// zhActs start what is done about a fault.
const zhActs = `(?:重启|重新|重建|重插|重装|重置|重跑|回滚|回退|扩容|扩|缩容|清理|清空|清掉|清了?|切换|切到|切走|切|降级|限流|熔断|换|升级|升|加|调大|调小|调高|调低|调整?|改|删|关掉?|关闭|停掉?|停|提|摘掉?|摘|迁移?|迁|补|打补丁|杀掉?|杀|释放|续签|更新|更换|替换|隔离|驱逐|手动|滚动|把|给|先|腾出?|归档|压缩|下线|上线|禁用|启用|打开|开启|drain|DRAIN|reload|执行|跑了?|合并|增加|减少|刷新|刷|拉黑|封|绕过|拆|恢复)`

var (
	zhOpsTalk = pattern.New(`告警|报警|根因|服务|主机|节点|集群|连接池|阈值|副本|超时|网关|数据库|主库|从库|磁盘|内存|CPU|GC|队列|堆积|延迟|证书|缓存|重启|回滚|扩容|负责人|值班|手册|预案|依赖|部署|限流|版本|上限|发版|日志|链路|端口|接口|光模块|丢包|抖动|路由|防火墙|专线|网线|光纤|归|负责|维护|机房|[a-z]+_[a-z_]+ ?=|工具输出|交换机|带宽|配置`)
	zhOpsOut  = pattern.New(`怀疑|感觉|像是|好像|不像|可能|也许|会不会|是不是|大概|估计|应该是|猜|没确认|不确定|没定论|还没有?定|没有定论|没查|没找到|如果|要是|假如|万一|打算|计划|准备|建议|回头|明天再|下个?[月周]|下次再|待会|等会|过时|以前|原来是|据说|听说|有人说|论坛|供应商|厂商|谁|什么|吗$|怎么|多少|哪[个台里]|要不要|有没有|没有$|改过没|我来|我去|正在|先别急|试试|看看|想把|想给|得把|需要把|该把`)
	zhOpsWas  = pattern.New(`^(?:之前|原来|以前|原先|早先|旧的)`)

	zhAffects  = pattern.New(`(` + zhAlarm + `)?` + zhAny + `(?:这次|又|也|现在|主要|目前|一直|已经|只|都)*\s?(不会|并没有|并未|没有?|不)?(?:再)?(?:影响到?了?的?是?|波及到?了?|打在了?|触发在|报在|落在|挂在|涉及到?了?|命中了?|扩散到了?|殃及)\s?(` + zhSyss + `)`)
	zhOnHosts  = pattern.New(`^(` + zhSyss + `)\s?(?:两台|三台|几台|这台|那台|一台)?(?:机器)?(?:最重|最严重|也报|也在报|受影响最大|受影响|也中招|中招了|中招)`)
	zhUnharmed = pattern.New(`(` + zhSyss + `)\s?(?:倒|完全|都|倒是)?(?:没受影响|不受影响|没有受影响|未受影响|没事|一切正常|没中招)`)

	zhCausedBy = pattern.New(`^(.*?)(不是|并不是|并非|而不是|不是因为|是|就是|确认是|还是|都是|原来是|其实是|确实是)\s?(?:由于|因为|由)?\s?([^，。是]{2,30}?)\s?(?:引起|导致|造成|引发|触发|惹|闹|搞|拖|打满|压垮|弄|害)(?:出来)?的`)
	zhCauseIs  = pattern.New(`^(.*?)(?:的)?\s?(?:根因|根本原因|真正的?原因|真因|原因|起因|罪魁祸首|元凶|问题)(?:查到|找到|定位|确认|查清|清楚|明确)?(?:了|在于|出在|就|其实|最后|已经|最终)*\s?(不是|并不是|并非|是|在于|出在|在|为|：|:)\s?(?:由于|因为)?\s?([^，。？]{2,30})$`)
	zhBecause  = pattern.New(`^(.*?)(?:就|都|其实|确实)?是(?:因为|由于)\s?([^，。？]{3,30}?)(?:引起|导致|造成)?的?$`)
	zhCauses   = pattern.New(`^(?:是|就是|因为|由于)?\s?([^，。]{2,24}?)\s?(?:导致|引起|造成|引发|触发|拖垮|压垮)了?\s?(` + zhAlarm + `)(?:告警|报警)?$`)
	zhNoLink   = pattern.New(`^(.*?)\s?(?:跟|和|与|同)\s?([^，。]{2,20}?)\s?(?:没有?(?:任何|半点|一点|什么|直接|半毛钱)?关系|无关|不相干|不沾边|没什么关系|无任何关系)`)
	zhRuledOut = pattern.New(`(?:已经?|可以|基本|先)?排除(?:了|掉了?)?\s?([^，。了]{2,20}?)(?:的)?(?:可能性?|嫌疑|因素|原因|问题|影响)?$`)
	// A symptom stands for its alert: "sw-03 一直丢包".
	zhSymptom   = pattern.New(`^(` + zhSys + `)\s?(?:的\s?[\p{Han}]{1,5}?|这台|那台|服务|接口|端口|上|这边)?\s?(?:又|一直|开始|在|频繁|间歇性|疯狂|大量|突然|持续|已经|全|都)*(丢包|闪断|抖动|超时|掉线|失联|宕机|不通|断连|卡死|OOM|频繁重启|反复重启)(?:了|的)*`)
	zhRuledOut2 = pattern.New(`^([^，。]{2,16}?)(?:的可能性?|的嫌疑|的因素|这条)?\s?(?:已经?|可以|基本|也|都)*(?:被)?排除(?:了|掉了?)?$`)
	zhNotBlame  = pattern.New(`^(.*?)(?:真|这次|应该|并)*(?:不是|不怪|怪不到|不赖)\s?([^，。是]{2,16}?)(?:的锅|的问题|的事|的原因|的责任|头上)?$`)
	zhTurnedOut = pattern.New(`^(?:最后|结果|才|发现|查下来|查出来|查了半天|原来|其实|确认|定位到了?|找到了|真相)+(?:就)?是\s?(?:因为|由于)?([^，。？了]{3,24})(?:了|啊)?$`)
	zhBlame     = pattern.New(`^(?:最后|结果|才|发现|查下来|查出来|查了半天|其实|原来|就|是|都)*(?:是|怪|赖)\s?([^，。是]{2,20}?)(?:的锅|的问题|惹的祸|搞的鬼|作怪|捣的鬼)$`)

	zhFixed    = pattern.New(`^(?:最后|最终|后来|结果|我们?|值班的?|大家|已经)*(?:是|靠|通过|用|在)?\s?(` + zhActs + `[^，。]{0,26}?)(?:(?:之后|以后|完以?后?|过后|后|完|了|，)+\s?(` + zhAlarm + `)?` + zhAny + `)?(?:就|才|便|马上|立刻|终于|已经?|很快|一下子?|随即|也|全|都|自动|彻底|慢慢|开始|指标|错误率|延迟|曲线|队列|一切)*\s?(?:恢复(?:正常|了)?|消失|好了|消除|解除|解决|下来了|降下来|降了?下去|回落|不报了|不再报|不抖了?|不闪了?|不丢了?|缓解|没再(?:报|出现|响|犯)|停了|清零|消了|正常了|绿了|通了|压下去|搞定|修好|稳(?:定|住)?了|回来了|平了)(?:了|的)*$`)
	zhFixedBy  = pattern.New(`^(` + zhAlarm + `)` + zhAny + `(?:最后|最终|后来|已经|其实|才|就)*(?:是)?(?:靠|通过|用|在|经)?\s?(` + zhActs + `[^，。]{1,26}?)(?:之后|以后|后|来|才|就|给)*(?:恢复|消失|好|消除|解除|解决|下来|搞定|修好|压下去|缓解|没再报)(?:正常)?(?:的|了)*$`)
	zhNotFixed = pattern.New(`^(?:我们?|先|已经|光|单纯|试过|只)*\s?((?:` + zhActs + `|扩|加)[^，。]{0,24}?)(?:(?:之后|以后|过后|后|完|了|过|，|对)+\s?(` + zhAlarm + `)?` + zhAny + `)?(?:是|也|都|其实|根本|并|完全|好像|一样|了一?[遍次回]|没过.{1,4}又)*\s?(?:没用|没有用|没起作用|不起作用|没有起作用|不管用|没效果|没有效果|无效|没好|没恢复|没有恢复|没解决|没有解决|没有消失|没消失|还在报|又报|又来|照报|没变化|没动静|没降|没下来|解决不了|治标不治本|白搭|救不了|于事无补|(?:还是|依然|依旧|照样|仍然?|还在?|照旧)(?:闪|抖|满|报|丢|高|慢|不行|一样|老样子))(?:了|的)*$`)

	zhRunbook    = pattern.New(`(?:《([^《》]{2,30}(?:手册|预案|流程|规范|SOP)[^《》]{0,6})》|(` + zhAlarm + `)\s?的?(?:处置|处理|应急|排障)?(?:手册|预案|流程|SOP|步骤|办法|方案|动作)|((?:处置|应急|值班|运维|排障)?(?:手册|预案|SOP|流程)))(?:里|上|中|的?第.{1,3}[步条]|那条|现在|已经?|上个?月|今天|刚|新版)*\s?(?:写的是|写着|规定(?:的是|了)?|要求|说的是|说|改为了?|改成了?|改了|更新为|更新成|更新了|换成了?|变成了?|是|为|写明)[:：，]?\s?(.{2,44})$`)
	zhNewWay     = pattern.New(`(?:复盘|手册|流程|步骤|预案|新的做法|现在的做法).{0,6}?(?:改了|改成了?|改为|更新了|换成了?|是)\s?[:：]?\s?((?:先|把|直接|要先|` + zhActs + `).{2,40})$`)
	zhManualSays = pattern.New(`^(?:按|照|根据)(?:照)?(?:手册|预案|流程)[，,]?\s?(` + zhAlarm + `)` + zhAny + `(?:的时候|时)?(?:要|应该|应|得)?\s?((?:先|走|` + zhActs + `).{2,36})$`)
	zhKept       = pattern.New(`(?:在)?(?:维护|负责|管)$`)
	zhStepNow    = pattern.New(`^(?:手册|预案|流程)?(?:里|的|上)?第.{1,3}[步条]\s?(?:现在|已经?|要|应|统一)*(?:改为了?|改成了?|换成了?|更新为|变成了?|是)\s?[:：]?\s?(.{2,40})$`)
	zhMeeting    = pattern.New(`(?:(?:以后|今后|一旦|凡是)?(?:遇到|碰到|出现|收到|遇上|看到|再有)\s?(` + zhAlarm + `)` + zhAny + `(?:的时候|时|的话|后)?|^(` + zhAlarm + `)\s?(?:告警|报警)(?:一响|响了?)?(?:的时候|时|的话|后))[，,]?\s?(?:就|要|应该|应|现在|统一|一律|直接|都|请)*\s?(.{2,40})$`)
	zhByBook     = pattern.New(`(?:按照?|走|照着?|参照|参考|依据|查|看|用|执行)\s?(?:《([^《》]{2,30})》|(RB-\d+)|((?:[A-Za-z][\w-]*|[\p{Han}]{2,10}?)(?:处置)?(?:手册|预案|runbook|SOP)))`)
	zhRB         = pattern.New(`\b(RB-\d+)[^:：]{0,20}[:：]\s*([A-Za-z\p{Han}].{3,60})$`)
	zhNotFirst   = pattern.New(`(?:不要|别|不能|不用|不必|切勿|禁止)(?:再|一上来就|直接|着急|急着)?先?\s?([^，,。]{2,16})[，,]\s?(?:而是|要|应该|应)*先?\s?(.{2,30})$`)

	zhBookOwner = pattern.New(`《?([\p{Han}]{2,12}(?:手册|预案))》?\s?(?:现在|目前|一直|已经)*(?:由|是|归)\s?([\p{Han}\w]{2,6}?)(?:在)?(?:维护|负责|管)(?:的|了)?$`)
	zhOwnedBy   = pattern.New(`(` + zhSys + `)\s?(?:服务|这边|这块|这台机器|这台|主机|的事)?\s?(?:现在|目前|已经|还|早就|一直|改|以后|都|这周起)*(不再|不)?(?:归|由|属于|归属于?|交给了?|移交给了?|转给了?|划给了?|归到了?|转交给了?)\s?([\p{Han}A-Za-z][\p{Han}\w -]{0,11}?)(?:在?(?:负责|管|维护|运维|值班|看|接手|接管|跟进)(?:了|的)?|的|了)?(?:，|,|。|$)`)
	zhOwnerIs   = pattern.New(`(` + zhSys + `)\s?(?:服务)?\s?的?\s?(?:负责人|owner|Owner|责任人|维护人|维护方|负责团队|接口人|对接人|值班人)(?:现在|目前|已经|都|就)*\s?(不是)?(?:是|为|改成了?|换成了?|变成了?|换了|：|:)\s?([\p{Han}A-Za-z][\p{Han}\w ]{0,12}?)(?:了)?$`)
	zhOwns      = pattern.New(`^(?:现在|目前|以后|其实)?([\p{Han}]{2,6}?(?:组|团队|部|班|中心)|[老小][\p{Han}]|[\p{Han}]{2,3}|[A-Z]\w+)(?:现在|目前|已经|一直|在)*(不再|不)?(?:负责|维护|管着?|接手了?|接管了?|认领了?|运维)\s?(` + zhSys + `)`)
	zhBelongs   = pattern.New(`(` + zhSys + `)\s?(?:现在|目前|其实)*(不是|是)\s?([\p{Han}A-Za-z]{1,8}?(?:组|团队|部|中心|班))\s?(?:的|在管|在维护|负责|维护)`)
	zhAskThem   = pattern.New(`(` + zhSys + `)\s?(?:的事|的问题|这块|这边|有事|出问题|出事)?(?:直接|就|都|请)?(?:找|联系|问)\s?([\p{Han}A-Za-z]{2,8}?(?:组|团队|部|老师|工|哥|姐)|[老小][\p{Han}])`)
	zhAlsoOwn   = pattern.New(`^(?:是|归)?\s?([\p{Han}]{2,6}?(?:组|团队|部|中心)|[老小][\p{Han}]|[\p{Han}]{2,3}?)(?:负责|的|管|在管|维护)$`)

	zhRunsOn   = pattern.New(`(` + zhSys + `)\s?(?:服务|实例|现在|目前|就|是|都|已经|早就|其实|还|从.{2,12}?|全|主要)*\s?(不再|不|没|没有)?(?:跑|部署|运行|放|装|起|落|迁移?|搬|挪|调度|在|切)(?:在了?|到了?|去了?)?\s?(` + zhSyss + `)\s?(?:上面?|里|这台|两台|三台|机器|主机|上了)*(?:跑|了)?`)
	zhHosts    = pattern.New(`^(` + zhSys + `)\s?(?:这台|那台)?(?:上面?|这台|里)\s?(?:现在|目前|只|还|主要|就)*(没有?|不再)?(?:跑着?|部署着?了?|跑的是|部署的是|装着?了?|装的是|运行着?)\s?(` + zhSyss + `)`)
	zhNotOn    = pattern.New(`(` + zhSys + `)\s?(?:早就|已经|现在|其实|都)*(?:不在|搬离了?|迁离了?|撤出了?|离开了?|从)\s?(` + opsHost + `)\s?(?:上)?(?:了|跑了|下线了?|撤了?|摘了?|迁走了?|搬走了?)`)
	zhNotThere = pattern.New(`^(?:而|并)?不(?:是)?在\s?(` + opsHost + `)`)
	zhNeeds    = pattern.New(`(` + zhSys + `)\s?(?:服务|启动|现在|目前|已经|早就|其实|直接|强|弱|会|也|还|只|都|要|得|是|时|先)*\s?(不再|不|没有?)?(?:直接|强|弱|间接|会|要|再)*(?:依赖于?|依赖的是|调用|要调|连的是|连着|读写|读的是|用的是|走的是|只用|靠|对接了?|挂在)\s?(?:了)?\s?(` + zhSyss + `)`)
	zhOnlyUses = pattern.New(`^(?:只|只是|现在|改|改为|还|也|就)(?:用|依赖|调用|连|走|读)\s?(` + zhSyss + `)`)

	zhSetTo = pattern.New(`(?:^|[^A-Za-z0-9_.-])(` + zhSys + `|` + zhAlarm + `告警)?\s?(?:服务|实例|集群|这边|上|里|告警|的|主题|那边)*\s?(` + zhKnob + `)\s?(?:现在|目前|已经|统一|这次|今天|昨晚|刚|被|我|一直|才|只有|只|就|还|实际|默认|线上|大小|的值|都|，)*\s?(?:从\s?` + zhVal + `\s?)?(?:是|为|有|到|至|设为|设成了?|设到了?|设置为|设置成|设了|定在了?|定为|定成|配成了?|配的是|配了|改为了?|改成了?|改到了?|改回了?|调成了?|调为|调到了?|调整到了?|调整为|调大到|调高到|调低到|提到了?|提高到了?|降到了?|降为|降低到|升到了?|升级到了?|加到了?|减到了?|缩到了?|扩到了?|放宽到了?|收紧到了?|回退到|=|：|:|＝)*\s?(` + zhVal + `)`)
	zhUpTo  = pattern.New(`(` + zhSys + `)\s?(?:已经|现在|刚|今天|昨晚)*(?:升级?到了?|回滚到了?|回退到了?|跑的是|用的是|升到了?|换到了?)\s?(v\d[\w.]*|\d+\.\d[\w.]*)(?:版本)?`)
	zhReps  = pattern.New(`(` + zhSys + `)\s?(?:已经|现在|刚|今天|从\s?` + zhVal + `\s?)*(?:扩容?到了?|缩容?到了?|扩成了?|有|是|跑了?)\s?(\d+)\s?个?(副本|实例|节点|分区)`)
)

// zhOpsTriples reads one Chinese sentence about systems. before are the sentences
// ahead of it in the same text.
func zhOpsTriples(s string, before []Sentence, o TripleOptions) (out []Triple) {
	if strings.HasSuffix(strings.TrimRight(s, "”」 "), "？") || strings.HasSuffix(s, "?") {
		return nil
	}
	alert, thing := o.Alert, o.Thing
	for _, b := range before {
		alert, thing = TripleOptions{Alert: alert, Thing: thing}.Spoken(b.Text)
	}
	if alert == "" && thing == "" && !opsAny.MatchString(s) && !zhOpsTalk.MatchString(s) {
		return nil
	}
	add := func(subj, st, pred, typ string, objs []string, neg bool, conf float64) bool {
		n := len(out)
		for _, obj := range objs {
			if obj = zhOpsClean(obj); obj == "" || obj == subj || opsNoService[strings.ToLower(obj)] {
				continue
			}
			t := typ
			if t == "" {
				t = opsType(obj)
			}
			if subj == "" || !opsAllowed(pred, st, t) {
				continue
			}
			tr := Triple{Subject: Term{st, []string{subj}}, Predicate: polar(pred, neg), Object: Term{t, []string{obj}}, Confidence: conf}
			if !slices.ContainsFunc(out, func(u Triple) bool { return u.key() == tr.key() }) {
				out = append(out, tr)
			}
		}
		return len(out) > n
	}
	// alarm is the alert that a phrase names, or else the one spoken of last.
	alarm := func(phrase string) (name string, sure bool) {
		p := trimAny(phrase, []string{"这次", "那就是它了", "根因找到了", "查到了", "找到了", "所以", "因为", "说明", "那", "确认了", "确认", "排除了", "另外", "今天", "昨晚", "我们", "其实", "最后", "对", "先", "而", "就"}, []string{"这个告警", "这条告警", "告警", "报警", "的", "根因", "根本原因", "原因", "这次", "应该", "也", "都", "其实", "真正", "并", "就", "确实", "这个", "这条"})
		if zhBareSys.MatchString(p) && opsType(p) != "Alert" && !strings.Contains(p, "_") {
			return alert, false // what a system's name stands for is not its alert
		}
		if m := opsAny.FindString(p); m != "" && (opsType(m) == "Alert" || strings.Contains(p, m) && len(p) == len(m)) {
			return m, true
		}
		if n := runes(p); n >= 2 && n <= 10 && !zhOpsNoAlarm.MatchString(p) && zhOpsTalk.MatchString(phrase+s) {
			return p, true
		}
		return alert, false
	}
	kind := func(obj string) string {
		if obj = zhOpsClean(obj); opsBare.MatchString(obj) && opsType(obj) != "Alert" {
			return opsType(obj)
		}
		return "Topic"
	}
	all := func(s string) []string { return zhSysRe.FindAllString(s, -1) }

	cause := ""
	clauses := zhOpsClauses(s)
	for i, c := range clauses {
		if zhOpsOut.MatchString(c) {
			continue
		}
		prevAlert := alert
		alert, thing = TripleOptions{Alert: alert, Thing: thing}.Spoken(c)
		next := ""
		if i+1 < len(clauses) && !zhOpsOut.MatchString(clauses[i+1]) {
			next = clauses[i+1]
		}
		// who is affected
		if m := zhAffects.FindStringSubmatch(c); m != nil {
			a := alert
			if m[1] != "" {
				a, _ = alarm(m[1])
			}
			if a != "" {
				alert = a
				add(a, "Alert", "AFFECTS", "", all(m[3]), m[2] != "", plainly)
			}
		} else if m := zhOnHosts.FindStringSubmatch(c); m != nil && alert != "" {
			add(alert, "Alert", "AFFECTS", "", all(m[1]), false, weak)
		}
		if m := zhUnharmed.FindStringSubmatch(c); m != nil && alert != "" {
			add(alert, "Alert", "AFFECTS", "", all(m[1]), true, weak)
		}
		// why
		switch {
		case !strings.ContainsAny(c, "因引导造触惹闹搞拖锅怪赖除关干是"): // a cheap look before the patterns
		case matched(zhNoLink, c, func(m []string) {
			if a, _ := alarm(m[1]); a != "" {
				alert = a
				add(a, "Alert", "CAUSED_BY", kind(m[2]), []string{m[2]}, true, plainly)
			}
		}):
		case matched(zhCausedBy, c, func(m []string) {
			a, _ := alarm(m[1])
			if strings.TrimSpace(m[1]) == "" {
				a = alert
			}
			if a != "" {
				alert = a
				neg := strings.Contains(m[2], "不") || strings.Contains(m[2], "非")
				add(a, "Alert", "CAUSED_BY", kind(m[3]), []string{m[3]}, neg, plainly)
				if cause = a; neg && next != "" {
					if t, ok := strings.CutPrefix(strings.TrimPrefix(next, "而"), "是"); ok {
						add(a, "Alert", "CAUSED_BY", kind(t), []string{zhCauseTail.ReplaceAllString(t, "")}, false, plainly)
					}
				}
			}
		}):
		case matched(zhCauseIs, c, func(m []string) {
			if a, _ := alarm(m[1]); a != "" && !zhNoCause.MatchString(m[3]) {
				alert, cause = a, a
				neg := strings.Contains(m[2], "不") || strings.Contains(m[2], "非")
				add(a, "Alert", "CAUSED_BY", kind(m[3]), []string{zhCauseTail.ReplaceAllString(m[3], "")}, neg, plainly)
				if t, ok := strings.CutPrefix(strings.TrimPrefix(next, "而"), "是"); ok && neg {
					add(a, "Alert", "CAUSED_BY", kind(t), []string{zhCauseTail.ReplaceAllString(t, "")}, false, plainly)
				}
			}
		}):
		case matched(zhBecause, c, func(m []string) {
			if a, _ := alarm(m[1]); a != "" {
				alert, cause = a, a
				add(a, "Alert", "CAUSED_BY", kind(m[2]), []string{m[2]}, false, plainly)
			}
		}):
		case matched(zhCauses, c, func(m []string) {
			if a, ok := alarm(m[2]); ok && a != "" {
				add(a, "Alert", "CAUSED_BY", kind(m[1]), []string{m[1]}, false, plainly)
			}
		}):
		case alert != "" && matched(zhRuledOut, c, func(m []string) {
			add(alert, "Alert", "CAUSED_BY", kind(m[1]), []string{m[1]}, true, clear)
		}):
		case alert != "" && matched(zhRuledOut2, c, func(m []string) {
			add(alert, "Alert", "CAUSED_BY", kind(m[1]), []string{m[1]}, true, clear)
		}):
		case alert != "" && matched(zhBlame, c, func(m []string) {
			add(alert, "Alert", "CAUSED_BY", kind(m[1]), []string{m[1]}, false, clear)
		}):
		case alert != "" && matched(zhTurnedOut, c, func(m []string) {
			add(alert, "Alert", "CAUSED_BY", kind(m[1]), []string{m[1]}, false, clear)
		}):
		case alert != "" && (cause != "" || strings.Contains(c, "的锅") || strings.Contains(c, "的问题") || strings.Contains(c, "怪")) && matched(zhNotBlame, c, func(m []string) {
			if strings.TrimSpace(m[1]) == "" || cause != "" || strings.Contains(c, "锅") || strings.Contains(c, "问题") {
				add(alert, "Alert", "CAUSED_BY", kind(m[2]), []string{m[2]}, true, clear)
			}
		}):
		}
		// what helped
		both := c
		if next != "" {
			both = c + "，" + next
		}
		fixed := func(c string) bool {
			return matched(zhNotFixed, c, func(m []string) {
				a := alert
				if t, ok := alarm(m[2]); m[2] != "" && ok {
					a = t
				}
				add(a, "Alert", "FIXED_BY", "Action", []string{m[1]}, true, clear)
			}) || matched(zhFixed, c, func(m []string) {
				a := alert
				if t, ok := alarm(m[2]); m[2] != "" && ok && !zhMetric.MatchString(t) {
					a = t
				}
				add(a, "Alert", "FIXED_BY", "Action", []string{m[1]}, false, plainly)
			}) || matched(zhFixedBy, c, func(m []string) {
				if a, ok := alarm(m[1]); ok {
					add(a, "Alert", "FIXED_BY", "Action", []string{m[2]}, false, plainly)
				}
			})
		}
		if !fixed(c) && next != "" && zhActsRe.MatchString(c) {
			fixed(both)
		}
		// what to do
		switch {
		case !strings.ContainsAny(both, "册案程步遇碰收看出时B复做办方P"):
		case matched(zhRB, c, func(m []string) {
			add(m[1], "Runbook", "HANDLED_BY", "Action", []string{m[2]}, false, plainly)
		}):
		case matched(zhMeeting, both, func(m []string) {
			a, ok := alarm(m[1] + m[2])
			if !ok {
				return
			}
			if b := zhByBook.FindStringSubmatch(m[3]); b != nil {
				add(a, "Alert", "HANDLED_BY", "Action", []string{b[1] + b[2] + b[3]}, strings.Contains(m[3], "不再") || strings.Contains(m[3], "别再"), plainly)
				return
			}
			do, dont := zhDo(m[3])
			add(a, "Alert", "HANDLED_BY", "Action", []string{do}, false, clear)
			add(a, "Alert", "HANDLED_BY", "Action", []string{dont}, true, clear)
		}):
		case matched(zhManualSays, both, func(m []string) {
			if a, ok := alarm(m[1]); ok {
				do, _ := zhDo(m[2])
				add(a, "Alert", "HANDLED_BY", "Action", []string{do}, false, clear)
			}
		}):
		case matched(zhRunbook, zhRest(clauses[i:]), func(m []string) {
			subj, st := alert, "Alert"
			switch {
			case m[1] != "":
				subj, st = m[1], "Runbook"
			case m[2] != "":
				if a, ok := alarm(m[2]); ok {
					subj = a
					if t := opsType(a); t == "Service" && opsBare.MatchString(a) {
						st = t
					}
				}
			}
			do, dont := zhDo(m[4])
			if zhKept.MatchString(do) {
				return // who keeps it, not what it says
			}
			if mm := zhForAlarm.FindStringSubmatch(do); mm != nil { // 手册规定支付超时要先切…
				if a, ok := alarm(mm[1]); ok {
					subj, st, do = a, "Alert", mm[2]
				}
			}
			add(subj, st, "HANDLED_BY", "Action", []string{do}, false, plainly)
			add(subj, st, "HANDLED_BY", "Action", []string{dont}, true, clear)
		}):
		case alert != "" && matched(zhNewWay, zhRest(clauses[i:]), func(m []string) {
			do, _ := zhDo(m[1])
			add(alert, "Alert", "HANDLED_BY", "Action", []string{do}, false, clear)
		}):
		case alert != "" && matched(zhNotFirst, both, func(m []string) {
			add(alert, "Alert", "HANDLED_BY", "Action", []string{zhFirst.ReplaceAllString(m[2], "")}, false, weak)
		}):
		case matched(zhStepNow, c, func(m []string) {
			do, _ := zhDo(m[1])
			add(alert, "Alert", "HANDLED_BY", "Action", []string{do}, false, clear)
		}):
		case alert != "" && strings.Contains(c, alert) && matched(zhByBook, c, func(m []string) {
			add(alert, "Alert", "HANDLED_BY", "Action", []string{m[1] + m[2] + m[3]}, strings.Contains(c, "不再") || strings.Contains(c, "不走") || strings.Contains(c, "不按"), clear)
		}):
		}
		// whose
		owned := ""
		own := func(subj, who string, neg bool, conf float64) {
			if st := opsType(subj); zhOwner.MatchString(who) && add(subj, st, "OWNED_BY", "Topic", []string{zhOwnerTail.ReplaceAllString(who, "")}, neg, conf) {
				owned = subj
			}
		}
		switch {
		case !strings.ContainsAny(c, "归由属交转划负责维管接找联问是人"):
		case matched(zhBookOwner, c, func(m []string) {
			add(m[1], "Runbook", "OWNED_BY", "Topic", []string{m[2]}, false, plainly)
		}):
		case matched(zhOwnerIs, c, func(m []string) { own(m[1], m[3], m[2] != "", direct-0.02) }):
		case matched(zhOwnedBy, c, func(m []string) { own(m[1], m[3], m[2] != "", plainly) }):
		case matched(zhBelongs, c, func(m []string) { own(m[1], m[3], strings.HasPrefix(m[2], "不"), plainly) }):
		case matched(zhOwns, c, func(m []string) { own(m[3], m[1], m[2] != "", clear) }):
		case matched(zhAskThem, c, func(m []string) { own(m[1], m[2], false, weak) }):
		}
		if owned != "" && next != "" {
			matched(zhAlsoOwn, next, func(m []string) { own(owned, m[1], false, weak) })
		}
		// where
		switch {
		case !strings.ContainsAny(c, "跑部运放装起落迁搬挪调在切从离"):
		case matched(zhNotOn, c, func(m []string) { add(m[1], "Service", "RUNS_ON", "Host", []string{m[2]}, true, plainly) }):
		case matched(zhHosts, c, func(m []string) {
			for _, svc := range all(m[3]) {
				if opsType(m[1]) == "Host" && opsType(svc) == "Service" {
					add(svc, "Service", "RUNS_ON", "Host", []string{m[1]}, m[2] != "", plainly)
				}
			}
		}):
		case matched(zhRunsOn, c, func(m []string) {
			for _, h := range all(m[3]) {
				if opsType(h) == "Host" && opsType(m[1]) == "Service" {
					add(m[1], "Service", "RUNS_ON", "Host", []string{h}, m[2] != "", plainly)
				}
			}
			if n := zhNotThere.FindStringSubmatch(next); n != nil {
				add(m[1], "Service", "RUNS_ON", "Host", []string{n[1]}, true, clear)
			}
		}):
		}
		// on what it depends
		needs := func(subj string, names []string, neg bool) {
			for _, n := range names {
				if st := opsType(n); opsType(subj) == "Service" && st == "Service" && !zhVersion.MatchString(n) {
					add(subj, "Service", "DEPENDS_ON", "Service", []string{n}, neg, plainly)
				}
			}
		}
		if m := zhFindAll(zhNeeds, c, strings.ContainsAny(c, "依调连读用走靠对挂")); m != nil {
			m := m[0]
			needs(m[1], all(m[3]), m[2] != "")
			if next != "" {
				matched(zhOnlyUses, next, func(n []string) { needs(m[1], all(n[1]), false) })
			}
		}
		// how it is set
		if zhOpsWas.MatchString(c) {
			continue
		}
		digits := strings.ContainsAny(c, "0123456789")
		for _, m := range zhFindAll(zhSetTo, " "+c, digits) {
			subj := m[1]
			if subj == "" || strings.Contains(subj, m[2]) || opsNoService[strings.ToLower(subj)] {
				subj = thing
				if found := opsAny.FindAllString(c[:max(0, strings.Index(c, m[2]))], -1); len(found) > 0 {
					subj = found[len(found)-1]
				}
			}
			if subj == "" {
				subj = prevAlert
			}
			if subj != "" {
				add(subj, opsType(subj), "HAS_SETTING", "Tag", []string{opsSettingName(m[2], m[3])}, false, plainly)
			}
		}
		matched(zhUpTo, c, func(m []string) {
			if opsType(m[1]) != "" {
				add(m[1], opsType(m[1]), "HAS_SETTING", "Tag", []string{"版本=" + m[2]}, false, clear)
			}
		})
		matched(zhReps, c, func(m []string) {
			add(m[1], opsType(m[1]), "HAS_SETTING", "Tag", []string{m[3] + "数=" + m[2]}, false, clear)
		})
		if !opsAlertRe.MatchString(alert) || alert == prevAlert {
			matched(zhSymptom, c, func(m []string) {
				if st := opsType(m[1]); st == "Host" || st == "Service" && opsBare.MatchString(m[1]) {
					out = append(out, Triple{Subject: Term{"Alert", []string{m[2]}}, Predicate: "AFFECTS", Object: Term{st, []string{m[1]}}, Confidence: interpreted})
				}
			})
		}
		for _, re := range opsSymptoms {
			matched(re, c, func(m []string) {
				if st := opsType(m[1]); st == "Service" || st == "Host" {
					if sym := opsClean(m[2]); sym != "" && !zhOpsTalkNo.MatchString(sym) {
						out = append(out, Triple{Subject: Term{"Alert", []string{sym}}, Predicate: "AFFECTS", Object: Term{st, []string{m[1]}}, Confidence: interpreted})
					}
				}
			})
		}
		// Last, shapes that need no telling form (ops_more.go).
		out = append(out, opsByShape(c, alert, func(pred string, neg bool) bool {
			return slices.ContainsFunc(out, func(t Triple) bool { return t.Predicate == polar(pred, neg) })
		})...)
	}
	return out
}

var (
	zhSysRe      = pattern.New(zhSys)
	zhBareSys    = pattern.New(`^` + zhSys + `$`)
	zhMetric     = pattern.New(`^(?:错误率|延迟|曲线|队列|指标|一切|链路|服务|流量|成功率|响应|耗时|负载|CPU|内存|磁盘|连接数|接口|业务|页面|系统|它|告警|报警)$`)
	zhActsRe     = pattern.New(`^(?:最后|最终|后来|我们?|已经|是|靠|通过)*` + zhActs)
	zhOpsNoAlarm = pattern.New(`^(?:这|那|它|我|你|他|今天|昨天|现在|问题|事故|故障|结果|原因|根因|应该|真正|可以|已经|不|其实|看来|说明|一切|大家|指标|曲线|错误率|服务|机器)|了$|^(?:是|就)|，`)
	zhNoCause    = pattern.New(`^(?:找到|查到|查清|未知|还没|没有|不明|什么|谁|待|在查|已经|定位)`)
	zhCauseTail  = pattern.New(`(?:引起|导致|造成|引发|触发|惹|闹)(?:的|了)?.*$|的问题$|的锅$`)
	zhForAlarm   = pattern.New(`^(` + zhAlarm + `)(?:告警)?(?:时|的时候)?(?:要|应该|应|必须|得)先?(.{2,30})$`)
	zhOwner      = pattern.New(`^(?:[\p{Han}A-Za-z][\p{Han}\w -]{0,11})$`)
	zhOwnerTail  = pattern.New(`(?:在?(?:负责|管|维护|运维|值班|接手))?(?:了|的)*$`)
	zhVersion    = pattern.New(`^v?\d`)
	zhOpsTalkNo  = pattern.New(`^(?:在|了|告警|到|给|这|那|谁|什么|我|名)`)
	zhFirst      = pattern.New(`^(?:要|应该|应|需要?|必须|得|现在|统一|直接|先|是|：|:|，|：)+\s?`)
)

// zhSpoken is the alert that a Chinese text speaks of by a Chinese name, or by its
// symptom on a named system.
func zhSpoken(text string) (alert string) {
	if strings.Contains(text, "告警") || strings.Contains(text, "报警") {
		if m := zhNamedAlarm.FindStringSubmatch(text); m != nil && !zhNoAlarmName.MatchString(m[1]) {
			return m[1]
		}
	}
	if strings.IndexFunc(text, func(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }) < 0 {
		return "" // no system is named
	}
	for _, c := range zhOpsClauses(text) {
		if m := zhSymptom.FindStringSubmatch(c); m != nil && opsBare.MatchString(m[1]) {
			return m[2]
		}
	}
	return ""
}

var (
	zhNamedAlarm  = pattern.New(`(?:^|[，。：:；“「\s])([\p{Han}A-Za-z0-9]{2,8}?)(?:这个|这条)?(?:告警|报警)`)
	zhNoAlarmName = pattern.New(`^(?:这|那|该|收到|一条|有|新|老|所有|全部|没有?|又|还|的|查|看|处理|先|静默|屏蔽|确认|关|发|触发|是|今天|昨天|昨晚|刚才|三|两|几)|的$`)
)

// zhFindAll is FindAllStringSubmatch where it may find something.
func zhFindAll(re *pattern.Pattern, s string, may bool) [][]string {
	if !may {
		return nil
	}
	return re.FindAllStringSubmatch(s, -1)
}

// zhDo takes what a runbook says apart: what to do, and what not to do first:
// "不要先重启，先看 SHOW POOLS".
func zhDo(s string) (do, dont string) {
	if m := zhNotFirst.FindStringSubmatch(s); m != nil {
		return zhFirst.ReplaceAllString(m[2], ""), m[1]
	}
	if strings.HasPrefix(s, "不") || strings.HasPrefix(s, "别") || strings.HasPrefix(s, "禁止") {
		return "", strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(s, "禁止"), "别"), "不要能用再先直接")
	}
	s, _, _ = strings.Cut(zhFirst.ReplaceAllString(s, ""), "；")
	if i := strings.Index(s, "，"); i > 0 && !strings.HasPrefix(s[i:], "，再") && !strings.HasPrefix(s[i:], "，然后") && !strings.HasPrefix(s[i:], "，最后") {
		s = s[:i]
	}
	return s, ""
}

// zhRest joins the clauses from the first on.
func zhRest(cs []string) string { return strings.Join(cs[:min(3, len(cs))], "，") }

// zhOpsClauses splits at the marks between clauses; lists at 、 stay whole.
func zhOpsClauses(s string) (out []string) {
	for _, c := range zhOpsMarks.Split(s, -1) {
		if c = strings.TrimSpace(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}

var zhOpsMarks = pattern.New(`(?:清楚|找到|定位|确认|结论|原因|通知|输出|更新)了?[：:]|[，,。；;！!…]+|——| - `)

// zhOpsClean makes a name of a phrase about systems.
func zhOpsClean(s string) string {
	s = opsClean(trimAny(s, []string{"上次", "这次", "昨晚的", "刚才的", "因为", "由于", "一个", "了"}, []string{"的问题", "的锅", "的原因", "的缘故", "这一步", "了", "的", "之后", "以后"}))
	if n := runes(s); n > 40 || n < 2 {
		return ""
	}
	return s
}
