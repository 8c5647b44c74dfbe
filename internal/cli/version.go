package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

// buildVersion is the module's version, or the commit it was built from.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}

func version(_ context.Context, env Env) int {
	if len(env.Args) > 0 {
		return mistake(env, "version takes no arguments")
	}
	fmt.Fprintf(env.Stdout, "imagebreaker %s (%s, %s/%s)\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitOK
}
