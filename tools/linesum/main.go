// Command linesum prints a digest of the lines of standard input that does not depend on
// their order: the sum of their SHA-256 modulo 2^256, and their number. Two files with the
// same digest are the same when sorted, without the disk and time that sorting takes.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
)

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	var sum [4]uint64
	n := 0
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && err != io.EOF {
			fmt.Fprintln(os.Stderr, "linesum:", err)
			os.Exit(1)
		}
		if len(line) > 0 {
			d := sha256.Sum256(line)
			var carry uint64
			for i := 3; i >= 0; i-- {
				sum[i], carry = bits.Add64(sum[i], binary.BigEndian.Uint64(d[8*i:]), carry)
			}
			n++
		}
		if line = line[:0]; err == io.EOF {
			break
		}
	}
	fmt.Printf("%016x%016x%016x%016x %d\n", sum[0], sum[1], sum[2], sum[3], n)
}
