package measure

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unit is how a written unit leads to a kind of measure and its base: seconds, metres, grams, bytes, bytes a second, pascals, degrees Celsius …; a currency by
// itself.
type Unit struct {
	Kind  string
	Mul   float64
	Add   float64 // added after Mul: scales of temperature begin elsewhere
	Loose bool    // a system of its own: what is converted from it agrees within 1.1 %
	Cal   bool    // months and years: their days vary, so conversions agree within 6 %
	May   string  // other kinds that the word may mean, by blanks: "$" of other dollars, "pounds" of money
}

// In converts a number in the unit to the base of its kind.
func (u Unit) In(n float64) float64 { return n*u.Mul + u.Add }

// Number converts back.
func (u Unit) Number(v float64) float64 { return (v - u.Add) / u.Mul }

// table lists units: the kind (with other kinds that the words may mean), the factor to its base (~: of another system; +: added after it), and the written
// forms, with _ for a blank. A form with capitals is tried before its lower case, so that Mb/s and MB/s differ. Gallons to spoons are American.
const table = `
time 1e-9 ns nanosecond nanoseconds 纳秒
time 1e-6 us μs microsecond microseconds 微秒
time 1e-3 ms msec msecs millisecond milliseconds 毫秒
time 1 s sec secs second seconds 秒 秒钟
time 60 min mins minute minutes 分钟 分
time 900 刻钟
time 3600 h hr hrs hour hours 小时 个小时 钟头 个钟头
time 86400 d day days 天
time 604800 wk wks week weeks 周 星期 个星期 礼拜 个礼拜
time 1209600 fortnight fortnights
time 2629800 month months mo mos 个月
time 7889400 季度 个季度
time 31557600 yr yrs year years 年 周年 年头 个年头
time 315576000 decade decades
time 3155760000 century centuries 世纪 个世纪
length 1e-9 nm nanometre nanometres nanometer nanometers 纳米
length 1e-6 um μm micron microns 微米
length .001 mm millimetre millimetres millimeter millimeters 毫米
length .01 cm centimetre centimetres centimeter centimeters 厘米 公分
length .1 dm 分米
length 1 m metre metres meter meters 米
length 1e3 km kilometre kilometres kilometer kilometers 公里 千米
length ~.0254 inch inches 英寸 寸
length ~.3048 ft foot feet 英尺
length ~.9144 yd yds yard yards
length ~1609.344 mi mile miles 英里
length ~1852 nmi nautical_mile nautical_miles 海里
area 1e-6 mm2 square_millimetres square_millimeters 平方毫米
area 1e-4 cm2 square_centimetres square_centimeters 平方厘米
area 1 m2 sqm sq_m square_metre square_metres square_meter square_meters 平方米 平米 平方
area 1e6 km2 sq_km square_kilometre square_kilometres square_kilometer square_kilometers 平方公里 平方千米
area 1e4 ha hectare hectares 公顷
area 666.6667 亩
area ~4046.856 acre acres 英亩
area ~.09290304 sqft sq_ft square_foot square_feet 平方英尺
area ~.8361274 square_yard square_yards
area ~2589988 sq_mi square_mile square_miles 平方英里
volume 1e-6 ul μl microlitres microliters 微升
volume .001 ml cc cm3 millilitre millilitres milliliter milliliters cubic_centimetres cubic_centimeters 毫升
volume .01 cl centilitres centiliters
volume .1 dl decilitres deciliters
volume 1 L l litre litres liter liters 升
volume 1e3 m3 cubic_metre cubic_metres cubic_meter cubic_meters 立方米 立方
volume ~3.785412 gal gallon gallons 加仑
volume ~.9463529 qt quart quarts 夸脱
volume ~.4731765 pint pints 品脱
volume ~.2365882 cup cups
volume ~.02957353 fl_oz fluid_ounce fluid_ounces
volume ~.01478676 tbsp tablespoon tablespoons 汤匙
volume ~.004928922 tsp teaspoon teaspoons 茶匙
volume ~158.9873 bbl barrel barrels
volume ~28.31685 cu_ft cubic_foot cubic_feet 立方英尺
mass 1e-6 ug μg mcg microgram micrograms 微克
mass .001 mg milligram milligrams 毫克
mass .2 carat carats 克拉
mass 1 g gram grams 克
mass 500 斤 市斤
mass 1e3 kg kgs kilogram kilograms kilo kilos 公斤 千克
mass 1e6 tonne tonnes ton tons 吨 公吨
mass ~28.3495 oz ounce ounces 盎司
mass|gbp ~453.592 pound pounds
mass ~453.592 lb lbs 磅
speed ~.44704 mph
speed ~.5144444 knot knots kt kts
speed .2777778 kmh kph
bytes .125 bit bits 比特
bytes 125 kbit kilobit kilobits
bytes 125e3 mbit megabit megabits 兆比特
bytes 125e6 gbit gigabit gigabits 吉比特
bytes 1 B byte bytes 字节
bytes 1e3 KB kb kilobyte kilobytes 千字节
bytes 1e6 MB mb megabyte megabytes 兆字节
bytes 1e9 GB gb gigabyte gigabytes 吉字节
bytes 1e12 TB tb terabyte terabytes
bytes 1e15 PB pb petabyte petabytes
bytes 1024 KiB kib Ki
bytes 1048576 MiB mib Mi
bytes 1073741824 GiB gib Gi
bytes 1099511627776 TiB tib Ti
rate .125 bps bit/s
rate 125 kbps kbit/s Kb/s kb/s
rate 125e3 mbps mbit/s Mb/s
rate 125e6 gbps gbit/s Gb/s
rate 125e9 tbps tbit/s Tb/s
rate 1e3 KB/s KBps
rate 1e6 MB/s MBps mb/s
rate 1e9 GB/s GBps gb/s
rate 1e12 TB/s TBps tb/s
packets/s 1 pps
packets/s 1e3 kpps
packets/s 1e6 mpps
requests/s 1 rps qps tps
operations/s 1 iops
frames/s 1 fps
frequency 1 hz hertz 赫兹
frequency 1e3 khz kilohertz 千赫
frequency 1e6 mhz megahertz 兆赫
frequency 1e9 ghz gigahertz 吉赫
frequency 1e12 thz terahertz 太赫
turns/min 1 rpm 转/分 转每分钟
beats/min 1 bpm
power .001 mW milliwatt milliwatts 毫瓦
power 1 w watt watts 瓦 瓦特
power 1e3 kw kilowatt kilowatts 千瓦
power 1e6 MW mw megawatt megawatts 兆瓦
power 1e9 gw gigawatt gigawatts 吉瓦
power ~745.7 hp horsepower 马力
apparent-power 1 va
apparent-power 1e3 kva
energy 1 joule joules 焦耳
energy 1e3 kj kilojoule kilojoules 千焦
energy 1e6 mj megajoule megajoules 兆焦
energy 3600 wh watt_hour watt_hours 瓦时
energy 3.6e6 kwh kilowatt_hour kilowatt_hours 千瓦时 千瓦小时 度电
energy 3.6e9 mwh megawatt_hour megawatt_hours 兆瓦时
energy ~4184 kcal calorie calories 大卡 千卡 卡路里
volt .001 mV millivolt millivolts 毫伏
volt 1 v volt volts 伏 伏特
volt 1e3 kv kilovolt kilovolts 千伏
ampere .001 ma milliamp milliamps milliampere milliamperes 毫安
ampere 1 A amp amps ampere amperes 安培
ampere 1e3 ka
charge 3.6 mah 毫安时
charge 3600 ah 安时
resistance 1 ohm ohms Ω 欧姆
resistance 1e3 kohm kΩ kilohm kilohms 千欧
force 1 newton newtons 牛顿
pressure 1 pa pascal pascals 帕斯卡
pressure 100 hpa mbar millibar millibars 百帕 毫巴
pressure 1e3 kpa 千帕
pressure 1e6 mpa 兆帕
pressure 1e5 bar
pressure 101325 atm atmosphere atmospheres 大气压 个大气压
pressure ~133.322 mmhg 毫米汞柱
pressure ~6894.757 psi
temperature 1 °c °_c c° C celsius 摄氏度 degree_c degrees_c degree_celsius degrees_celsius degrees_centigrade centigrade
temperature ~.555555555555556+-17.7777777777778 °f °_f f° F fahrenheit 华氏度 degree_f degrees_f degree_fahrenheit degrees_fahrenheit
temperature 1+-273.15 kelvin kelvins 开尔文
temperature|temperature 1 ° degree degrees 度
percent 1 % percent pct per_cent
percent .01 basis_point basis_points 基点 个基点
points 1 pp percentage_point percentage_points 百分点 个百分点
ppm 1 ppm
dbm 1 dbm
dbi 1 dbi
db 1 db decibel decibels 分贝
lux 1 lux 勒克斯
lumen 1 lumen lumens 流明
money:usd|cad,aud,hkd,sgd,nzd,twd 1 $ dollar dollars bucks
money:usd 1 usd us$ us_dollar us_dollars american_dollars 美元 美金
money:usd .01 cent cents 美分
money:cad 1 cad ca$ c$ canadian_dollar canadian_dollars 加元 加币
money:aud 1 aud au$ a$ australian_dollar australian_dollars 澳元 澳币
money:hkd 1 hkd hk$ hong_kong_dollar hong_kong_dollars 港元 港币
money:sgd 1 sgd s$ singapore_dollar singapore_dollars 新加坡元 新币
money:nzd 1 nzd nz$ new_zealand_dollar new_zealand_dollars 新西兰元 纽币
money:twd 1 twd ntd nt$ 台币 新台币
money:eur 1 € eur euro euros 欧元
money:eur .01 欧分
money:gbp 1 £ gbp quid pound_sterling pounds_sterling 英镑
money:gbp .01 pence 便士
money:cny|jpy 1 ¥
money:cny 1 yuan rmb cny renminbi 元 块 块钱 人民币
money:cny .1 毛钱
money:jpy 1 yen jpy 日元 日圆 円
money:krw 1 ₩ krw korean_won 韩元 韩币
money:inr 1 ₹ inr rupee rupees 卢比
money:chf 1 chf franc francs swiss_franc swiss_francs 瑞士法郎 法郎
money:rub 1 ₽ RUB ruble rubles rouble roubles 卢布
money:thb 1 ฿ thb baht 泰铢
money:vnd 1 ₫ vnd dong 越南盾
money:brl 1 r$ brl reais
money:mxn 1 mxn peso pesos 比索
money:sek 1 sek krona kronor
money:nok 1 nok
money:dkk 1 dkk
money:pln 1 pln zloty
money:try 1 ₺ lira liras 里拉
money:zar 1 zar rand 兰特
money:ils 1 ₪ ils shekel shekels
money:btc 1 ₿ btc bitcoin bitcoins 比特币
`

