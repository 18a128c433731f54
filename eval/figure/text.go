package figure

import (
	"fmt"

	"membench/schema"
)

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

// Doubt is the number of doubtful answers, and the mean in percent with all of them wrong and with all of them right; "" if there are none.
func Doubt(f schema.Figure) string {
	if f.Doubtful == 0 {
		return ""
	}
	return fmt.Sprintf("%d (%s)", f.Doubtful, Interval(f.DoubtLo, f.DoubtHi))
}

// DoubtBeside is Doubt at the end of a line of figures.
func DoubtBeside(f schema.Figure) string {
	if f.Doubtful == 0 {
		return ""
	}
	return ", doubtful " + Doubt(f)
}
