package measure

import "strings"

// Unit is how a written unit leads to a kind of measure and its base: seconds, metres,
// grams, bytes, bits a second, hertz, watts, volts, amperes; a currency by itself.
type Unit struct {
	Kind  string
	Mul   float64
	Loose bool // a system of its own: what is converted from it agrees within 1.1 %
	Cal   bool // months and years: their days vary, so conversions agree within 6 %
}

// Units are by their written form; a form with capitals goes before its lower case,
// so that Mb and MB differ where people mean them to.
var Units = func() map[string]Unit {
	m := map[string]Unit{}
	for _, row := range []struct {
		kind  string
		mul   float64
		names string
	}{
		{"time", 1e-9, "ns nanosecond nanoseconds 纳秒"}, {"time", 1e-6, "us μs µs microsecond microseconds 微秒"},
		{"time", 1e-3, "ms msec msecs millisecond milliseconds 毫秒"}, {"time", 1, "s sec secs second seconds 秒 秒钟"},
		{"time", 60, "min mins minute minutes 分钟 分"}, {"time", 900, "刻钟"}, {"time", 3600, "h hr hrs hour hours 小时 个小时 钟头 个钟头"},
		{"time", 86400, "d day days 天"}, {"time", 604800, "wk wks week weeks 周 星期 个星期 礼拜 个礼拜"},
		{"time", 86400 * 365.25 / 12, "month months mo mos 个月"}, {"time", 86400 * 365.25, "yr yrs year years 年"}, {"time", 864000 * 365.25, "decade decades"},
		{"length", 1, "m meter meters metre metres 米"}, {"length", 1e3, "km kilometer kilometers kilometre kilometres 公里 千米"}, {"length", .01, "cm centimeter centimeters centimetre centimetres 厘米"},
		{"length", .001, "mm millimeter millimeters 毫米"}, {"length", 1609.344, "mi mile miles 英里"}, {"length", .3048, "ft foot feet 英尺"}, {"length", .0254, "inch inches 英寸"}, {"length", .9144, "yard yards"},
		{"mass", 1, "g gram grams 克"}, {"mass", 1e3, "kg kgs kilogram kilograms kilo kilos 公斤 千克"}, {"mass", 500, "斤"}, {"mass", 453.592, "lb lbs pound pounds 磅"}, {"mass", 28.3495, "oz ounce ounces 盎司"}, {"mass", 1e6, "tonne tonnes 吨"},
		{"bytes", 1, "B byte bytes 字节"}, {"bytes", 1e3, "KB kb kilobyte kilobytes"}, {"bytes", 1e6, "MB mb megabyte megabytes"}, {"bytes", 1e9, "GB gb gigabyte gigabytes"}, {"bytes", 1e12, "TB tb terabyte terabytes"},
		{"bytes", 1 << 10, "KiB kib Ki"}, {"bytes", 1 << 20, "MiB mib Mi"}, {"bytes", 1 << 30, "GiB gib Gi"}, {"bytes", 1 << 40, "TiB tib Ti"},
		{"volume", 1, "L litre litres liter liters 升"}, {"volume", .001, "ml mL millilitre millilitres milliliter milliliters 毫升"},
		{"rate", 1e3, "kbps kbit/s kb/s"}, {"rate", 1e6, "mbps mbit/s Mb/s"}, {"rate", 1e9, "gbps gbit/s Gb/s"}, {"rate", 8e6, "MB/s mb/s"}, {"rate", 8e9, "GB/s gb/s"},
		{"frequency", 1, "hz 赫兹"}, {"frequency", 1e3, "khz"}, {"frequency", 1e6, "mhz"}, {"frequency", 1e9, "ghz"},
		{"power", 1, "w watt watts 瓦"}, {"power", 1e3, "kw kilowatt kilowatts 千瓦"}, {"volt", 1, "v volt volts 伏"}, {"ampere", 1, "amp amps ampere amperes 安培"}, {"dbm", 1, "dbm"}, {"db", 1, "db"},
		{"celsius", 1, "°c c° celsius 摄氏度 度"}, {"fahrenheit", 1, "°f fahrenheit"}, {"percent", 1, "% percent pct"}, {"points", 1, "pp"},
		{"packets/s", 1, "pps"}, {"requests/s", 1, "rps qps"},
		{"usd", 1, "dollar dollars usd bucks 美元 美金"}, {"usd", .01, "cent cents"}, {"eur", 1, "eur euro euros 欧元"}, {"gbp", 1, "gbp 英镑"}, {"cny", 1, "yuan rmb cny 元 块 块钱 人民币"},
	} {
		for _, n := range strings.Fields(row.names) {
			imperial := strings.Contains(" mi mile miles ft foot feet inch inches yard yards lb lbs pound pounds oz ounce ounces ", " "+n+" ")
			m[n] = Unit{row.kind, row.mul, imperial, row.kind == "time" && row.mul > 2e6}
		}
	}
	return m
}()

// scales multiply a number before its unit.
var scales = map[string]float64{"k": 1e3, "thousand": 1e3, "dozen": 12, "million": 1e6, "mn": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12, "千": 1e3, "万": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8}

var currencies = map[string]string{"$": "usd", "€": "eur", "£": "gbp", "¥": "cny"}

// Currency reports whether a kind is money of one currency.
func Currency(kind string) bool {
	for _, k := range currencies {
		if k == kind {
			return true
		}
	}
	return false
}
