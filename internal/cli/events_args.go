package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"imagebreaker/internal/config"
	"imagebreaker/internal/input"
	"imagebreaker/internal/report"
)

// eventsQuery is what a command line asks of the event log.
type eventsQuery struct {
	path   string
	stats  bool
	follow bool
	json   bool
	filter report.Filter
}

// readEventsArgs reads the flags. The error is for whoever typed them.
func readEventsArgs(env Env, now time.Time) (q eventsQuery, err error) {
	set := newFlags("events")
	path := set.String("events", "", "")
	set.BoolVar(&q.follow, "follow", false, "")
	set.BoolVar(&q.json, "json", false, "")
	set.StringVar(&q.filter.Session, "session", "", "")
	set.StringVar(&q.filter.Reason, "reason", "", "")
	set.Func("since", "", func(v string) (err error) {
		q.filter.Since, err = since(v, now)
		return err
	})
	set.Func("event", "", func(v string) error {
		if q.filter.Event = report.EventOf(v); q.filter.Event == "" {
			return fmt.Errorf("use one of %s", strings.Join(report.Words(), ", "))
		}
		return nil
	})
	words, err := operands(set, env.Args)
	if err != nil {
		return q, fmt.Errorf("%w; --help lists the flags", err)
	}
	if err := q.readWords(words); err != nil {
		return q, err
	}
	if q.path, err = config.EventsPath(*path, env.Getenv); err != nil {
		return q, err
	}
	if err := input.CheckFile(q.path); err != nil {
		return q, fmt.Errorf("%q: %w", q.path, err)
	}
	return q, nil
}

// readWords reads what is no flag.
func (q *eventsQuery) readWords(words []string) error {
	for _, w := range words {
		if w != "stats" || q.stats {
			return fmt.Errorf("unexpected argument %q; --help shows what there is", w)
		}
		q.stats = true
	}
	if q.stats && q.follow {
		return errors.New("stats are made of what is there; leave out --follow")
	}
	return nil
}

// since is the time that v tells: one so long ago, or a date with or without a
// time, which is in now's zone if it names none.
func since(v string, now time.Time) (time.Time, error) {
	if ago, ok := longAgo(v); ok {
		return now.Add(-ago), nil
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return t, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", time.DateTime} {
		if t, err := time.ParseInLocation(layout, v, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errors.New(`use how long ago, such as 90m, 2h or 7d, or a time, such as 2026-03-04, "2026-03-04 15:04" or 2026-03-04T15:04:05Z`)
}

// longAgo reads a duration above zero. Days are a unit, too.
func longAgo(v string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(v, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err == nil && n > 0 && n <= 36500
	}
	d, err := time.ParseDuration(v)
	return d, err == nil && d > 0
}
