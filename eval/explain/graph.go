package explain

import "membench/schema"

func (x *explainer) breakOf(a *schema.Attribution, r *schema.QARecord, needs []*need) error {
	return nil
}
