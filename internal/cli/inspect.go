package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"imagebreaker/imagehash"
	"imagebreaker/internal/input"
	"imagebreaker/internal/report"
)

// maxInspected is how large a file is looked at: twelve times what any API takes.
const maxInspected = 256 << 20

func inspectCommand(env Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect [flags] FILE...",
		Short: "Say what the bytes of images are, and whether an API can take them",
		Long: `Says of each file what its bytes are, and whether an API can take it as an image.
The file - is standard input. Nothing is sent anywhere.

Exit status: 0 if all files are ok, 1 if any is unsupported, broken or cannot be
read, 2 for a mistake.`,
		GroupID:           groupSee,
		ValidArgsFunction: files,
		RunE: func(_ *cobra.Command, names []string) error {
			if len(names) == 0 {
				return errors.New("no file given; name one or more, or - for standard input")
			}
			return inspect(env, names, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line: file, sum, bytes, format, width, height, state, detail")
	return cmd
}

// inspected is what inspect tells of a file. The members stand in the order in
// which --json prints them.
type inspected struct {
	File   string           `json:"file"`
	Sum    string           `json:"sum"` // all 64 hex digits
	Bytes  int              `json:"bytes"`
	Format imagehash.Format `json:"format"`
	Width  int              `json:"width"` // in pixels; 0: not known
	Height int              `json:"height"`
	State  imagehash.State  `json:"state"`
	Detail string           `json:"detail"`

	words string // what it is, for people
}

// inspect shows the files that can be read, in a table for people or as objects
// for scripts, and tells of the others.
func inspect(env Env, names []string, asJSON bool) error {
	code := exitCode(exitOK)
	table := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	for _, name := range names {
		o, err := inspectFile(env, name)
		if err != nil {
			env.say("inspect: %s: %v", printable(name), err)
			code = exitFailed
			continue
		}
		if o.State != imagehash.OK {
			code = exitFailed
		}
		if asJSON {
			err = printJSON(env.Stdout, o)
		} else {
			_, err = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.12s\n", printable(o.File), report.Bytes(int64(o.Bytes)), o.words, o.State, o.Sum)
		}
		if err != nil {
			return failed{err}
		}
	}
	if err := table.Flush(); err != nil {
		return failed{err}
	}
	return code
}

func inspectFile(env Env, name string) (inspected, error) {
	data, err := input.Read(name, env.Stdin, maxInspected)
	if err != nil {
		return inspected{}, err
	}
	look := imagehash.Inspect(data)
	return inspected{
		File: name, Sum: imagehash.Of(data).String(), Bytes: len(data), Format: look.Format,
		Width: look.Width, Height: look.Height, State: look.State, Detail: look.Detail,
		words: look.Describe(labelOf(name)),
	}, nil
}

// labelOf is the media type with which an agent would send a file of that name;
// "" if the name tells none. The system's own table differs between machines.
func labelOf(name string) string {
	return map[string]string{
		".png": "image/png", ".apng": "image/png", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif",
		".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".jpe": "image/jpeg", ".jfif": "image/jpeg",
		".heic": "image/heic", ".heif": "image/heic", ".bmp": "image/bmp", ".dib": "image/bmp",
		".ico": "image/x-icon", ".cur": "image/x-icon", ".tif": "image/tiff", ".tiff": "image/tiff",
		".svg": "image/svg+xml", ".pdf": "application/pdf", ".html": "text/html", ".htm": "text/html",
		".json": "application/json", ".txt": "text/plain", ".md": "text/plain", ".csv": "text/plain",
	}[strings.ToLower(filepath.Ext(name))]
}

// printJSON writes v on a line of its own.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
