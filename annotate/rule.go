package annotate

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/pattern"
	"membench/internal/sentence"
	"membench/internal/textnorm"
	"membench/schema"
)

// The rule tagger. It looks at one utterance at a time, sentence by sentence, in
// the language of the sentence:
//
//  1. A sentence is empty talk when nothing is left of it after greetings,
//     acknowledgements, thanks, apologies, praise of the other and interjections, or
//     when it is a fragment of a word or two.
//  2. A sentence is lasting when it says, of the speaker or of a standing
//     arrangement, who one is, what one likes, what one always or never does, what
//     one can or cannot do, what one was like as a child, who owns a thing and what
//     the rule is. Questions, suppositions, wishes and plans are never lasting;
//     words for today or the moment count against all but the plainest.
//  3. An utterance with a lasting sentence is canon_only; one whose sentences are
//     all empty talk is filler; every other is episodic.
//
// Rules has the patterns with their names.

// ruleVersion changes when the same text may get another tag.
const ruleVersion = "rule/2"

// Rule is the tagger that needs no model.
func Rule() Tagger { return ruleTagger{} }

type ruleTagger struct{}

func (ruleTagger) Fingerprint() string { return ruleVersion }

func (ruleTagger) Tag(_ context.Context, w Window) (Choices, error) {
	out := make([]Choice, len(w.Turns))
	for i, u := range w.Turns {
		out[i] = ruleChoice(u)
	}
	return Choices{Of: out}, nil
}

func ruleChoice(u Utterance) Choice {
	if t := u.fixedTag(); t != "" {
		return Choice{t, schema.ByRule}
	}
	tag, _ := RuleTag(u.Text)
	if u.Role == schema.RoleTool && tag == schema.TagFiller {
		tag = schema.TagEpisodic // a call or its result is never small talk
	}
	return Choice{tag, schema.ByRule}
}

// A NamedRule is one pattern of the rule tagger.
type NamedRule struct {
	Name    string
	Lang    string // zh | en
	Tag     string // canon_only | filler
	Plain   bool   // for canon_only: holds even next to words for the moment
	Pattern string

	re *pattern.Pattern
}

func rule(name, lang, tag string, plain bool, parts ...string) NamedRule {
	p := strings.Join(parts, "|")
	return NamedRule{name, lang, tag, plain, p, pattern.New(p)}
}

const enAdv = `(?:\s+(?:really|absolutely|truly|just|also|still|do|totally|always|definitely|actually|kinda|particularly|especially))*`

