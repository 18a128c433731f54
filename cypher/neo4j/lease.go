package neo4j

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// A scope has one writer at a time. Its record (heldLabel) holds the lease: token, host, pid, and its expiry unless it is renewed, on the server's clock. A
// writer of elements stamps the record at the end of the same transaction: this takes the record's lock, so a lease that another writer took over in between is
// detected before anything is committed.

// leaseTime is how long a lease outlives the last renewal of its holder.
const leaseTime = 30 * time.Second

var (
	ErrHeld    = errors.New("another program is writing to this graph")
	ErrLost    = errors.New("another program took this graph over while it was written to")
	ErrChanged = errors.New("the graph in the database changed meanwhile")
)

type lease struct {
	token string
	users int // calls of Hold that were not released yet
	end   context.CancelFunc
	ended chan struct{} // closed when renewing has stopped
}

// HoldOptions changes how Hold waits.
type HoldOptions struct {
	Wait    time.Duration   // for another writer to end; 0: not at all
	Waiting func(why error) // called once when it has to wait; may be nil
}

// Hold makes this DB the only writer of its scope until release is called. Every load holds its scope itself; a caller with several related steps holds it
// around them. If another writer holds the scope, it fails with ErrHeld and names the writer.
func (db *DB) Hold(ctx context.Context, o HoldOptions) (release func(), err error) {
	db.holding.Lock()
	defer db.holding.Unlock()
	if db.lease != nil {
		db.lease.users++
		return db.release, nil
	}
	made, err := db.ensureRecord(ctx)
	db.made = append(db.made, made...)
	if err != nil {
		return nil, err
	}
	l := &lease{token: rand.Text(), users: 1, ended: make(chan struct{})}
	for began := time.Now(); ; {
		err = db.acquire(ctx, l.token)
		if !errors.Is(err, ErrHeld) || time.Since(began) >= o.Wait {
			break
		}
		if o.Waiting != nil {
			o.Waiting(err)
			o.Waiting = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(min(500*time.Millisecond, o.Wait)):
		}
	}
	if err != nil {
		return nil, err
	}
	renewing, end := context.WithCancel(context.WithoutCancel(ctx))
	l.end, db.lease = end, l
	go db.renew(renewing, l)
	return db.release, nil
}

// acquire takes the lease, or fails and names its holder.
func (db *DB) acquire(ctx context.Context, token string) error {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	return db.in(ctx, true, func(t *tx) error {
		// Setting a property takes the lock: the result is valid until the commit.
		_, err := t.run("MERGE (g:"+heldLabel+" {scope: $scope}) ON CREATE SET g.epoch = $token SET g.scope = $scope RETURN g.token, g.host, g.pid, g.until, timestamp()",
			db.with(map[string]any{"token": token}), func(v []any) error { return heldBy(v, host, token) })
		if err != nil {
			return err
		}
		_, err = t.run("MATCH (g:"+heldLabel+" {scope: $scope}) SET g.token = $token, g.host = $host, g.pid = $pid, g.until = timestamp() + $time",
			db.with(map[string]any{"token": token, "host": host, "pid": os.Getpid(), "time": leaseTime.Milliseconds()}), nil)
		return err
	})
}

// heldBy is ErrHeld when the record's token, host, pid, until and the server's time say
// that another writer is at work. A process of this host that has ended holds nothing.
func heldBy(v []any, host, token string) error {
	have, _ := v[0].(string)
	who, _ := v[1].(string)
	pid, _ := v[2].(int64)
	until, _ := v[3].(int64)
	now, _ := v[4].(int64)
	if have == "" || have == token || now >= until || who == host && !running(int(pid)) {
		return nil
	}
	return fmt.Errorf("%w: process %d on %s; if it has died, its lease ends in %d s: wait (--wait) or end it", ErrHeld, pid, who, (until-now+999)/1000)
}

// running reports whether a process of this machine may still be there.
func running(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// renew keeps the lease while a transaction takes long, or none is sent.
func (db *DB) renew(ctx context.Context, l *lease) {
	defer close(l.ended)
	for tick := time.NewTicker(leaseTime / 3); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
			// If this fails, the next stamp reports the error.
			_ = db.do(ctx, "MATCH (g:"+heldLabel+" {scope: $scope}) SET g.scope = $scope WITH g WHERE g.token = $token SET g.until = timestamp() + $time",
				db.with(map[string]any{"token": l.token, "time": leaseTime.Milliseconds()}))
		}
	}
}

// release gives up one Hold, and the lease with the last one.
func (db *DB) release() {
	db.holding.Lock()
	defer db.holding.Unlock()
	l := db.lease
	if l.users--; l.users > 0 {
		return
	}
	db.lease = nil
	l.end()
	<-l.ended
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	// A lease that cannot be given back runs out.
	_ = db.do(ctx, "MATCH (g:"+heldLabel+" {scope: $scope}) SET g.scope = $scope WITH g WHERE g.token = $token REMOVE g.token, g.host, g.pid, g.until", db.with(map[string]any{"token": l.token}))
}

// token returns the lease's token, "" without one.
func (db *DB) token() string {
	db.holding.Lock()
	defer db.holding.Unlock()
	if db.lease == nil {
		return ""
	}
	return db.lease.token
}

// stamp ends a transaction that changed elements under a lease: the scope's revision
// goes up, its digest goes. It fails, and all goes back, when the lease is another's.
func (t *tx) stamp(db *DB) error {
	mine := false
	_, err := t.quiet("MATCH (g:"+heldLabel+" {scope: $scope}) SET g.rev = coalesce(g.rev, 0) + 1 WITH g WHERE g.token = $token SET g.since = g.rev, g.until = timestamp() + $time REMOVE g.digest RETURN g.rev",
		db.with(map[string]any{"token": db.token(), "time": leaseTime.Milliseconds()}), func([]any) error {
			mine = true
			return nil
		})
	if err == nil && !mine {
		err = fmt.Errorf("%w: the unfinished part of this load is rolled back; load again", ErrLost)
	}
	return err
}
