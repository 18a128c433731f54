package figure

import "fmt"

// Decimal formats a number, "–" if there is none.
func Decimal(x *float64, decimals int) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.*f", decimals, *x)
}

// Percent formats a share as a percentage, "–" if there is none.
func Percent(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", 100**x)
}

// Interval formats an interval of shares in per cent, "–" if there is none.
func Interval(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f–%.1f", 100**lo, 100**hi)
}
