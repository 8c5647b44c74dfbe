package e2e_test

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// npmFolder is the program that makes the calls, and the packages that it needs
// with their exact versions.
//
//go:embed npm
var npmFolder embed.FS

// absent is why the npm SDKs cannot be had on this machine.
type absent string

func (a absent) Error() string { return string(a) }

// oldestNode is the oldest major version that the tests pass with. Most of the
// packages ask for 22.
const oldestNode = 20

func haveTools() error {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return absent("no " + tool + " in the PATH")
		}
	}
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		return fmt.Errorf("node --version: %w", err)
	}
	version := strings.TrimSpace(string(out))
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldestNode {
		return absent(fmt.Sprintf("Node is %s, and has to be %d or newer", version, oldestNode))
	}
	return nil
}

// installed is a folder of the user's cache that has the packages: one for each
// lock file, and outside of the working tree, which the tests leave alone.
func installed() (string, error) {
	lock, err := npmFolder.ReadFile("npm/package-lock.json")
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(lock)
	home := filepath.Join(cache, "imagebreaker-e2e", hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(home); err == nil {
		return home, nil
	}
	return home, install(home)
}

// install puts home there as a whole or not at all.
func install(home string) error {
	if err := os.MkdirAll(filepath.Dir(home), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(home), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := copyOut("package*.json", fresh); err != nil {
		return err
	}
	if err := npmCI(fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, home); err != nil {
		if _, other := os.Stat(home); other != nil {
			return err
		} // else another process was quicker
	}
	return nil
}

// npmCI gives up after some minutes: a registry that hangs is one that cannot be
// reached.
func npmCI(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error",
		"--prefer-offline", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=5000")
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return absent("npm ci has not finished in time")
	case unreachable(out):
		return absent("npm ci cannot reach the registry: " + firstLine(out))
	}
	return fmt.Errorf("npm ci: %w\n%s", err, out)
}

// offline are npm's codes for what a machine without a way to the registry gets:
// no connection, no trust in it, a gateway that forbids it, a registry that is
// down.
var offline = regexp.MustCompile(`(?m)^npm (?:error|ERR!) code (?:` +
	`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT|` +
	`SELF_SIGNED_\w+|UNABLE_TO_\w+|E403|E407|E5\d\d)\r?$`)

func unreachable(output []byte) bool { return offline.Match(output) }

func firstLine(b []byte) string {
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}

// copyOut writes the files of the folder that match.
func copyOut(pattern, dir string) error {
	names, err := fs.Glob(npmFolder, "npm/"+pattern)
	if err != nil {
		return err
	}
	for _, name := range names {
		b, err := npmFolder.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, path.Base(name)), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// A lock file that is wrong must not pass for a machine without a network.
func TestOnlyAnUnreachableRegistryIsSkipped(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]bool{
		"npm error code ECONNREFUSED\nnpm error syscall connect": true,
		"npm error code EAI_AGAIN\r\nnpm error errno EAI_AGAIN":  true,
		"npm ERR! code ENOTFOUND":                                true,
		"npm error code E503":                                    true,
		"npm error code E403\nnpm error 403 Forbidden":           true,
		"npm error code SELF_SIGNED_CERT_IN_CHAIN":               true,
		"npm error code E404\nnpm error 404 Not Found":           false,
		"npm error code EUSAGE\nnpm error `npm ci` can only":     false,
		"npm error code EINTEGRITY":                              false,
		"npm error the code ENOTFOUND is not one here":           false,
		"": false,
	} {
		if got := unreachable([]byte(output)); got != want {
			t.Errorf("%q: %v", output, got)
		}
	}
}
