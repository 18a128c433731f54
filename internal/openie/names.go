package openie

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"membench/internal/textnorm"
)

// knownAuthors are authors that a text may name without saying that they write. The
// list helps with bare names ("我很喜欢夏目漱石"); names not on it need a cue.
var knownAuthors = sync.OnceValue(func() map[string]bool {
	return index(`
鲁迅 老舍 沈从文 汪曾祺 萧红 张爱玲 钱锺书 钱钟书 巴金 茅盾 冰心 郁达夫 朱自清 林语堂 梁实秋 徐志摩 周作人 丰子恺 余华 莫言 王小波 史铁生 阿城 贾平凹 路遥 陈忠实 苏童 格非 迟子建 王安忆 毕飞宇 刘慈欣 韩寒 郭敬明 金庸 古龙 梁羽生 三毛 白先勇 琼瑶 席慕蓉 余光中 北岛 顾城 海子 木心 双雪涛 班宇 残雪 马伯庸 李娟 刘震云 阎连科 梁鸿 麦家 张嘉佳 刘亮程 余秋雨 杨绛 季羡林 曹雪芹 蒲松龄 吴承恩 施耐庵 罗贯中 李白 杜甫 苏轼 李清照 纳兰性德 辛弃疾 王维 白居易 陶渊明
夏目漱石 芥川龙之介 太宰治 川端康成 三岛由纪夫 谷崎润一郎 村上春树 村上龙 东野圭吾 宫部美雪 松本清张 江户川乱步 横沟正史 京极夏彦 绫辻行人 伊坂幸太郎 乙一 吉本芭娜娜 大江健三郎 宫泽贤治 森鸥外 志贺直哉 安部公房 远藤周作 司马辽太郎 井上靖 樋口一叶 与谢野晶子 金子美铃 恩田陆 三浦紫苑 小川洋子 是枝裕和 新海诚 宫崎骏 手塚治虫 米泽穗信 辻村深月 凑佳苗 是枝 梶井基次郎 中岛敦 坂口安吾 织田作之助 国木田独步 岛崎藤村 石田衣良 角田光代 江国香织 山崎丰子 岩井俊二
卡夫卡 加缪 马尔克斯 博尔赫斯 卡尔维诺 海明威 福克纳 菲茨杰拉德 托尔斯泰 陀思妥耶夫斯基 契诃夫 普希金 屠格涅夫 果戈理 雨果 巴尔扎克 福楼拜 普鲁斯特 萨特 波德莱尔 莫泊桑 狄更斯 简·奥斯汀 奥斯汀 伍尔夫 弗吉尼亚·伍尔夫 乔伊斯 王尔德 莎士比亚 奥威尔 毛姆 哈代 阿加莎·克里斯蒂 阿加莎 柯南·道尔 柯南道尔 雷蒙德·钱德勒 钱德勒 爱伦·坡 塞林格 马克·吐温 艾略特 歌德 黑塞 茨威格 里尔克 布莱希特 聂鲁达 科塔萨尔 略萨 波拉尼奥 佩索阿 萨拉马戈 埃科 厄休拉·勒古恩 勒古恩 阿西莫夫 菲利普·迪克 特德·姜 托尔金 斯蒂芬·金 石黑一雄 门罗 爱丽丝·门罗 卡佛 雷蒙德·卡佛 麦克尤恩 阿特伍德 昆德拉 米兰·昆德拉 泰戈尔 帕慕克 安徒生 圣埃克苏佩里 托芙·扬松 杨松 费兰特
侯孝贤 杨德昌 王家卫 李安 张艺谋 贾樟柯 陈凯歌 姜文 许鞍华 小津安二郎 黑泽明 北野武 今敏 高畑勋 滨口龙介 希区柯克 诺兰 库布里克 斯皮尔伯格 塔可夫斯基 伯格曼 侯麦 费里尼 奉俊昊 李沧东 伍迪·艾伦 久石让 坂本龙一 周杰伦 陈奕迅 王菲 李宗盛 罗大佑 朴树 许巍 崔健 邓丽君 李健 孙燕姿 张国荣 梅艳芳 肖邦 巴赫 莫扎特 贝多芬 德彪西 拉赫玛尼诺夫 柴可夫斯基 舒伯特 勃拉姆斯 马勒 肖斯塔科维奇 萨蒂 李诞 蔡康永 丁立梅 毕淑敏 冯骥才 刘墉 龙应台 简媜 张晓风 周国平 刘瑜 梁晓声 蒋勋 严歌苓 虹影 林奕含 吴明益 黄锦树 骆以军 朱天文 朱天心 王小妮 翟永明 余秀华 辛波斯卡 策兰 阿赫玛托娃 茨维塔耶娃 布罗茨基 帕斯捷尔纳克 布尔加科夫 蒲宁 巴别尔 纳博科夫 舒尔茨 赫拉巴尔 克拉斯诺霍尔卡伊 耶利内克 伯恩哈德 汉德克 塞巴尔德 托卡尔丘克 阿列克谢耶维奇 埃尔诺 莫迪亚诺 杜拉斯 尤瑟纳尔 波伏娃 圣-埃克苏佩里 罗曼·罗兰 司汤达 左拉 兰波 魏尔伦 普拉斯 迪金森 惠特曼 弗罗斯特 梭罗 爱默生 梅尔维尔 霍桑 斯坦贝克 冯内古特 品钦 德里罗 耶茨 契弗 奥康纳 麦卡勒斯 麦卡锡 罗琳 马丁 普拉切特 盖曼 刘宇昆
`, strings.Fields)
})

