package judge

import (
	"strings"
	"unicode/utf8"

	"membench/internal/textnorm"
	"membench/internal/tokens"
)

// A shorter reply is the answer itself, unless it marks its conclusion.
const longReply = 240 // bytes

// conclusions begin the part of a reply that answers. Strong ones name the answer;
// weak ones also join steps of an argument, so the last of them counts, and only in a
// long reply.
var strongConclusions = []string{"final answer", "answer:", "answer is", "answer would be", "answer will be", "answer**", "in conclusion", "conclusion:", "to conclude", "in summary", "to summarize", "to sum up", "in short,",
	"最终答案", "答案是", "答案就是", "答案为", "答案:", "答案如下", "结论", "综上", "总之", "总的来说"}
var weakConclusions = []string{"therefore", "thus,", "hence,", "so,", "so the ", "so you ", "consequently", "as a result", "based on this", "based on the above", "based on these", "we can conclude", "i can conclude", "i conclude", "因此", "所以", "由此", "可见"}

var strongMarks, weakMarks = newPhrases(strongConclusions), newPhrases(weakConclusions)

// finalPart finds the part of a reply that answers: its marked conclusion, or the first answering sentence of a long reply, or its last paragraph. Reasoning in
// tags is dropped. how names the choice; "" means that the reply is unchanged.
func finalPart(s string, q *text) (part, how string) {
	s = withoutFences(textnorm.Compat(s))
	for _, tag := range []string{"</think>", "</thinking>", "</reasoning>", "</analysis>", "</scratchpad>"} {
		if i := strings.LastIndex(s, tag); i >= 0 && strings.TrimSpace(s[i+len(tag):]) != "" {
			s, how = s[i+len(tag):], "after the reasoning"
		}
	}
	s = withoutOffer(strings.TrimSpace(s))
	if head, rest, ok := strings.Cut(s, "\n"); ok && strings.HasPrefix(s, "#") && strings.TrimSpace(rest) != "" && len(head) < 40 {
		s = strings.TrimSpace(rest) // a heading
	}
	low := strings.ToLower(s)
	long := len(s) > longReply || strings.Count(s, "\n") > 2 && !strings.Contains(s, "\n- ") && !strings.Contains(s, "\n* ")
	if i := lastMark(low, strongMarks); i >= 0 && (long || i > 0 && boundary(low, i)) {
		if part := concluded(s[i:]); part != "" {
			return part, "the marked conclusion"
		}
	}
	if !long {
		if i := strings.LastIndexByte(low, '\n') + 1; i > 0 && lastMark(low[i:], weakMarks) == 0 {
			return concluded(s[i:]), "the last conclusion"
		}
		return s, how
	}
	weak := lastMark(low, weakMarks)
	if weak >= 0 && strings.Count(s[weak:], "\n\n") == 0 && (2*weak > len(s) || strings.LastIndex(s[:weak], "\n") >= 0 && sentences(s[weak:]) <= 2) {
		if part := concluded(s[weak:]); part != "" {
			return part, "the last conclusion"
		}
	}
	if part := answersFirst(s, q); part != "" {
		return part, "the first sentence that answers"
	}
	if weak >= 0 {
		if part := concluded(s[weak:]); part != "" {
			return part, "the last conclusion"
		}
	}
	return lastParagraph(s), "the last assertion"
}