// Units are by their written form; longest is how many words the forms have that begin with one; money has the kinds that are currencies.
var Units, longest, money = func() (map[string]Unit, map[string]int, map[string]bool) {
	units, words, money := map[string]Unit{}, map[string]int{}, map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(table)) {
		f := strings.Fields(line)
		kind, may, _ := strings.Cut(f[0], "|")
		kind, cur := strings.CutPrefix(kind, "money:")
		mul, add, _ := strings.Cut(strings.TrimPrefix(f[1], "~"), "+")
		u := Unit{Kind: kind, Loose: f[1][0] == '~', May: may}
		u.Mul, _ = strconv.ParseFloat(mul, 64)
		u.Add, _ = strconv.ParseFloat(add, 64)
		u.Cal = kind == "time" && u.Mul > 2e6
		money[kind] = money[kind] || cur
		for _, name := range f[2:] {
			units[name] = u
			first, _, _ := strings.Cut(name, "_")
			words[first] = max(words[first], 1+strings.Count(name, "_"))
		}
	}
	return units, words, money
}()

// scales multiply a number before its unit.
var scales = map[string]float64{"k": 1e3, "thousand": 1e3, "dozen": 12, "million": 1e6, "mn": 1e6, "grand": 1e3, "billion": 1e9, "bn": 1e9, "trillion": 1e12, "千": 1e3, "万": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8}

