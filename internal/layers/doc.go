// Package layers holds the test that keeps imports going strictly down, and the
// table of layers that docs/layout.md shows.
package layers