var ruleList = []NamedRule{
	rule("zh-name", "zh", schema.TagCanon, true, `我(?:的名字)?叫(?:做)?[^我你他她]{1,8}$`, `我的?(?:名字|职业|专业|爱好|生日|老家|家乡)(?:是|叫|在)`, `我姓`, `(?:^|我)(?:今年|都)?[0-9一二三四五六七八九十]+岁`),
	rule("zh-identity", "zh", schema.TagCanon, true, `我(?:其实|本来|自己|一直)?是(?:个|一个|一名|名|学)?[^是我，,]{0,10}(?:人|生|师|员|医|士|家|手|长|妈|爸|毕业的|出身|专业的|党|迷|控|粉)(?:[哦啊呢呀啦了的]|$)`, `我(?:住在|来自|在[^，,]{1,8}(?:上班|工作|上学|读书|长大|出生))`, `我们?家(?:有|住|养)`, `我养(?:了|着)`, `我(?:有|家有)(?:[一两三四五六七八九十]个|个)?(?:姐姐?|妹妹?|哥哥?|弟弟?|女儿|儿子|孩子)`),
	rule("zh-trait", "zh", schema.TagCanon, true, `属于[^，,]{1,12}的(?:人|类型|性格)`, `有个(?:毛病|习惯|怪癖|原则)`, `我(?:这个?人|这人)`, `不?(?:太|怎么|是很)?(?:擅长|善于|拿手)`, `(?:有|没有?|不算有)天[分赋]`, `坐得住`, `容易(?:走神|听入迷|分心|紧张|想太多|钻牛角尖)`, `一[^，,]{1,8}就会?(?:这样|很痛苦|紧张|忘)`, `我[^，,]{0,6}不敢(?:碰|写|看|吃|去|试|用)`, `(?:写|画|唱|弹|做|说)得(?:活|好|不错)$`, `(?:不会|会)(?:弹|拉|吹)[\p{Han}]{1,4}`, `我(?:不会|会)(?:游泳|骑车|开车|做饭|画画|滑雪|下棋|唱歌|跳舞|编程|说[\p{Han}]{1,3}[语文话])`),
	rule("zh-taste", "zh", schema.TagCanon, true, `最(?:喜欢|爱|讨厌|怕|烦|欣赏|喜爱|拿手)`, `(?:我|也|还|就|很|特别|超|从小|一直|非常|都|只|真|挺|更|还是|比较)(?:不)?(?:很|太|挺|特别|比较)?(?:喜欢|偏爱|热爱|讨厌|迷上|痴迷|厌恶|钟爱)`, `(?:我|还是|就)(?:更)?(?:偏爱|爱(?:看|读|听|吃|喝|写|把|用|玩|画|穿|喝))`, `喜欢过`, `(?:受不了|看得津津有味|不感兴趣|没兴趣|提不起兴趣|吃不了|喝不惯|对[^，,]{1,8}过敏|百看不厌|情有独钟)`, `(?:一本没落下|爱不释手|从[^，,]{1,12}一路看到)`, `^不?喜欢(?:的是)?[^什怎的，,]{2,}`),
	rule("zh-habit", "zh", schema.TagCanon, false, `(?:经常|常常|总是|老是|大多(?:会|数)|大都|一向|向来|从来|平时|平常|通常|每(?:次|天|年|周|晚|逢|个?月|个?周末|到)|时不时|动不动|一直以来|从不|一般(?:都)?会|总会|总爱|天天)`, `我一直(?:都|在|把|用|觉得|想)`, `习惯(?:是|在|先|把|用|每|于|了?边)`, `的习惯`, `非得[^，,]{1,14}不可`, `我(?:会|都会|都)把`),
	rule("zh-past", "zh", schema.TagCanon, false, `(?:从小|小时候|小学|初中|高中|中学|大学)(?:的时候|那会|那年|时|起|毕业|啊|第一次|就|的?梦想)`, `(?:我|就是因为)[^，,]{0,12}(?:开始)(?:自己)?(?:创作|写作|学|画)的`, `(?:读|选择?|学)[^，,]{1,6}的(?:理由|原因)`, `我(?:就|本来|当初)(?:就)?是(?:因为|为了)[^，,]{2,}`, `(?:主要)?是因为我`),
	rule("zh-standing", "zh", schema.TagCanon, false, `归[^，,属于]{1,8}(?:组|团队|部|管|负责)`, `由[^，,]{1,8}(?:负责|维护|值班)`, `[\p{Han}]{1,4}负责(?:[，,。]|$)`, `(?:规定|一律|必须先|原则上|标准流程|固定(?:是|在|为))`, `以后(?:都|一律|直接|就)`, `下次直接`, `阈值(?:一直|固定|统一)?(?:是|为|定在)[^吗多]*$`),
	rule("zh-regard", "zh", schema.TagCanon, false, `(?:我的?|小时候的?|从小的?)(?:梦想|理想|座右铭|偶像|原则)(?:就|一直)?是`, `(?:大家|朋友|别人|家人|同学|同事)(?:们)?(?:都)?(?:说|叫|夸|觉得)我`, `(?:看|写|画)[^，,]{0,6}(?:的那种|的风格)$`),

	rule("en-name", "en", schema.TagCanon, true, `\b(?:my name(?:'s| is)|call me|i go by|i'm called)\b`, `\bmy (?:job|birthday|hometown|major|pronouns|background)\b`, `\bi(?:'m| am) (?:\d+|from|originally|allergic|vegan|vegetarian|left-handed|bilingual|married|divorced|single|retired)\b`),
	rule("en-identity", "en", schema.TagCanon, true, `\bi(?:'m| am)(?: just| still| actually)? an? (?:[a-z'-]+ ){0,3}(?:person|man|woman|mom|mum|dad|mother|father|parent|artist|writer|teacher|doctor|nurse|engineer|developer|programmer|student|designer|musician|painter|counsell?or|vegetarian|vegan|runner|reader|lover|fan|geek|nerd|owl|fanatic|junkie|collector|perfectionist|gamer|manager|lawyer|chef|cook)\b`, `\bi (?:work|live|grew up|was born|was raised|teach|study|major(?:ed)?) (?:as|at|in|for|on|near|with|from|by)\b`, `\bi(?:'ve| have) (?:got )?(?:a|two|three|four|five|\d+) (?:[a-z]+ )?(?:kids?|children|sons?|daughters?|brothers?|sisters?|dogs?|cats?|pets?)\b`, `\blucky to have my\b`, `\bmy (?:husband|wife|partner|kids|children|family|friends)[a-z, ]* (?:are|is) my\b`, `\b\d+ years already\b`, `\bbeen married\b`),
	rule("en-taste", "en", schema.TagCanon, true, `\bi(?:'m| am)`+enAdv+` (?:a |an )?(?:big |huge |massive |real |lifelong |such a )*(?:fan of|keen on|into|fond of|passionate about|obsessed with|crazy about|not (?:a fan|big on|keen on|into))\b`, `\bi`+enAdv+`\s+(?:adore|hate|detest|despise|dislike|prefer|enjoy|cherish|can't stand|cannot stand|can't bear)\b`, `\bi`+enAdv+`\s+(?:love|like) (?:to\b|[a-z]+ing\b)`, `\bi`+enAdv+`\s+(?:love|like) (?:cooking|coffee|tea|music|art|books?|nature|animals|dogs|cats|horses|history|jazz|rock|poetry|science|fantasy|mysteries|novels)\b`, `\bi`+enAdv+`\s+(?:love|like) [a-z]{5,}$`, `\b(?:we|we all|my (?:kids|family|wife|husband|dog|cat)) (?:all )?(?:really |always )?(?:loves?|enjoys?|adores?) (?:to\b|[a-z]+ing\b)`, `\ba fav(?:ou?rite)? of mine\b`, `\bi love to$`, `\bi(?:'ve)? (?:always )?loved (?:"|“|the|[a-z]+ing\b)`, `\b(?:my|our)(?: all-time| absolute)? fav(?:ou?rites?|es?|s)?\b`, `\b(?:is|was|'s) (?:mostly |really |so |very |pretty )?(?:important to me|my thing|my passion|my jam|my happy place|(?:a )?(?:huge|big|major|important) part of (?:me|my life|who i am))\b`, `\b(?:has|have) always been (?:my|a)\b`, `\bmeans the world to me\b`, `\bcan't stand\b`, `\b(?:gives?|brings?) me (?:a sense|so much|such|joy|peace|life|comfort)\b`),
	rule("en-skill", "en", schema.TagCanon, true, `\bi(?: also| still| used to|'ve been)? play(?:ed|ing)? (?:the |a )?(?:acoustic |electric |bass )?(?:guitar|piano|violin|clarinet|drums?|flute|cello|ukulele|saxophone|chess|tennis|soccer|football|basketball)\b`, `\bi(?:'m| am| was)`+enAdv+` (?:not )?(?:so |pretty |very |quite |really )?(?:good|bad|terrible|great|hopeless|rubbish|useless|better|best|awful) (?:at|with)\b`, `\bi can't (?:write|cook|draw|sing|dance|swim|drive|work|sleep|read|speak|function|start|do)\b`, `\bi(?:'ve| have) never (?:dared|been able|liked|been good|been one|learned|learnt)\b`, `\bi (?:over|under)[a-z]{4,}\b`, `\bi (?:outline|edit|plan|draft) [a-z]+ `, `\bhelps? me (?:express|relax|get|feel|unwind|clear|cope|focus|think)\b`, `\b(?:has|have|'s) been (?:great|good|huge) for my\b`, `\b(?:started|been) (?:playing|painting|running|writing|doing|learning|practi[sc]ing|collecting|[a-z]+ing) [a-z ]*(?:when i was|about|around|since|for)? ?(?:[a-z]+|\d+) years\b`, `\bstarted when i was\b`),
	rule("en-habit", "en", schema.TagCanon, false, `\b(?:i|we|it)(?:'m| am|'re)? (?:[a-z]+ )?(?:always|usually|often|never|mostly|rarely|generally|normally|typically|only ever|tend to|make a point of|can never|seldom)\b`, `\b(?:every|each) (?:day|morning|evening|night|week|weekend|month|year|spring|summer|autumn|fall|winter|christmas|sunday|monday|tuesday|wednesday|thursday|friday|saturday)\b`, `\b(?:every|each)(?: single)? time (?:i|we|my)\b`, `\bevery [a-z]+ (?:i (?:own|have|write|make|see)|gets?|has|is)\b`, `\bi keep (?:a|an|my|all) `, `\b(?:mostly|always|never)\.(?:$|\s)`, `, mostly$`, `\bon (?:sundays|saturdays|weekends|mondays|fridays)\b`, `\ba habit\b`, `\bi can (?:never|always)\b`, `\b(?:she|he|my (?:sister|brother|mom|mum|dad|wife|husband))(?:'s| is) the same\b`, `\bif i don't\b.*\bi can't\b`),
	rule("en-past", "en", schema.TagCanon, false, `\bwhen i was (?:a |an )?(?:young|little|kid|child|teen|teenager|boy|girl|small|in school|growing up)`, `\bas a (?:kid|child|teenager)\b`, `\bsince (?:i was|childhood|high school|college)\b`, `\bi used to\b`, `\bfor (?:\d+|[a-z]+|many|several) years\b`, `\b(?:want|wanted) to live\b`, `\bit(?:'s| has) always been\b`),
	rule("en-standing", "en", schema.TagCanon, true, `\b[a-z][a-z0-9-]* owns\b`, `\b(?:is|are) owned by\b`, `\bthe current (?:step|rule|policy|procedure|threshold|limit) is\b`, `\bour (?:policy|rule|convention|standard)\b`, `\b(?:the|paging|alert) threshold is\b`, `\balways (?:page|escalate|roll|drain|check|restart)\b`, `\bnever (?:restart|deploy|page|touch|reboot)\b`, `\bmust (?:always|never|first)\b`, `\bstanding (?:rule|order)\b`),
}