// Currency reports whether a kind is money of one currency.
func Currency(kind string) bool { return money[kind] }

// Per is the unit of what is counted in u for each d: metres a second.
func Per(u, d Unit) Unit {
	u.Mul, u.Loose = u.Mul/d.Mul, u.Loose || d.Loose
	switch u.Kind += "/" + d.Kind; u.Kind {
	case "length/time":
		u.Kind = "speed"
	case "bytes/time":
		u.Kind = "rate"
	}
	return u
}

// currencyAt reads a currency before its number: $, HK$, EUR.
func currencyAt(s string, i int) (Unit, int) {
	if r, n := utf8.DecodeRuneInString(s[i:]); unicode.Is(unicode.Sc, r) {
		if u, ok := Units[s[i:i+n]]; ok {
			return u, i + n
		}
	}
	k := i
	for k < len(s) && k < i+3 && asciiLetter(s[k]) {
		k++
	}
	switch {
	case k == i || k == len(s) || i > 0 && letterOrDigit(s[i-1]):
		return Unit{}, i
	case s[k] == '$':
		k++
	case k < i+3 || strings.ToUpper(s[i:k]) != s[i:k] || !digit(strings.TrimLeft(s[k:], " ")[0]):
		return Unit{}, i
	}
	if u := Units[strings.ToLower(s[i:k])]; money[u.Kind] {
		return u, k
	}
	return Unit{}, i
}
