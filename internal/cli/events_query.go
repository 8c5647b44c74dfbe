package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

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

// addFlags gives a command the flags that say which events are meant.
func (q *eventsQuery) addFlags(cmd *cobra.Command) {
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVar(&q.path, "events", "", "`FILE` of the log (default: IMAGEBREAKER_EVENTS, else where the proxy keeps it)")
	set.Func("since", `from a `+"`TIME`"+` on: 90m, 2h or 7d ago, 2026-03-04, "2026-03-04 15:04" or RFC 3339`, func(v string) (err error) {
		q.filter.Since, err = since(v, time.Now())
		return err
	})
	set.StringVar(&q.filter.Session, "session", "", "of the session whose `ID` begins so (none: requests without one)")
	set.StringVar(&q.filter.Reason, "reason", "", "for this `REASON`, decode_failed for example")
	set.Func("event", "of this `KIND`, as in the table or in the log", func(v string) error {
		if q.filter.Event = report.EventOf(v); q.filter.Event == "" {
			return fmt.Errorf("use one of %s", strings.Join(report.Words(), ", "))
		}
		return nil
	})
	offer(cmd, "events", files)
	offer(cmd, "event", words(report.Words()))
}

// find fills in where the log is.
func (q *eventsQuery) find(getenv func(string) string) (err error) {
	if q.path, err = config.EventsPath(q.path, getenv); err != nil {
		return err
	}
	if err := input.CheckFile(q.path); err != nil {
		return fmt.Errorf("%q: %w", q.path, err)
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
