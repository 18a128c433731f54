package recall

import (
	"strings"

	"membench/internal/pattern"
)

// Asked describes a question in addition to its words. English and Chinese.
type Asked struct {
	When    bool // a time
	Request bool // help or advice: rules that were laid down for replies apply
	Own     bool // something of the one who asks: I, my, we
	Told    bool // about statements of the other side: "did you recommend"
	Whole   bool // the whole of a talk: an order, a summary
	Place   bool // where something is
	Title   bool // about things with a title: films, books, songs
}

var (
	requestAsked = pattern.New(`^(can|could|would|will) you|^how (can|do|should|could|would) (i|you|we)|^what (are|is|should|would|tools|steps)|^(i'm|i am|i'd|i want|i need)|^(help|show|give|suggest|recommend|explain)|^(请|帮|给我|能不能|可以|怎么|如何|推荐|建议)`)
	ownAsked     = pattern.New(`\b(i|my|me|i'm|i've|we|our)\b|我`)
	toldAsked    = pattern.New(`\b(did|have|had|were) you\b|\byou (recommend|suggest|advis|propos|explain|describ|said|say|told|tell|provid|gave|mention|outlin)|你(建议|推荐|说过|告诉|解释|提到|给过)`)
	placeAsked   = pattern.New(`\bwhere\b|\b(which|what) (\w+ )?(city|cities|country|countries|places?|towns?|states?|locations?|restaurants?|schools?|university|universities|beach|beaches|destinations?)\b|哪里|哪儿|什么地方|哪个(城市|国家)`)
	titleAsked   = pattern.New(`\b(tv|the|which|what|favou?rite) shows?\b|\b(movies?|films?|books?|series|songs?|games?|albums?|bands?|artists?|animes?|novels?|podcasts?)\b|电影|哪本书|什么书|歌|游戏|小说|剧`)
	wholeAsked   = pattern.New(`\b(in (what|which) order|the order in which|in order|summar(y|ize|ise)|overview|walk me through|over time|across)\b|总结|概括|概述|回顾|先后|顺序|依次`)
)

// AskedOf reads a question.
func AskedOf(question string) Asked {
	q := strings.ToLower(strings.TrimSpace(strings.ReplaceAll(question, "’", "'")))
	a := Asked{When: AsksWhen(q), Own: ownAsked.MatchString(q), Told: toldAsked.MatchString(q), Whole: wholeAsked.MatchString(q), Place: placeAsked.MatchString(q), Title: titleAsked.MatchString(q)}
	a.Request = requestAsked.MatchString(q) && !a.Told && !strings.Contains(q, "did i") && !strings.Contains(q, " i said")
	return a
}
