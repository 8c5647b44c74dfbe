package browser_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// environment is what all tests share.
type environment struct {
	program string          // the path of a built imagebreaker
	browser context.Context // a running Chromium
}

var shared environment

func TestMain(m *testing.M) {
	path := chromium()
	if path == "" {
		fmt.Println("NOT TESTED IN A BROWSER: no Chromium was found; set CHROMIUM or put chromium or google-chrome on PATH")
		return
	}
	fmt.Println("tested with", path)
	os.Exit(run(m, path))
}

func run(m *testing.M, path string) int {
	dir, err := os.MkdirTemp("", "imagebreaker-browser-")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir)
	shared.program = filepath.Join(dir, "imagebreaker")
	build := exec.Command("go", "build", "-o", shared.program, ".")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Printf("%v\n%s", err, out)
		return 1
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(filepath.Join(dir, "profile")),
		chromedp.NoSandbox, // it may be run by root; it sees nothing but the page
		chromedp.Flag("disable-component-update", true), chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("lang", "en-GB"),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var quit context.CancelFunc
	shared.browser, quit = chromedp.NewContext(allocator)
	defer quit()
	if err := chromedp.Do(shared.browser); err != nil {
		fmt.Println("the browser does not start:", err)
		return 1
	}
	return m.Run()
}

// chromium finds a browser, or returns "".
func chromium() string {
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
