package llm

import "context"

// keptKey is the context's list of answers that an earlier run kept.
type keptKey struct{}

// Kept notifies the talk that ctx belongs to, if any, of an answer kept by an earlier run; forget makes the store request it again.
func Kept(ctx context.Context, forget func()) {
	if list, ok := ctx.Value(keptKey{}).(*[]func()); ok {
		*list = append(*list, forget)
	}
}

// Again runs a talk with a model, which uses one goroutine. If it fails because of answers that an earlier run kept, these are forgotten and the talk is
// repeated once: a repeated command should retry failures.
func Again[T any](ctx context.Context, talk func(context.Context) (T, error)) (T, error) {
	var kept []func()
	out, err := talk(context.WithValue(ctx, keptKey{}, &kept))
	if len(kept) == 0 || !spoilt(err) {
		return out, err
	}
	for _, forget := range kept {
		forget()
	}
	return talk(ctx)
}

// spoilt reports whether a talk failed because of an answer.
func spoilt(err error) bool {
	k := KindOf(err)
	return k == KindUnusable || k == KindCutOff || Lasting(err)
}
