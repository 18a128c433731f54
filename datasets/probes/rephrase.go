package probes

func (m *maker) rephrase(s *scope, d *draft) {}