var knownAuthorsEN = sync.OnceValue(func() map[string]bool {
	return index(`Ursula K. Le Guin,Ursula Le Guin,Le Guin,Tove Jansson,Jane Austen,Austen,Charles Dickens,Dickens,Virginia Woolf,Woolf,James Joyce,George Orwell,Orwell,Ernest Hemingway,Hemingway,William Faulkner,Faulkner,F. Scott Fitzgerald,Fitzgerald,Mark Twain,Edgar Allan Poe,J.R.R. Tolkien,J. R. R. Tolkien,Tolkien,C.S. Lewis,J.K. Rowling,J. K. Rowling,Stephen King,Agatha Christie,Arthur Conan Doyle,Conan Doyle,Raymond Chandler,Chandler,Dashiell Hammett,Raymond Carver,Alice Munro,Margaret Atwood,Toni Morrison,Isaac Asimov,Asimov,Philip K. Dick,Arthur C. Clarke,Ray Bradbury,Terry Pratchett,Neil Gaiman,Octavia Butler,Ted Chiang,N.K. Jemisin,Kazuo Ishiguro,Ishiguro,Haruki Murakami,Murakami,Natsume Soseki,Leo Tolstoy,Tolstoy,Fyodor Dostoevsky,Dostoevsky,Anton Chekhov,Chekhov,Vladimir Nabokov,Nabokov,Franz Kafka,Kafka,Albert Camus,Camus,Marcel Proust,Proust,Victor Hugo,Gabriel García Márquez,Garcia Marquez,Márquez,Jorge Luis Borges,Borges,Italo Calvino,Calvino,Umberto Eco,Oscar Wilde,William Shakespeare,Shakespeare,Emily Dickinson,Sylvia Plath,T.S. Eliot,T. S. Eliot,W.B. Yeats,Mary Oliver,Ocean Vuong,Rumi,Pablo Neruda,Emily Brontë,Charlotte Brontë,George Eliot,Thomas Hardy,Henry James,Herman Melville,John Steinbeck,Steinbeck,J.D. Salinger,Salinger,Harper Lee,Donna Tartt,Sally Rooney,Zadie Smith,Hilary Mantel,Ian McEwan,John le Carré,Patricia Highsmith,Daphne du Maurier,Shirley Jackson,Dr. Seuss,Roald Dahl,E.B. White,Beatrix Potter,Maya Angelou,James Baldwin,Chimamanda Ngozi Adichie,Brené Brown,Elena Ferrante,Xiao Hong,Lu Xun,Lao She,Eileen Chang,Yu Hua,Mo Yan,Liu Cixin,Cixin Liu,Brandon Sanderson,George R.R. Martin,Robin Hobb,Kurt Vonnegut,Vonnegut,Cormac McCarthy,Joan Didion,David Foster Wallace,Thomas Pynchon,Don DeLillo,Colm Tóibín,Fernando Pessoa,Clarice Lispector,José Saramago`,
		func(s string) []string { return strings.Split(s, ",") })
})

func index(list string, split func(string) []string) map[string]bool {
	m := map[string]bool{}
	for _, n := range split(list) {
		m[textnorm.Key(n)] = true
	}
	return m
}

func isAuthor(name string) bool {
	k := textnorm.Key(strings.ReplaceAll(name, "\u2024", "."))
	return knownAuthors()[k] || knownAuthorsEN()[k]
}

const surnames = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文庞樊兰殷施陶洪翟安颜倪严牛温芦季俞章鲁葛伍韦申尤毕聂丛焦向柳邢岳齐沿梅莫庄辛管祝左涂谷祁时舒耿牟卜路詹关苗凌费纪靳盛童欧甄项曲成游阳裴席卫查屈鲍位覃霍翁隋植甘景薄单包司柏宁柯阮桂闵解强丘尚萨冰巴三残阿郁"

// looksLikeName reports whether a Chinese text may be a person's name: two to four
// characters that start with a surname, or a transliteration with a middle dot.
func looksLikeName(s string) bool {
	if strings.ContainsAny(s, "·・") {
		return utf8.RuneCountInString(s) <= 16
	}
	r, _ := utf8.DecodeRuneInString(s)
	n := utf8.RuneCountInString(s)
	return n >= 2 && n <= 3 && strings.ContainsRune(surnames, r) && strings.IndexFunc(s, func(r rune) bool {
		return !textnorm.IsHan(r) || strings.ContainsRune("的了很太些个这那是有在", r)
	}) < 0
}

// capitalised reports whether every word of s that counts starts with a capital.
func capitalised(s string) bool {
	n := 0
	for _, w := range strings.Fields(s) {
		r, _ := utf8.DecodeRuneInString(strings.TrimLeft(w, "\"'“‘("))
		switch {
		case unicode.IsUpper(r) || unicode.IsDigit(r):
			n++
		case smallWords[strings.ToLower(w)] && n > 0:
		default:
			return false
		}
	}
	return n > 0
}

var smallWords = map[string]bool{"a": true, "an": true, "the": true, "of": true, "and": true, "in": true, "on": true, "to": true, "for": true, "at": true, "by": true, "with": true, "from": true, "le": true, "la": true, "de": true, "du": true, "van": true, "von": true, "or": true, "is": true}
