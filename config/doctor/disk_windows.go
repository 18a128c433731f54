package doctor

import "golang.org/x/sys/windows"

// diskFree is the bytes that this user may still write below dir.
func diskFree(dir string) (free uint64, err error) {
	p, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	return free, windows.GetDiskFreeSpaceEx(p, &free, nil, nil)
}
