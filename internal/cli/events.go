package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"imagebreaker/eventlog"
)

// pollInterval is how often --follow looks for new lines.
const pollInterval = 200 * time.Millisecond

func eventsCommand(env Env) *cobra.Command {
	q := &eventsQuery{}
	cmd := &cobra.Command{
		Use:   "events [flags]",
		Short: "Show the event log",
		Long: `Shows the event log, including rotated files, as a table, oldest event first. A
terminal wider than 80 columns gets more detail.

    failed      the API rejected the request for its image, which is remembered
    held        short-circuited: answered by imagebreaker without an upload
    would hold  would have been short-circuited, but for dry-run
    repaired    forwarded with a placeholder in the image's place
    probed      let through as a probe, which was inconclusive
    recovered   let through as a probe, and the API accepted the image
    API error   any other error of the API
    unseen      bypassed: forwarded without inspection, WHY tells why
    own fault   an internal error of imagebreaker, which failed open

HTTP is the status that the client received.

Exit status: 0 on success, 1 if there is no log, 2 for a usage error or a log that
cannot be read.`,
		GroupID: groupDiagnose,
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return events(cmd.Context(), env, q) },
	}
	q.addFlags(cmd)
	cmd.Flags().BoolVar(&q.follow, "follow", false, "keep printing new events until interrupted")
	cmd.Flags().BoolVar(&q.json, "json", false, "print the lines of the log as they are")
	cmd.AddCommand(statsCommand(env))
	return cmd
}

func statsCommand(env Env) *cobra.Command {
	q := &eventsQuery{stats: true}
	cmd := &cobra.Command{
		Use:   "stats [flags]",
		Short: "Summarize the event log",
		Long: `Summarizes the event log: the uploads that were avoided, or would have been but for
dry-run, by reason, by model and by session.

Exit status: as for events.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if q.follow {
				return errors.New("stats summarize what has been logged; leave out --follow")
			}
			return events(cmd.Context(), env, q)
		},
	}
	q.addFlags(cmd)
	cmd.Flags().BoolVar(&q.json, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&q.follow, "follow", false, "")
	_ = cmd.Flags().MarkHidden("follow") // exists only for the error above
	return cmd
}

// events shows what q asks for. With --follow it ends on a signal.
func events(ctx context.Context, env Env, q *eventsQuery) error {
	if err := q.find(env.Getenv); err != nil {
		return err
	}
	if q.follow {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
		defer stop()
	}
	return showEvents(ctx, env, *q)
}

// showEvents shows what q asks for. If it follows the log, it ends with ctx.
func showEvents(ctx context.Context, env Env, q eventsQuery) error {
	out := bufio.NewWriter(env.Stdout)
	v := newEventsView(env, q, out)
	var more func() bool
	if q.follow {
		more = func() bool { return out.Flush() == nil && waitForMore(ctx) }
		warnIfMissing(env, q.path)
	}
	shown, damaged := 0, 0
	for line, err := range eventlog.Lines(q.path, more) {
		switch {
		case err != nil:
			out.Flush() // the error of reading matters more
			return noEvents(q.path, err)
		case line.Damage != nil:
			damaged++
		case q.filter.Wants(&line.Event):
			shown++
			err = v.add(line)
		}
		if err != nil || q.follow && ctx.Err() != nil {
			break // out keeps its error until the last Flush
		}
	}
	err := v.end(damaged)
	if err == nil {
		err = out.Flush()
	}
	if err != nil && !isBrokenPipe(err) {
		return failed{err}
	}
	warnOfOmissions(env, q, shown, damaged)
	return nil
}

// waitForMore waits for the next poll and reports whether to go on.
func waitForMore(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pollInterval):
		return true
	}
}

// noEvents explains why the log cannot be shown.
func noEvents(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return failed{fmt.Errorf("no event log at %s: nothing has been logged there yet; name another with --events FILE", printable(path))}
	}
	return errors.New(printable(err.Error()))
}

// warnIfMissing keeps --follow from silently waiting for a misspelled file.
func warnIfMissing(env Env, path string) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		env.printf("events: no event log at %s yet; waiting for it", printable(path))
	}
}

// warnOfOmissions reports what the output does not show.
func warnOfOmissions(env Env, q eventsQuery, shown, damaged int) {
	if damaged > 0 {
		lines := "lines"
		if damaged == 1 {
			lines = "line"
		}
		env.printf("events: %d damaged %s skipped", damaged, lines)
	}
	if shown == 0 && !q.json && !q.stats && !q.follow {
		env.printf("events: nothing to show in %s", printable(q.path))
	}
}

// isBrokenPipe reports whether the reader of the output has gone, as head does.
func isBrokenPipe(err error) bool {
	const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232) // the same on Windows
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) ||
		runtime.GOOS == "windows" && (errors.Is(err, brokenPipe) || errors.Is(err, noData))
}
