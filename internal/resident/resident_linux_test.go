package resident

import (
	"os"
	"slices"
	"testing"
)

func TestCleanMappings(t *testing.T) {
	const smaps = `00400000-00500000 r-xp 00000000 08:01 77                                 /opt/membench
Size:               1024 kB
Private_Dirty:       512 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
00500000-00600000 r--p 00100000 08:01 77                                 /opt/membench
Anonymous:             4 kB
00600000-00700000 r--p 00200000 08:01 77                                 /opt/membench
Anonymous:             0 kB
00700000-00800000 rw-p 00300000 08:01 77                                 /opt/membench
Anonymous:             0 kB
00800000-00900000 r--p 00000000 08:01 78                                 /opt/membench.so
Anonymous:             0 kB
00900000-00a00000 rw-p 00000000 00:00 0
Anonymous:             0 kB
x-y r--p 00000000 08:01 77                                 /opt/membench
Anonymous:             0 kB
7ffc00000000-7ffc00001000 r-xp 00000000 00:00 0                          [vdso]
Anonymous:             0 kB
`
	have := cleanMappings([]byte(smaps), "/opt/membench")
	want := [][2]uintptr{{0x400000, 0x500000}, {0x600000, 0x700000}}
	if !slices.Equal(have, want) {
		t.Errorf("have %x, want %x", have, want)
	}
}

// The program goes on as it was, and its own file is found in the real smaps.
func TestRelease(t *testing.T) {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Skip(err)
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	if len(cleanMappings(smaps, exe)) == 0 {
		t.Error("no mapping of the program's file is clean")
	}
	Release()
	if after, err := os.ReadFile("/proc/self/smaps"); err != nil || len(after) == 0 {
		t.Errorf("have %d bytes (%v)", len(after), err)
	}
}
