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

// eventsQuery is what the command line asks of the event log.
type eventsQuery struct {
	path   string
	stats  bool
	follow bool
	json   bool
	filter report.Filter
}

// addFlags adds the flags that select events.
func (q *eventsQuery) addFlags(cmd *cobra.Command) {
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVar(&q.path, "events", "", "`FILE` of the event log (default: IMAGEBREAKER_EVENTS, else that of the proxy)")
	set.Func("since", `only events since `+"`TIME`"+`: 90m, 2h or 7d ago, 2026-03-04, "2026-03-04 15:04" or RFC 3339`, func(v string) (err error) {
		q.filter.Since, err = since(v, time.Now())
		return err
	})
	set.StringVar(&q.filter.Session, "session", "", "only sessions with this `ID`, or whose ID starts with it (none: requests without one)")
	set.StringVar((*string)(&q.filter.Reason), "reason", "", "only events with this `REASON`, such as decode_failed")
	set.Func("event", "only events of this `KIND`, as named in the table or in the log", func(v string) error {
		if q.filter.Event = report.EventOf(v); q.filter.Event == "" {
			return fmt.Errorf("use one of %s", strings.Join(report.Words(), ", "))
		}
		return nil
	})
	completeFlag(cmd, "events", completeFiles)
	completeFlag(cmd, "event", completeWords(report.Words()))
}

// find resolves the path of the log.
func (q *eventsQuery) find(getenv func(string) string) (err error) {
	if q.path, err = config.EventsPath(q.path, getenv); err != nil {
		return err
	}
	if err := input.CheckFile(q.path); err != nil {
		return fmt.Errorf("%q: %w", q.path, err)
	}
	return nil
}

// since parses a point in time: a duration ago, or a date with or without a time
// of day. Without a zone it is in that of now.
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

// longAgo parses a positive duration, for which days are a unit, too.
func longAgo(v string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(v, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err == nil && n > 0 && n <= 36500
	}
	d, err := time.ParseDuration(v)
	return d, err == nil && d > 0
}
