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

// lookEvery is how long a follower waits before it looks for new lines again.
const lookEvery = 200 * time.Millisecond

func eventsCommand(env Env) *cobra.Command {
	q := &eventsQuery{}
	cmd := &cobra.Command{
		Use:   "events [flags]",
		Short: "Show the event log: what happened",
		Long: `Shows the event log, rotated files included, as a table of what happened, oldest
first. A terminal that is wider than 80 columns gets more of it.

    failed      an API refused the request for its image, which is remembered
    held        short-circuited: answered by imagebreaker, without an upload
    would hold  would have been short-circuited, if this were not dry-run
    repaired    sent with a placeholder in the image's place
    probed      let through as a probe, without a result
    recovered   let through, and the API took the image
    API error   any other error of the API's
    unseen      bypassed inspection; WHY says why
    own fault   an internal error of imagebreaker's, which failed open

HTTP is the status that the client got.

Exit status: 0 when shown, 1 if there is no log, 2 for a mistake or a log that
cannot be read.`,
		GroupID: groupSee,
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return events(cmd.Context(), env, q) },
	}
	q.addFlags(cmd)
	cmd.Flags().BoolVar(&q.follow, "follow", false, "go on with what comes, until interrupted")
	cmd.Flags().BoolVar(&q.json, "json", false, "the lines as they stand in the log")
	cmd.AddCommand(statsCommand(env))
	return cmd
}

func statsCommand(env Env) *cobra.Command {
	q := &eventsQuery{stats: true}
	cmd := &cobra.Command{
		Use:   "stats [flags]",
		Short: "Sum up the event log: what that saved",
		Long: `Sums up the event log: which uploads were avoided, and which would have been in
dry-run; by reason, by model, and by session.

Exit status: as of events.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if q.follow {
				return errors.New("stats are made of what is there; leave out --follow")
			}
			return events(cmd.Context(), env, q)
		},
	}
	q.addFlags(cmd)
	cmd.Flags().BoolVar(&q.json, "json", false, "one JSON object")
	cmd.Flags().BoolVar(&q.follow, "follow", false, "")
	_ = cmd.Flags().MarkHidden("follow") // it is there to be refused in words
	return cmd
}

// events shows what q asks for. A follower ends with a signal.
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
		sayIfMissing(env, q.path)
	}
	shown, damaged := 0, 0
	for line, err := range eventlog.Lines(q.path, more) {
		switch {
		case err != nil:
			out.Flush() // how that went is of no interest any more
			return noEvents(q.path, err)
		case line.Damage != nil:
			damaged++
		case q.filter.Wants(&line.Event):
			shown++
			err = v.add(line)
		}
		if err != nil || q.follow && ctx.Err() != nil {
			break // the writer keeps its error
		}
	}
	err := v.end(damaged)
	if err == nil {
		err = out.Flush()
	}
	if err != nil && !isBrokenPipe(err) {
		return failed{err}
	}
	sayWhatIsMissing(env, q, shown, damaged)
	return nil
}

// waitForMore waits a while and tells whether to look again.
func waitForMore(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(lookEvery):
		return true
	}
}

// noEvents says why there is nothing to show.
func noEvents(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return failed{fmt.Errorf("no event log at %s: nothing has been logged there yet; name another with --events FILE", printable(path))}
	}
	return errors.New(printable(err.Error()))
}

// sayIfMissing keeps a follower from waiting in silence for a file whose name
// has a slip in it.
func sayIfMissing(env Env, path string) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		env.say("events: no event log at %s yet; waiting for it", printable(path))
	}
}

// sayWhatIsMissing tells what the output does not.
func sayWhatIsMissing(env Env, q eventsQuery, shown, damaged int) {
	if damaged > 0 {
		lines := "lines"
		if damaged == 1 {
			lines = "line"
		}
		env.say("events: %d damaged %s skipped", damaged, lines)
	}
	if shown == 0 && !q.json && !q.stats && !q.follow {
		env.say("events: nothing to show in %s", printable(q.path))
	}
}

// isBrokenPipe tells that whoever read the output has seen enough.
func isBrokenPipe(err error) bool {
	const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232) // what Windows calls it
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) ||
		runtime.GOOS == "windows" && (errors.Is(err, brokenPipe) || errors.Is(err, noData))
}
