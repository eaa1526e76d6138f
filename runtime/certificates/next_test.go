// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"crypto/x509"
	"testing"
	"time"
)

var names = []string{"shop.shop-system.svc", "shop.shop-system.svc.cluster.local"}

// verify checks that a client with these authorities accepts the certificate at a time.
func verify(certificate, authorities []byte, at time.Time) error {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authorities)
	_, err := certificates(certificate)[0].Verify(x509.VerifyOptions{Roots: roots, DNSName: names[0], CurrentTime: at})
	return err
}

// TestRotation simulates two and a half years, with one look each six hours. At every moment, any two parties that have
// looked at the Secret or at an object within a day can talk to each other.
func TestRotation(t *testing.T) {
	const looks = 4 * 900
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var history []map[string][]byte
	var data map[string][]byte
	renewed := map[string]int{}
	changed := 0
	for i := range looks {
		now := start.Add(time.Duration(i) * 6 * time.Hour)
		h, what, err := next(data, names, now)
		if err != nil {
			t.Fatal(err)
		}
		if renewed[what]++; what != "" {
			changed = i
		}
		data = h.data
		history = append(history, data)
		if i > changed+4 && i%40 != 0 {
			continue // nothing new since the last time, but the time
		}
		for _, other := range history[max(0, i-3):] { // up to 18 hours ago, so that the next look is within the day
			if err := verify(data[certKey], other[authoritiesKey], now); err != nil {
				t.Fatalf("%s: who is behind does not trust the new certificate: %v", now, err)
			}
			if err := verify(other[certKey], data[authoritiesKey], now); err != nil {
				t.Fatalf("%s: who is up to date does not trust a certificate of today: %v", now, err)
			}
		}
		if n := len(certificates(data[authoritiesKey])); n > 2 {
			t.Fatalf("%s: %d authorities are trusted", now, n)
		}
	}
	if renewed["authority"] < 2 || renewed["certificate"] < 10 || renewed["authority and certificate"] != 1 || renewed[""] < looks*9/10 {
		t.Errorf("renewed %v", renewed)
	}
}

func TestNext(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	first, _, err := next(nil, names, now)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := next(nil, names, now)
	if err != nil {
		t.Fatal(err)
	}
	with := func(key string, value []byte) map[string][]byte {
		h := understand(first.data)
		h.data[key] = value
		return h.data
	}
	for name, test := range map[string]struct {
		data  map[string][]byte
		names []string
		after time.Duration
		want  string
	}{
		"nothing is due":           {first.data, names, time.Hour, ""},
		"after 61 days":            {first.data, names, 61 * 24 * time.Hour, "certificate"},
		"after 9 months":           {first.data, names, 270 * 24 * time.Hour, "authority"},
		"after 2 years":            {first.data, names, 730 * 24 * time.Hour, "authority and certificate"},
		"another service":          {first.data, []string{"other.shop-system.svc"}, time.Hour, "certificate"},
		"no certificate":           {with(certKey, nil), names, time.Hour, "certificate"},
		"another's key":            {with(keyKey, other.data[keyKey]), names, time.Hour, "certificate"},
		"broken authorities":       {with(authoritiesKey, []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")), names, time.Hour, "authority and certificate"},
		"another authority's key":  {with(authorityKeyKey, other.data[authorityKeyKey]), names, time.Hour, "authority and certificate"},
		"another's certificate":    {with(authoritiesKey, other.data[authoritiesKey]), names, time.Hour, "authority and certificate"},
		"what others keep with it": {with("mine", []byte("1")), names, time.Hour, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h, what, err := next(test.data, test.names, now.Add(test.after))
			if err != nil || what != test.want {
				t.Fatalf("renewed %q, %v; want %q", what, err, test.want)
			}
			if test.data["mine"] != nil && string(h.data["mine"]) != "1" {
				t.Error("what others keep in the Secret is lost")
			}
			if !h.isTrusted(h.leaf) || h.leaf.DNSNames[0] != test.names[0] {
				t.Error("the certificate is of no use")
			}
		})
	}
}

func TestConfiguration(t *testing.T) {
	for name, k := range map[string]*Keeper{
		"no namespace":   {Secret: "shop-tls", Service: "shop"},
		"no service":     {Secret: "shop-system/shop-tls"},
		"another object": {Secret: "shop-system/shop-tls", Service: "shop", Objects: []string{"pods/shop"}},
		"no name":        {Secret: "shop-system/shop-tls", Service: "shop", Objects: []string{"customresourcedefinitions/"}},
	} {
		if err := k.Start(t.Context()); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
