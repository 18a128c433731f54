package server

import (
	"os/exec"
	"syscall"
)

// bind has the kernel end cmd when the thread that starts it ends.
func bind(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
