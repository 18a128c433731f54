package cli

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"membench/internal/atomicfile"
)

// killAtStep is called by the test binary when it acts as membench. With
// TEST_STOP_AT=n it stops before the n-th step that changes the file system, says so
// on file descriptor 3 and waits for its parent to kill it. With TEST_STEPS=file it
// lists the steps there.
func killAtStep() {
	if name := os.Getenv("TEST_STEPS"); name != "" {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		atomicfile.Observe(func(op, path string) { fmt.Fprintf(f, "%s %s\n", op, path) })
		return
	}
	n, err := strconv.ParseInt(os.Getenv("TEST_STOP_AT"), 10, 64)
	if err != nil {
		return
	}
	var at atomic.Int64
	atomicfile.Observe(func(op, path string) {
		if at.Add(1) == n {
			os.NewFile(3, "parent").WriteString("x")
			time.Sleep(time.Hour) // a select would be a deadlock where no other goroutine is left
		}
	})
}
