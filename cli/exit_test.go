package cli

import (
	"errors"
	"os/exec"
	"strconv"
)

func exitCodeOf(err error) int {
	var ee *exec.ExitError
	if errors.As(err, &ee) {
		return ee.ExitCode()
	}
	return -1
}

func itoa(n int) string { return strconv.Itoa(n) }
