package service

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	"imagebreaker/internal/upstream"
)

// loops returns an error if an upstream is the proxy itself, which listens at self.
func loops(ups upstream.Set, self net.Addr) error {
	host, port, _ := net.SplitHostPort(self.String())
	for _, name := range slices.Sorted(maps.Keys(ups)) {
		u := ups[name]
		defaultPort := map[string]string{"http": "80", "https": "443"}[u.Scheme]
		if cmp.Or(u.Port(), defaultPort) == port && arrivesAt(net.ParseIP(host), u.Hostname()) {
			return fmt.Errorf("the upstream for %s is this proxy itself; name the server behind it", name)
		}
	}
	return nil
}

// arrivesAt reports whether a connection to the host reaches the local address.
func arrivesAt(local net.IP, host string) bool {
	ip := net.ParseIP(host)
	if ip == nil {
		return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost")
	}
	return ip.Equal(local) || ip.IsUnspecified()
}
