package eventlog

// warner passes on the first line of each kind of trouble. A disk that stays
// full must not fill the terminal, too.
type warner struct {
	tell func(string)
	told map[string]bool
}

func newWarner(tell func(string)) *warner {
	return &warner{tell: tell, told: make(map[string]bool)}
}

func (w *warner) once(kind, line string) {
	if w.told[kind] || w.tell == nil {
		return
	}
	w.told[kind] = true
	w.tell("event log: " + line)
}
