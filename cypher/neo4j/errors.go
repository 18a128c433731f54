package neo4j

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/schema"
)

// Errors of the server, for errors.Is. The errors that wrap them say what to do.
var (
	ErrURI         = errors.New("not an address of a Neo4j server")
	ErrUnreachable = errors.New("no Neo4j server answers")
	ErrAuth        = errors.New("the server refuses the user or the password")
	ErrNoDatabase  = errors.New("the server has no such database")
	ErrTooOld      = errors.New("the server is too old")
	ErrDuplicates  = errors.New("several elements in the database have one id")
	ErrReadOnly    = errors.New("the database cannot be written to")
	ErrNoSpace     = errors.New("the server cannot write to its disk")
	ErrBroken      = errors.New("the database has failed and must be restarted") // a server with a full disk reports only this
)

// explain turns an error of the driver into one in our words. Findings and other errors of ours are returned unchanged.
func (db *DB) explain(err error) error {
	var f *schema.Finding
	var ne *driver.Neo4jError
	var ce *driver.ConnectivityError
	if limit, ok := errors.AsType[*driver.TransactionExecutionLimit](err); ok && len(limit.Errors) > 0 {
		// Retried until the time was up: the last try has the reason.
		last := limit.Errors[len(limit.Errors)-1]
		if errors.As(last, &ne) && lacksMemory(ne) {
			return fmt.Errorf("%w: %s", errTooBig, oneLine(ne.Msg)) // said by a commit
		}
		if errors.As(last, &ne) || errors.As(last, &ce) {
			return fmt.Errorf("%w; tried for %s", db.explain(last), db.retry)
		}
		return fmt.Errorf("%s: %w: %v; tried for %s: is it running, and is this its Bolt port?", db.uri, ErrUnreachable, last, db.retry)
	}
	switch {
	case err == nil || errors.As(err, &f):
		return err
	case errors.As(err, &ne):
		switch title := ne.Title(); {
		case title == "AuthenticationRateLimit": // said of the right password, too
			return fmt.Errorf("%s: too many failed logins (%s): the server takes no password for some seconds; wait, then try again with the right one", db.uri, title)
		case title == "Unauthorized", title == "CredentialsExpired", title == "TokenExpired":
			return fmt.Errorf("%s: %w (%s): set NEO4J_USERNAME and NEO4J_PASSWORD", db.uri, ErrAuth, title)
		case title == "DatabaseNotFound":
			return fmt.Errorf("%s: %w: have %q; omit --database to use the user's home database", db.uri, ErrNoDatabase, db.database)
		case noSpace(ne):
			return fmt.Errorf("%s: %w: make room for its data folder, restart it and load again, the load continues where it stopped (%s: %s)", db.uri, ErrNoSpace, ne.Code, oneLine(ne.Msg))
		}
		if strings.Contains(ne.Msg, "needs to be restarted") {
			return fmt.Errorf("%s: %w: look for the reason in its log (debug.log), most often no space is left on its disk; restart it and load again, the load continues where it stopped (%s)", db.uri, ErrBroken, ne.Code)
		}
		return fmt.Errorf("%s: %w", db.uri, ne)
	case errors.As(err, &ce):
		return fmt.Errorf("%s: %w (%v): is it running, and is this its Bolt port?", db.uri, ErrUnreachable, ce.Inner)
	case passing(err) && !errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w: the connection broke (%v)", db.uri, ErrUnreachable, err)
	case errors.Is(err, ErrReadOnly):
		return fmt.Errorf("%s: %w", db.uri, err)
	}
	return err
}

// edition adds to err, an unknown database, the features of this edition of the server.
func (db *DB) edition(ctx context.Context, err error) error {
	home := &DB{drv: db.drv, uri: db.uri, conf: db.conf, ready: map[string]bool{}}
	last := func(statement string) string {
		found, err := ask(ctx, home, statement, nil, first)
		if err != nil || len(found) == 0 {
			return ""
		}
		return found[len(found)-1]
	}
	if last("CALL dbms.components() YIELD edition RETURN edition") != "community" {
		return err
	}
	if name := last("CALL db.info() YIELD name RETURN name"); name != "" {
		return fmt.Errorf("%w; this is Community Edition, which has one user database (%s): keep several graphs in it with --scope NAME", err, name)
	}
	return err
}

// errTooBig is a batch that the server has no memory for.
var errTooBig = errors.New("the server has not enough memory for a batch of this size")

