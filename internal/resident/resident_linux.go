package resident

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Release takes the pages of the program's own file out of the process; what is used
// again is mapped again, from the page cache. It is a hint: where it fails nothing is
// lost.
func Release() {
	for _, m := range program() {
		unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), m[0])), m[1]-m[0]), unix.MADV_DONTNEED)
	}
}

// program is the mappings of the program's own file that can be read only and that
// nothing has changed: what is read next is what was read before.
var program = sync.OnceValue(func() [][2]uintptr {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return nil
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return nil
	}
	return cleanMappings(smaps, exe)
})

// cleanMappings are the address ranges of a file in /proc/PID/smaps that cannot be
// written and hold no page of the process's own (a relocated one is its own).
func cleanMappings(smaps []byte, file string) (out [][2]uintptr) {
	var at [2]uintptr
	for s := bufio.NewScanner(bytes.NewReader(smaps)); s.Scan(); {
		f := bytes.Fields(s.Bytes())
		switch {
		case len(f) >= 5 && bytes.IndexByte(f[0], '-') > 0: // from-to perms offset dev inode path
			at = [2]uintptr{}
			if len(f) == 6 && string(f[5]) == file && len(f[1]) == 4 && f[1][1] == '-' {
				from, to, _ := bytes.Cut(f[0], []byte("-"))
				a, err1 := strconv.ParseUint(string(from), 16, 64)
				b, err2 := strconv.ParseUint(string(to), 16, 64)
				if err1 == nil && err2 == nil && a < b {
					at = [2]uintptr{uintptr(a), uintptr(b)}
				}
			}
		case len(f) == 3 && string(f[0]) == "Anonymous:" && string(f[1]) == "0" && at[1] > 0:
			out = append(out, at)
		}
	}
	return out
}
