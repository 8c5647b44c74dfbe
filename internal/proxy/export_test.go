package proxy

// InjectFault calls f before each step of every request.
func InjectFault(p *Proxy, f func(step string)) { p.testOnlyFault = f }