// Patterns for the present moment, plans and suppositions.
var (
	momentZh = pattern.New(`今天|今晚|今早|现在(?:是一|就|还|想)|此刻|刚才|刚刚|刚(?:[\p{Han}])|最近|昨[天晚]|前天|上[周次回]|上个?(?:月|星期)|这[次会]|等会|等下|待会|明天|一会儿?|马上|接下来|回头|去年|正在|眼下|突然`)
	momentEn = pattern.New(`\b(?:today|tonight|yesterday|tomorrow|right now|at the moment|just (?:got|had|made|finished|came|went|started|did|contacted|signed)|last (?:night|week|month|weekend|year|time|fri|sat|sun|mon|tue|wed|thu)[a-z]*|this (?:morning|week|month|weekend|evening|afternoon|time)|next (?:week|month|year|time)|a few (?:days|weeks) ago|recently|lately|two weekends ago|earlier|the other day)\b`)
	unrealZh = pattern.New(`如果|要是|假如|要不|的话|希望|想要|打算|应该会|可能会|说不定|好像[^是]|似乎|真想|但愿|不是(?:很|太)?(?:讨厌|喜欢)`)
	unrealEn = pattern.New(`\b(?:i'd|i would|would (?:love|like)|if you|wish|hope|hoping|maybe|might|gonna|going to|will|i'll|can't wait|plan(?:ning)? to)\b`)
	speakZh  = pattern.New(`^(?:那|可|可是|但|但是|不过|所以|因为|其实|总之|对了|话说|说起来|还有)?[，,]?(?:你|您|他|她|它|飞机|故事)`)
	youEn    = pattern.New(`^(?:and |but |so )?(?:you|your|you're|you've|that|this|these|those|he|she|they|what|how|who|love (?:the|that|your|how))\b`)
)

