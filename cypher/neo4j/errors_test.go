package neo4j

import (
	"errors"
	"strings"
	"testing"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// A server that has locked logins says nothing of the password.
func TestLockedLogins(t *testing.T) {
	db := &DB{uri: "bolt://localhost:7687"}
	err := db.explain(&driver.Neo4jError{Code: "Neo.ClientError.Security.AuthenticationRateLimit"})
	if errors.Is(err, ErrAuth) || !strings.Contains(err.Error(), "too many failed logins") {
		t.Errorf("have %v", err)
	}
	if err := db.explain(&driver.Neo4jError{Code: "Neo.ClientError.Security.Unauthorized"}); !errors.Is(err, ErrAuth) {
		t.Errorf("have %v, want %v", err, ErrAuth)
	}
}
