// Package tokencount counts the tokens of OpenAI's models, without a network.
package tokencount

import (
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// o200k is read once, at first need: about 20 ms and 7 MB.
var o200k = sync.OnceValue(codec.NewO200kBase)

const endOfText = "<|endoftext|>"

// O200k counts s in o200k_base, the encoding of gpt-4o and later. The mark
// <|endoftext|> is one token. Bytes that are not UTF-8 count as U+FFFD.
func O200k(s string) int {
	n := 0
	for i, part := range strings.Split(strings.ToValidUTF8(s, "\ufffd"), endOfText) {
		if i > 0 {
			n++
		}
		c, err := o200k().Count(part)
		if err != nil {
			return n + len(part) // the pattern's only error is a timeout, which is off
		}
		n += c
	}
	return n
}