// stageDirection matches a line that only describes an action on the screen.
var stageDirection = pattern.New(`^(?:（[^（）]{1,12}）|\([^()]{1,24}\)|【[^【】]{1,12}】)$`)

// maxEmpty is the longest English sentence, in bytes, that can be empty talk.
const maxEmpty = 110

// Patterns for empty talk.
var (
	// One clause may run several of these together: "好的没问题".
	emptyZh = pattern.New(`^(?:` + strings.Join([]string{
		`[嗯啊哦噢喔哈呃额唔唉哎诶欸咦哇嘿嘻呵喂好行对是嘛吧呢呀啦了的哼耶嘞哟诺哒咯哩么吗]+`,
		`好的|好吧|好呀|好啊|好嘞|行了|可以(?:的|啊|呀)?|没问题(?:吧)?|没事|没关系|不客气|不用谢|知道了?|我知道了?|明白了?|懂了|了解|收到|记(?:住|下)了|当然|确实|也是|就是|没错|是这样|原来如此|真的|真好|太好了|那就好|厉害|不错|加油|辛苦(?:了|啦)?|就是它|开玩笑的?|算了|不管了|等等|等一下|总之|那么?|这样|你也这么想|也差不多`,
		`(?:非常|真的|十分|太|还是|先)?(?:谢谢|多谢|感谢|谢啦|对不起|抱歉|不好意思|失礼)(?:你|您|大家|你们|了|啦|啊|呀)*`,
		`(?:以后|接下来|今后|之后)?(?:也|还)?请?(?:你|您)?多多?(?:关照|指教)`,
		`(?:大家|你|您)?(?:早上|下午|晚上|中午)?(?:好|早安|晚安|早|再见|拜拜|回见|你好|您好)`,
		`(?:下次|回头|改天|明天)(?:再)?(?:见|聊|说|一起[\p{Han}]{0,4})`,
		`(?:去睡|睡|走|开始|继续)(?:吧|了)`,
		`(?:那)?(?:我们|咱们)(?:马上|现在|先)?开始[\p{Han}]{0,3}`,
		`(?:能|听|看)[\p{Han}]{0,2}(?:得到|见|清)[\p{Han}]{0,2}`, `我能(?:看|听)[到见]你?`, `接通了`, `(?:摄像头|麦克风|声音)[\p{Han}]{0,6}`,
		`(?:怎么|为什么|什么|咋|哪)(?:了|回事|啦|样|说|事)*`, `还是说|比如说?|也就是说|怎么说`,
		`你(?:说呢|呢|也是|看吧|忙吧?|真行|真是的|赢了|说得对|说的对|懂的)`, `你(?:还)?有什么想(?:问|说)的`, `你?这不就?[\p{Han}]{1,4}`,
		`我也(?:是|一样|这么(?:想|觉得)|觉得)|同意|赞成|有道理|有意思|说[得的]也是|原来是这样|那就这样|就这么定了|说定了|一言为定|好主意|也行|也好|都行|都可以|随便|没什么|没啥|不用了|不必了|可不是|可不|真的假的|不会吧|天哪|我的天|哎呀|啊呀|糟糕|惨了|哇塞|绝了|牛|棒|太棒了|真棒|真好|漂亮|干得漂亮|恭喜(?:你|啦)*|祝贺(?:你)?|(?:生日|新年|节日|周末)(?:快乐|愉快)|好梦|做个好梦|早点(?:睡|休息)|好好休息|注意身体|保重|路上小心|一路顺风|慢慢来|别急|不急|放心|别担心|别客气|稍等|稍等一下|等我一下|马上来|马上到|久等了?|让你久等了?|打扰了?|我回来了?|我先走了?|先这样|回头见|来了|来吧|走吧|好哒|ok|OK|嗯哼`,
		`(?:已经)?(?:打开|连上|接通|开着|看到|听到)了`,
	}, `|`) + `)+$`)
	emptyEn = pattern.New(`^(?:` + strings.Join([]string{
		`(?:(?:oh|ah|aw+|wow|hey|hi+|hello|yo|ha(?:ha)*|lol|hm+|ooh|yay|yeah|yep|yes|yup|no|nope|nah|ok|okay|sure|right|well|so|anyway|fine|cool|nice|great|good|awesome|amazing|perfect|lovely|sweet|wonderful|fantastic|absolutely|definitely|totally|exactly|agreed|indeed|true|really|seriously|progress|rude|accurate|of course|no way|oh man|oh god|got it|makes sense|fair enough|no problem|no worries|you're welcome|same here|me too|on it|deal|understood|noted)[\s,!.…-]*)+`,
		`(?:many |so much |big )?(?:thanks|thank you|thx|cheers|ty)\b.*`, `(?:wow|oh|aw+|thanks)?,? ?(?:your|those|these) (?:kind )?words (?:really )?mean.*`, `i (?:really )?appreciate (?:it|that|you|your).*`,
		`(?:congrats|congratulations|bye|goodbye|see ya|see you|good ?night|good morning|morning|good luck|take care|talk (?:to you )?(?:soon|later)|catch you later|happy (?:birthday|new year|holidays))\b.*`,
		`(?:it'?s |so |really )?(?:good|great|nice|lovely|glad) (?:to (?:see|hear|meet)|seeing|hearing|chatting|talking|job|work|going)\b.*`,
		`(?:how are you|how have you been|how's it going|how've you been|what's up|what's new|anything new|how about you|and you|what about you|what now|long time no see|hope (?:you're|all's|all is|you are) .*)`,
		`(?:wow,? |oh,? )?(?:that|this|it|those|these|they)(?:'s| is| are|'re| was| were| sounds?| looks?| seems?)(?: like)?(?: really| so| super| pretty| very| just| such an?| an?| absolutely| truly| great| good)* (?:[a-z]+)(?: to hear| idea| time| news| work| day)?`,
		`(?:sounds?|looks?) (?:like )?(?:so |really |super |pretty |very |an? )*[a-z]+(?: time| day| plan| idea)?`,
		`(?:i'?m )?(?:so |really |super |very )*(?:proud|happy|glad|excited|thrilled|pleased) (?:of|for|to|that|you)\b.*`, `(?:you're|you are) (?:such an? |so |really |truly |doing |an? )?.*`, `you(?:'ll| will| both| look| looked|'d| have| found| really| got| rock)\b.*`,
		`(?:love|loving|like) (?:that|this|the|it|your|how)\b.*`, `(?:keep|stay|enjoy|cherish|have fun|feel free|wishing|events like)\b.*`, `can't wait to (?:hear|see).*`, `i(?:'m| am) here for you`,
		`i (?:totally |completely |100% |couldn't )*agree.*`, `(?:care to share|got any|did you hear|tell me)\b.*`, `how (?:was|did) (?:it|that|you)\b.*`, `it's great that you.*`, `(?:just )?kidding`, `(?:always )?(?:good|nice|great) (?:one|to hear)`, `(?:it|that) must (?:be|have been|feel)\b.*`, `your\b.*`, `i believe in you`, `let me know\b.*`, `it's (?:so |really )?(?:awesome|great|nice|wonderful|amazing|cool|lovely|inspiring) (?:how|to see|that you)\b.*`, `what an? (?:great|nice|lovely|cool|amazing|awesome|beautiful|wonderful)\b.*`, `(?:good )?(?:morning|afternoon|evening|night)(?: all| everyone| team| folks)?`, `(?:see|talk to|catch) (?:you|ya)(?: (?:later|soon|then|tomorrow|there|around))?`, `(?:have (?:a )?(?:good|great|nice|fun|lovely)|congrat|happy (?:birthday|new year|holidays|weekend)|bye|goodbye)\b.*`, `take care(?: of yourself)?`, `(?:sleep well|good luck|welcome back|no rush|don't worry(?: about it)?|my pleasure|any ?time|bless you|hang in there|go ahead|go on|i see|i know|i get it|i hear you|fair point|good point|good call|never ?mind|whatever|up to you|same to you|you bet|roger that|copy that|will do|one (?:sec|moment|minute)|hold on|be right back|got(?:ta| to) go|i have to go|i'm back|here we go|that's (?:fair|true|right|it|okay|ok|fine|great|good|awesome|amazing))`, `(?:much appreciated|ttyl|brb|see you later|count on me.*)`,
	}, `|`) + `)$`)
	vocativeEn = pattern.New(`,? [A-Z][a-z]+$`)
)