// final hides those errors of the server from the driver that it would consider temporary and retry until its time is up.
func final(err error) error {
	var ne *driver.Neo4jError
	if !errors.As(err, &ne) {
		return err
	}
	switch title := ne.Title(); {
	case lacksMemory(ne):
		return fmt.Errorf("%w: %s", errTooBig, oneLine(ne.Msg))
	case title == "Forbidden":
		return fmt.Errorf("%w by this user: give it a role that may write, publisher or more (%s)", ErrReadOnly, oneLine(ne.Msg))
	case strings.Contains(strings.ToLower(ne.Code), "readonly"), strings.Contains(ne.Msg, "read-only"), strings.Contains(ne.Msg, "read only"):
		return fmt.Errorf("%w: it is read-only (%s): see server.databases.read_only and server.databases.default_to_read_only in neo4j.conf", ErrReadOnly, oneLine(ne.Msg))
	}
	return err
}

func lacksMemory(ne *driver.Neo4jError) bool {
	return strings.Contains(ne.Code, "OutOfMemory") || strings.Contains(ne.Code, "MemoryPool")
}

// passing reports whether err may be temporary: a transient error, or a broken connection, of which the driver does not know every kind.
func passing(err error) bool {
	var ne *driver.Neo4jError
	var ce *driver.ConnectivityError
	var limit *driver.TransactionExecutionLimit
	var cut net.Error
	if errors.As(err, &limit) && len(limit.Errors) > 0 && errors.As(limit.Errors[len(limit.Errors)-1], &ne) && lacksMemory(ne) {
		return false // the same batch needs the same memory
	}
	return errors.As(err, &ce) || errors.As(err, &limit) || errors.As(err, &cut) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &ne) && ne.IsRetriable()
}

func noSpace(ne *driver.Neo4jError) bool {
	text := strings.ToLower(ne.Msg)
	return strings.Contains(text, "no space left") || strings.Contains(text, "disk full") || strings.Contains(text, "file too large") || strings.Contains(text, "not enough space")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Relationship uniqueness came with 5.7.
const oldestMajor, oldestMinor = 5, 7

// tooOld checks the version in a server's name, such as Neo4j/5.26.12. Other servers that speak Bolt are accepted.
func tooOld(agent string) error {
	if _, _, known := version(agent); !known || atLeast(agent, oldestMajor, oldestMinor) {
		return nil
	}
	return fmt.Errorf("%w: have Neo4j %s, want %d.%d or newer (ids of relationships cannot be made unique before)", ErrTooOld, strings.TrimPrefix(agent, "Neo4j/"), oldestMajor, oldestMinor)
}

// atLeast reports whether a server is known to be a Neo4j of this version or a newer one.
func atLeast(agent string, major, minor int) bool {
	x, y, ok := version(agent)
	return ok && (x > major || x == major && y >= minor)
}

func version(agent string) (major, minor int, ok bool) {
	text, ok := strings.CutPrefix(agent, "Neo4j/")
	parts := strings.SplitN(text, ".", 3)
	if !ok || len(parts) < 2 {
		return 0, 0, false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	return major, minor, err1 == nil && err2 == nil
}

// Counters are the server's own counts of its changes.
type Counters struct {
	NodesCreated  int `json:"nodes_created"`
	NodesDeleted  int `json:"nodes_deleted"`
	EdgesCreated  int `json:"relationships_created"`
	EdgesDeleted  int `json:"relationships_deleted"`
	PropertiesSet int `json:"properties_set"`
	LabelsAdded   int `json:"labels_added"`
	LabelsRemoved int `json:"labels_removed"`
}

func (c *Counters) add(d driver.Counters) {
	c.plus(Counters{d.NodesCreated(), d.NodesDeleted(), d.RelationshipsCreated(), d.RelationshipsDeleted(), d.PropertiesSet(), d.LabelsAdded(), d.LabelsRemoved()})
}

func (c *Counters) plus(d Counters) {
	c.NodesCreated += d.NodesCreated
	c.NodesDeleted += d.NodesDeleted
	c.EdgesCreated += d.EdgesCreated
	c.EdgesDeleted += d.EdgesDeleted
	c.PropertiesSet += d.PropertiesSet
	c.LabelsAdded += d.LabelsAdded
	c.LabelsRemoved += d.LabelsRemoved
}
