package judge

import "strings"

// interfaces leads the first letters of a network interface to one form.
var interfaces = func() map[string]string {
	m := map[string]string{}
	for _, row := range strings.Split("gi g gig gige ge gigabitethernet gigaethernet|te ten tengige tengigabitethernet xge xgigabitethernet 10ge|25ge twentyfivegige twe|40ge fo fortygige fortygigabitethernet|100ge hu hundredgige hundredgigabitethernet|eth ethernet|fa fastethernet|se serial|po portchannel port-channel|eth-trunk|bundle-ether be|lo loopback|tu tunnel|ens|enp|eno|bond|wlan|vlanif", "|") {
		f := strings.Fields(row)
		for _, w := range f {
			m[w] = f[0]
		}
	}
	return m
}()
