package judge

import "testing"

// values of two spellings are the same, or are not, whatever they look like.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		gold, answer string
		same         bool
	}{
		{"36 ms", "36 milliseconds", true}, {"36 ms", "0.036 s", true}, {"36 ms", "36ms", true}, {"36 ms", "thirty-six milliseconds", true}, {"36 ms", "36 s", false}, {"100 ms", "101 ms", false},
		{"36 ms", "more than 36 ms", false}, {"at least 3", "3 or more", true}, {"at least 3", "at most 3", false}, {"≥ 5 GB", "at least 5 GB", true}, {"no more than 5", "more than 5", false},
		{"16:12", "4:12 pm", true}, {"4:30 pm", "half past four", true}, {"4:30 pm", "half past four in the afternoon", true}, {"16:12", "4:12 am", false}, {"8:45", "quarter to nine", true}, {"16:30", "下午四点半", true}, {"9:05", "9:50", false},
		{"1 hour 30 minutes", "90 minutes", true}, {"1 hour 30 minutes", "1h30m", true}, {"1 hour 30 minutes", "an hour and a half", true}, {"1 hour 30 minutes", "1.5 hours", true}, {"90分钟", "一个半小时", true}, {"90分钟", "1小时30分", true}, {"1 hour 30 minutes", "1 hour 20 minutes", false}, {"half an hour", "30 min", true}, {"30 min", "30m", true}, {"半小时", "30分钟", true},
		{"2 weeks", "14 days", true}, {"6 years", "72 months", true},
		{"97%", "97 percent", true}, {"97%", "0.97", true}, {"97%", "百分之97", true}, {"97%", "96%", false}, {"3 %", "3 packets", false},
		{"$1,200", "1200 dollars", true}, {"$1.2k", "$1,200", true}, {"3500元", "三千五百元", true}, {"$5 million", "$5m", false}, {"$50", "€50", false}, {"3万元", "30000元", true}, {"3200元", "三千二百元", true}, {"三千二元", "3200元", true}, {"一万五元", "15000元", true}, {"三千零二元", "3002元", true},
		{"10.0.3.17", "10.0.3.17", true}, {"10.0.3.17", "10.0.3.18", false}, {"10.0.3.17", "IP:10.0.3.17", true}, {"10.0.3.17", "VIP：10.0.3.17", true}, {"10.0.3.17", "host:10.0.3.18", false}, {"10.0.3.0/24", "10.0.3.0/25", false}, {"2001:db8::1", "2001:0db8:0:0:0:0:0:1", true}, {"2001:db8::1", "2001:db8::2", false},
		{"00:1A:2B:3C:4D:5E", "001a.2b3c.4d5e", true}, {"00:1A:2B:3C:4D:5E", "00-1a-2b-3c-4d-5e", true}, {"00:1A:2B:3C:4D:5E", "00:1a:2b:3c:4d:5f", false},
		{"port 8080", "8080", true}, {"port 8080", "port 8081", false}, {"443/tcp", "TCP/443", true}, {"VLAN 20", "vlan20", true}, {"VLAN 20", "vlan:20", true}, {"port 8080", "port:8080", true}, {"VLAN 20", "VLAN 200", false}, {"VLAN 20", "20", true},
		{"AS65001", "AS 65001", true}, {"AS65001", "AS65010", false}, {"INC0012345", "INC-0012345", true}, {"INC0012345", "INC0012354", false}, {"sw-1-12", "sw-11-2", false}, {"CHG-17", "chg17", true},
		{"GigabitEthernet0/0/1", "Gi0/0/1", true}, {"GigabitEthernet0/0/1", "GigabitEthernet 0/0/1", true}, {"GigabitEthernet0/0/1", "GE0/0/1", true}, {"Gi0/0/1", "Gi0/0/2", false}, {"Gi0/0/1", "Te0/0/1", false}, {"eth0", "eth1", false}, {"ge-0/0/1", "xe-0/0/1", false},
		{"v2.19.2", "2.19.2", true}, {"v2.19.2", "version 2.19.2", true}, {"v2.19.2", "2.19.3", false}, {"v2.19.2", "v2.19.20", false},
		{"5 km", "5000 m", true}, {"5 GB", "5 Gb", true}, {"10 miles", "16.1 km", true}, {"8公里", "8000米", true}, {"-3.2 dBm", "3.2 dBm", false}, {"100 Mbps", "0.1 Gbps", true}, {"10-20 ms", "10 to 20 milliseconds", true}, {"10-20 ms", "10-30 ms", false},
		{"£312", "three hundred and twelve pounds", true}, {"£312", "three hundred and twelve euros", false}, {"52分18秒", "52:18", true}, {"52分18秒", "52:19", false}, {"五个月零十天", "五个月多十天", true},
		{"10.84.0.0/16", "10.84.0.0 with netmask 255.255.0.0", true}, {"10.84.0.0/16", "10.84.0.0, mask 255.255.255.0", false}, {"172.18.64.0/20", "172.18.64.0，掩码20位", true}, {"8.10.185.0", "v8.10.185.0", true},
		{"45 minutes", "three quarters of an hour", true}, {"2Gi", "2048 MiB", true}, {"6升", "6000毫升", true}, {"465 euros a month", "465 euros a week", false}, {"465 euros a month", "€465 per month", true},
		{"12 switches", "twelve", true}, {"12 switches", "15 switches", false}, {"12台", "十二台", true}, {"one hundred and twelve", "112", true},
		{"40 litres", "40 gallons", false}, {"10 gallons", "37.9 litres", true}, {"3200元", "3200美元", false}, {"300 yen", "¥300", true}, {"¥300", "300 yuan", true}, {"300日元", "300元", false}, {"HK$50", "50 港元", true}, {"$50", "50 Canadian dollars", true}, {"US$50", "CA$50", false}, {"USD 1,200", "$1,200", true}, {"£3.20", "320 pence", true},
		{"20 °C", "68 degrees Fahrenheit", true}, {"20 °C", "20 °F", false}, {"20 degrees", "20 °C", true}, {"摄氏20度", "20度", true}, {"300 kelvin", "26.85 °C", true},
		{"60 km/h", "60 km per hour", true}, {"60 km/h", "37.3 mph", true}, {"每小时60公里", "60公里/小时", true}, {"3 m/s", "10.8 km/h", true}, {"60 km/h", "60 km", false},
		{"1 Gbps", "1 GB", false}, {"8 Gbit/s", "1 GB/s", true}, {"100 megabits per second", "100 Mbps", true}, {"100 Mbps", "100 MB/s", false}, {"2.4 GHz", "2400 MHz", true}, {"-3 dBm", "-3 dB", false}, {"3 Mpps", "3000 kpps", true}, {"5 mW", "5 MW", false},
		{"120平方米", "120 square metres", true}, {"120 m²", "120 m³", false}, {"2 acres", "0.81 hectares", true}, {"3亩", "2000平方米", true}, {"3 kWh", "3度电", true}, {"3 kWh", "3 kW", false}, {"230 V", "0.23 kV", true}, {"16 A", "16 amps", true}, {"5000 mAh", "5 Ah", true},
		{"2 bar", "200 kPa", true}, {"32 psi", "220 kPa", true}, {"500 mg", "0.5 g", true}, {"250 μg", "0.25毫克", true}, {"3 tablespoons", "3 teaspoons", false}, {"0.5%", "50 basis points", true}, {"30,000 dollars", "thirty grand", true},
		{"between 8 and 18 metres", "18 metres", false}, {"between 8 and 18 metres", "8-18 m", true}, {"8米到18米", "8至18米", true}, {"between $8 and $18", "$18", false},
	} {
		read := func(s string) []value {
			x := cut(s, nil)
			w := dates(x, 0)
			return values(x.raw, &w)
		}
		g, a := read(c.gold), read(c.answer)
		if len(g) != 1 || len(a) != 1 {
			t.Errorf("%q: have %+v; %q: have %+v; want one value each", c.gold, g, c.answer, a)
			continue
		}
		if sameValue(g[0], a[0]) != c.same || sameValue(a[0], g[0]) != c.same {
			t.Errorf("%q and %q: same is %v, want %v (%+v, %+v)", c.gold, c.answer, !c.same, c.same, g[0], a[0])
		}
	}
}