// RuleTag is the tag of one utterance's text and the name of the rule that chose it;
// "default" where none did.
func RuleTag(text string) (tag, name string) {
	if t := strings.TrimSpace(text); stageDirection.MatchString(t) {
		return schema.TagFiller, "stage-direction"
	}
	sentences := sentence.Split(text)
	if len(sentences) == 0 {
		return schema.TagFiller, "no-words"
	}
	empty := true
	for _, s := range sentences {
		lang := textnorm.Lang(s.Text)
		if name := lasting(s, lang); name != "" {
			return schema.TagCanon, name
		}
		empty = empty && isEmpty(s.Text, lang)
	}
	if empty {
		return schema.TagFiller, "empty-talk"
	}
	return schema.TagEpisodic, "default"
}

func lasting(s sentence.Sentence, lang string) string {
	if s.Question {
		return ""
	}
	t := strings.Trim(s.Text, "。.！!…~～ ·")
	moment, unreal, other := momentZh, unrealZh, speakZh
	if lang == "en" {
		t = strings.ToLower(strings.ReplaceAll(t, "’", "'")) // English patterns are in lower case
		moment, unreal, other = momentEn, unrealEn, youEn
	}
	// The rules come first: most sentences match none and need no second look.
	for _, r := range ruleList {
		if r.Lang != lang || !r.re.MatchString(t) {
			continue
		}
		if unreal.MatchString(t) || other.MatchString(t) {
			return ""
		}
		if r.Plain || !moment.MatchString(t) {
			return r.Name
		}
	}
	return ""
}

