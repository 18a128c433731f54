package figure

import "fmt"

// Percent prints a share as a percentage, "–" where there is none.
func Percent(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", 100**x)
}

// Interval prints an interval of shares in percent, "–" where there is none.
func Interval(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f–%.1f", 100**lo, 100**hi)
}
