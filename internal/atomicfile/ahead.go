package atomicfile

import "io"

// aheadSize is how much is written before the disk is set to work on it.
const aheadSize = 8 << 20

// Ahead returns a writer to f for large files: it lets the disk write while more is
// being made, so that Commit has little left to wait for. Close it before Commit.
func (f *File) Ahead() io.WriteCloser {
	a := &ahead{f: f, work: make(chan [2]int64, 1), done: make(chan struct{})}
	go func() {
		defer close(a.done)
		for r := range a.work {
			startWriteBack(f.File, r[0], r[1])
		}
	}()
	return a
}

type ahead struct {
	f         *File
	n, begun  int64
	work      chan [2]int64
	done      chan struct{}
	closeOnce bool
}

func (a *ahead) Write(p []byte) (int, error) {
	n, err := a.f.Write(p)
	if a.n += int64(n); a.n-a.begun >= aheadSize {
		select {
		case a.work <- [2]int64{a.begun, a.n - a.begun}:
			a.begun = a.n
		default: // the disk is behind: the next range will be longer
		}
	}
	return n, err
}

// Close waits for the last request, not for the disk.
func (a *ahead) Close() error {
	if !a.closeOnce {
		a.closeOnce = true
		close(a.work)
		<-a.done
	}
	return nil
}