// emptyClauseZh tries a clause with fewer and fewer of the particles at its end.
func emptyClauseZh(c string) bool {
	for {
		if emptyZh.MatchString(c) {
			return true
		}
		r, n := utf8.DecodeLastRuneInString(c)
		if !strings.ContainsRune("吗呢吧啊哦呀啦嘛哈了的", r) || n == len(c) {
			return false
		}
		c = c[:len(c)-n]
	}
}

// isEmpty reports whether nothing is left of a sentence once empty talk is gone.
func isEmpty(s, lang string) bool {
	if lang == "zh" {
		clauses := strings.FieldsFunc(s, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) || textnorm.IsSpace(r) })
		letters := 0
		for _, c := range clauses {
			letters += utf8.RuneCountInString(c)
		}
		if letters <= 2 {
			return true
		}
		return !slices.ContainsFunc(clauses, func(c string) bool { return !emptyClauseZh(c) })
	}
	t := strings.Trim(strings.ReplaceAll(s, "’", "'"), ".!?… ,-–—\"")
	if words := strings.Fields(t); (len(words) <= 2 || len(words) == 3 && strings.HasSuffix(strings.TrimSpace(s), "?")) && !strings.ContainsFunc(t, unicode.IsNumber) {
		return true
	}
	if strings.ContainsFunc(t, unicode.IsNumber) && !strings.Contains(t, "100%") {
		return false
	}
	if len(t) > maxEmpty {
		return false
	}
	bare := vocativeEn.ReplaceAllString(t, "")
	t, bare = strings.ToLower(t), strings.ToLower(bare)
	if emptyEn.MatchString(t) {
		return true
	}
	// "Wow, Anna" and "Thanks, Anna": a name at the end; "Anna, thanks": at the start.
	if bare != t && emptyEn.MatchString(bare) {
		return true
	}
	if head, rest, ok := strings.Cut(t, ", "); ok && len(strings.Fields(head)) <= 2 {
		rest = strings.TrimSpace(rest)
		return emptyEn.MatchString(rest) || len(strings.Fields(rest)) <= 2 && emptyEn.MatchString(head)
	}
	return false
}
