package atomicfile

import "io"

const (
	// aheadSize is how much is written before the disk is set to work on it.
	aheadSize = 8 << 20
	// keepCached is how much of a file stays in the system's cache for whoever reads it
	// next. What lies beyond leaves the cache when it is on disk: a file of gigabytes
	// would push out everything else, and taking ever new pages for it is slower than
	// the disk (on a virtual machine by a factor of five).
	keepCached = 256 << 20
	// inFlight is how much may be on its way to the disk before the oldest is waited for.
	inFlight = 4 * aheadSize
)

// Ahead returns a writer to f for large files: it lets the disk write while more is
// being made, so that Commit has little left to wait for. Close it before Commit.
func (f *File) Ahead() io.WriteCloser {
	a := &ahead{f: f, work: make(chan extent, 1), done: make(chan struct{})}
	go func() {
		defer close(a.done)
		var begun []extent // on their way, not to stay
		size := int64(0)
		for x := range a.work {
			startWriteBack(f.File, x)
			if x.off < keepCached {
				continue
			}
			begun = append(begun, x)
			for size += x.n; size > inFlight; begun = begun[1:] {
				dropWritten(f.File, begun[0])
				size -= begun[0].n
			}
		}
	}()
	return a
}

// An extent is a part of a file.
type extent struct{ off, n int64 }

type ahead struct {
	f         *File
	n, begun  int64
	work      chan extent
	done      chan struct{}
	closeOnce bool
}

func (a *ahead) Write(p []byte) (int, error) {
	n, err := a.f.Write(p)
	if a.n += int64(n); a.n-a.begun >= aheadSize {
		x := extent{a.begun, a.n - a.begun}
		if x.off < keepCached {
			select {
			case a.work <- x:
				a.begun = a.n
			default: // the disk is behind: the next extent will be longer
			}
		} else {
			a.work <- x // the disk sets the pace
			a.begun = a.n
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
