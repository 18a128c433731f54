package pipeline

import (
	"errors"

	"membench/schema"
)

// A Log receives the messages of a step, in addition to its result. The zero Log drops it.
type Log struct {
	Words  func(format string, args ...any) // for people, one line without its end
	Warned func(format string, args ...any) // as Words, of what makes figures doubtful
	Found  func(*schema.Finding)            // every finding in the data that a step read
	Read   func()                           // called for every good record that a step read, once
}

// Printf writes a line for people.
func (l Log) Printf(format string, args ...any) {
	if l.Words != nil {
		l.Words(format, args...)
	}
}

// Warn writes a warning for people.
func (l Log) Warn(format string, args ...any) {
	if l.Warned != nil {
		l.Warned(format, args...)
	} else {
		l.Printf(format, args...)
	}
}

// tally counts the findings of a step on their way to the log.
type tally struct {
	log              Log
	errors, warnings int
}

func (t *tally) found(f *schema.Finding) {
	if f.Warning {
		t.warnings++
	} else {
		t.errors++
	}
	if t.log.Found != nil {
		t.log.Found(f)
	}
}

// counted passes a stream on; its good records go to the log.
func counted[T any](t *tally, in schema.Seq[T]) schema.Seq[T] {
	return schema.Observe(in, func(*T) { t.read() })
}

// read counts a good record.
func (t *tally) read() {
	if t.log.Read != nil {
		t.log.Read()
	}
}

// drop passes a stream on without its findings, which are counted, as are the good records.
func drop[T any](t *tally, in schema.Seq[T]) schema.Seq[T] {
	return counted(t, schema.Drop(in, t.found))
}

// take counts err if it is a finding and returns nil; it returns other errors.
func (t *tally) take(err error) error {
	var f *schema.Finding
	if err == nil || !errors.As(err, &f) {
		return err
	}
	t.found(f)
	return nil
}

// wrong marks an error as a fault of the options.
func wrong(err error) error {
	if err == nil {
		return nil
	}
	return &schema.UsageError{Err: err}
}