// withoutFences omits the lines that begin and end a block of code.
func withoutFences(s string) string {
	if !strings.Contains(s, "```") {
		return s
	}
	var out []string
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(strings.TrimSpace(line), "```") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

var offered = []string{"let me know if", "let me know whether", "feel free to", "is there anything else", "do you need anything else", "would you like me to", "happy to help", "i hope this helps", "hope this helps", "hope that helps", "希望能帮", "希望对你有", "希望对您有", "如需", "如果您还有", "如果你还有", "还有什么", "祝您", "祝你"}
var offers = newPhrases(offered)

// withoutOffer removes a last sentence that only offers more help.
func withoutOffer(s string) string {
	low := strings.ToLower(s)
	if offers.next(low, 0) < 0 {
		return s
	}
	for _, offer := range offered {
		if i := strings.LastIndex(low, offer); i > 0 && len(low) == len(s) && i == sentenceStart(low, i)+strings.Count(low[sentenceStart(low, i):i], " ") && sentences(s[i:]) == 1 {
			return strings.TrimSpace(s[:i])
		}
	}
	return s
}

// lastMark is where the last of the marks is at the beginning of a sentence or line
// or, of "answer is" and its like, behind a few words of it.
func lastMark(low string, marks *phrases) int {
	for i := len(low) - 1; i >= 0; i-- {
		if marks[low[i]] != nil && marks.at(low, i) {
			if start := sentenceStart(low, i); i-start < 34 && (i == start || !asciiLetter(low[i-1])) {
				return i
			}
		}
	}
	return -1
}

// sentenceStart is where the sentence or line of byte i begins.
func sentenceStart(s string, i int) int {
	for j := i; j > 0; j-- {
		switch c := s[j-1]; {
		case c == '\n':
			return j
		case (c == '.' || c == '!' || c == '?' || c == ',' || c == ';') && j < len(s) && (s[j] == ' ' || s[j] == '*'):
			return j + 1
		case strings.HasSuffix(s[:j], "。") || strings.HasSuffix(s[:j], "，") || strings.HasSuffix(s[:j], "；"):
			return j
		}
	}
	return 0
}

func boundary(s string, i int) bool { return sentenceStart(s, i) > 0 }

// concluded returns the text of a conclusion without its mark: the first paragraph with content, and the list that it announces.
func concluded(s string) string {
	low := strings.ToLower(s)
	for _, list := range [][]string{strongConclusions, weakConclusions} {
		for _, m := range list {
			if strings.HasPrefix(low, m) && !strings.HasSuffix(m, " ") {
				s = strings.TrimLeft(s[len(m):], " :,：，*\n\t")
				break
			}
		}
	}
	return clip(paragraph(s))
}

// paragraph is the first paragraph of s, with a list below it where it announces one or
// is nothing but a heading.
func paragraph(s string) string {
	s = strings.TrimSpace(s)
	end := strings.Index(s, "\n\n")
	for end >= 0 {
		head := strings.TrimRight(s[:end], " *")
		rest := strings.TrimLeft(s[end:], "\n ")
		if !strings.HasSuffix(head, ":") && !listItem(rest) && utf8.RuneCountInString(head) > 2 {
			break
		}
		next := strings.Index(rest, "\n\n")
		if next < 0 {
			return s
		}
		end = len(s) - len(rest) + next
	}
	if end < 0 {
		return s
	}
	return s[:end]
}

func listItem(s string) bool {
	return hasAny(s, "- ", "* ", "• ", "1.", "2.", "3.", "4.", "5.", "6.", "7.", "8.", "9.")
}

// clip keeps the beginning of a very long conclusion.
func clip(s string) string {
	const most = 900 // bytes
	if len(s) <= most {
		return s
	}
	return textnorm.Cut(s, most/3)
}

// ending keeps the end of a story without paragraphs, where the conclusion is.
func ending(s string) string {
	const most = 900 // bytes
	for len(s) > most {
		end := sentenceEnd(s)
		if end <= 0 || end >= len(s) {
			return clip(s)
		}
		s = strings.TrimSpace(s[end:])
	}
	return s
}

// answersFirst is the first sentence of a reply, with the list that it announces, where
// it is about the question and announces no work: "Ann moved in May, because …".
func answersFirst(s string, q *text) string {
	first := strings.TrimLeft(s, "#*> \n")
	if i := strings.IndexByte(first, '\n'); i > 0 && strings.HasSuffix(strings.TrimRight(first[:i], " *"), ":") {
		heading := strings.Trim(first[:i], " :*#")
		if first = paragraph(first); len(strings.Fields(heading)) < 7 && len(heading) < 60 {
			return "" // "Based on the chat history:" announces no answer
		}
	} else if end := sentenceEnd(first); end > 0 && end < len(first) {
		first = first[:end]
	}
	low := strings.ToLower(first)
	for _, w := range []string{"to answer", "to determine", "to find", "to calculate", "to figure", "let's", "let me", "let us", "step 1", "first,", "based on the chat history, i will", "i will", "i'll", "i need to", "we need to", "here are the steps", "首先", "让我", "为了回答", "为了确定", "我需要"} {
		if strings.HasPrefix(low, w) || strings.Contains(low, " i will follow") || strings.Contains(low, "extract relevant") {
			return ""
		}
	}
	if (strings.HasPrefix(low, "i ") || strings.HasPrefix(low, "i've ")) && !q.hasWord("you") || strings.HasPrefix(low, "我") && !strings.ContainsAny(q.raw, "你您") {
		return "" // the search for the answer, not the answer
	}
	about, n := 0, 0
	for i := range q.toks {
		k := &q.toks[i]
		if k.stop || tokens.Stop(k.word) {
			continue
		}
		n++
		if len(k.word) > 3 && strings.Contains(low, k.word[:min(len(k.word), 5)]) || k.han && strings.Contains(low, k.word) || strings.Contains(low, k.word) {
			about++
		}
	}
	if n == 0 || 5*about < 2*n {
		return ""
	}
	return first
}

// sentences counts the sentences of s.
func sentences(s string) (n int) {
	for s = strings.TrimSpace(s); s != ""; n++ {
		s = strings.TrimSpace(s[sentenceEnd(s):])
	}
	return n
}

// sentenceEnd is the end of the first sentence of s.
func sentenceEnd(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '.' && endsSentence(s, i) || s[i] == '!' || s[i] == '?' || s[i] == '\n':
			for i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '*' || s[i+1] == ')') {
				i++
			}
			return i + 1
		case strings.HasPrefix(s[i:], "。") || strings.HasPrefix(s[i:], "！") || strings.HasPrefix(s[i:], "？"):
			return i + 3
		}
	}
	return len(s)
}

// lastParagraph is the last paragraph, with the line above that announces it.
func lastParagraph(s string) string {
	i := strings.LastIndex(s, "\n\n")
	if i < 0 {
		if i = strings.LastIndexByte(s, '\n'); i >= 0 && !listItem(strings.TrimLeft(s[i:], "\n ")) {
			return clip(strings.TrimSpace(s[i:]))
		}
		return ending(s)
	}
	part := strings.TrimLeft(s[i:], "\n ")
	if listItem(part) || utf8.RuneCountInString(part) < 12 {
		if j := strings.LastIndex(s[:i], "\n\n"); j >= 0 {
			return clip(strings.TrimSpace(s[j:]))
		}
	}
	return clip(part)
}
