package textnorm

import "strings"

// The words that by themselves answer a question of yes or no, as alternatives of a pattern in lower case. What else agrees or denies, such as "definitely" or
// "never", depends on where it is said.
const (
	Yes   = "yes|yeah|yep|yup"
	No    = "no|nope|nah"
	yesZH = "对|对啊|对呀|是|是的|是啊|嗯|嗯嗯|在|有|有啊|会|会啊|能|行"
	noZH  = "没|没有|没呢|还没|还没呢|不|不是|不了|没啊|没呀|没有啊|早不了|不会|早没了"
)

var yesNo = func() map[string]int {
	out := map[string]int{}
	for _, w := range strings.Split(Yes+"|"+yesZH, "|") {
		out[w] = 1
	}
	for _, w := range strings.Split(No+"|"+noZH, "|") {
		out[w] = -1
	}
	return out
}()

// YesNo is 1 for a word in lower case that by itself says yes, -1 for one that says no, else 0.
func YesNo(word string) int { return yesNo[word] }
