package cli

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"imagebreaker/eventlog"
)

// lookEvery is how long a follower waits before it looks for new lines again.
const lookEvery = 200 * time.Millisecond

const eventsUsage = `imagebreaker events [stats] [flags]

Shows the event log, rotated files included, as a table of what happened, oldest
first. A terminal that is wider than 80 columns gets more of it.

  failed      an API refused the request for its image, which is remembered
  held        answered by imagebreaker, nothing was uploaded
  would hold  would have been held, if this were not dry-run
  repaired    sent with a note in the image's place
  probed      let through to see whether the verdict still holds; it told nothing
  recovered   let through, and the API took the image
  API error   any other error of the API's
  unseen      forwarded without a look at it (WHY says why)
  own fault   a fault of imagebreaker's own; the request went through

HTTP is the status that the client got.

With stats: what was kept from being uploaded, and what would have been in
dry-run; by reason, by model, and by session.

  --events FILE   the log (default: IMAGEBREAKER_EVENTS, else where the proxy keeps it)
  --follow        go on with what comes, until interrupted; not with stats
  --since T       from a time on: 90m, 2h or 7d ago, 2026-03-04, "2026-03-04 15:04" or RFC 3339
  --session ID    of the session whose id begins so ("none": requests without one)
  --reason R      for this reason, decode_failed for example
  --event E       of this kind, as in the table or in the log
  --json          the lines as they stand in the log; of stats one JSON object

Exit status: 0 when shown, 1 if there is no log, 2 for a mistake or a log that
cannot be read.
`

// events shows the event log.
func events(ctx context.Context, env Env) int {
	q, err := readEventsArgs(env, time.Now())
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(env.Stdout, eventsUsage)
		return exitOK
	case err != nil:
		return mistake(env, "events: %v", err)
	}
	if q.follow {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
		defer stop()
	}
	return showEvents(ctx, env, q)
}

// showEvents shows what q asks for. If it follows the log, it ends with ctx.
func showEvents(ctx context.Context, env Env, q eventsQuery) int {
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
			return noEvents(env, q.path, err)
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
		fmt.Fprintf(env.Stderr, "imagebreaker: events: %v\n", err)
		return exitFailed
	}
	sayWhatIsMissing(env, q, shown, damaged)
	return exitOK
}

// waitForMore waits a while and tells whether to look again.
func waitForMore(ctx context.Context) bool {
	wait := time.NewTimer(lookEvery)
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-wait.C:
		return true
	}
}

// noEvents tells why there is nothing to show.
func noEvents(env Env, path string, err error) int {
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(env.Stderr, "imagebreaker: events: no event log at %s: nothing has been logged there yet; name another with --events FILE\n", printable(path))
		return exitFailed
	}
	return mistake(env, "events: %s", printable(err.Error()))
}

// sayIfMissing keeps a follower from waiting in silence for a file whose name
// has a slip in it.
func sayIfMissing(env Env, path string) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(env.Stderr, "imagebreaker: events: no event log at %s yet; waiting for it\n", printable(path))
	}
}

// sayWhatIsMissing tells what the output does not.
func sayWhatIsMissing(env Env, q eventsQuery, shown, damaged int) {
	if damaged > 0 {
		lines := "lines"
		if damaged == 1 {
			lines = "line"
		}
		fmt.Fprintf(env.Stderr, "imagebreaker: events: %d damaged %s skipped\n", damaged, lines)
	}
	if shown == 0 && !q.json && !q.stats && !q.follow {
		fmt.Fprintf(env.Stderr, "imagebreaker: events: nothing to show in %s\n", printable(q.path))
	}
}

// isBrokenPipe tells that whoever read the output has seen enough.
func isBrokenPipe(err error) bool {
	const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232) // what Windows calls it
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) ||
		runtime.GOOS == "windows" && (errors.Is(err, brokenPipe) || errors.Is(err, noData))
}
