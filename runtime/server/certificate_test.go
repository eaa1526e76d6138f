// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestCertificateRotationUnderLoadFailsNothing replaces certificate and key one
// after the other, so that between the two writes the files do not match, while
// clients call on open and on new connections.
func TestCertificateRotationUnderLoadFailsNothing(t *testing.T) {
	t.Parallel()
	s := serve(t, answer, nil)
	load := startLoad(8, func(worker int) func() (reply, error) {
		client := s.client(t, nil)
		client.Transport.(*http.Transport).DisableKeepAlives = worker%2 == 0
		return func() (reply, error) { return s.review(client) }
	})
	const rotations = 10
	for range rotations {
		certificate, key := s.serving(t)
		write(t, s.dir, "tls.crt", certificate)
		s.LookAtFiles()
		write(t, s.dir, "tls.key", key)
		eventually(t, "clients see the new certificate", func() bool { return load.saw(serialOf(t, certificate)) })
	}
	load.wantNoFailure(t)
	t.Logf("%d reviews over %d certificates", load.reviews, len(load.serials))
}

// TestCertificateFollowsTheLinksOfAVolume swaps a directory of files by its
// symbolic link, as the kubelet updates a mounted Secret.
func TestCertificateFollowsTheLinksOfAVolume(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	var volume string
	version := 0
	swap := func(s *site) (serial string) {
		version++
		dir := filepath.Join(volume, "..v"+string(rune('0'+version)))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		certificate, key := s.serving(t)
		write(t, dir, "tls.crt", certificate)
		write(t, dir, "tls.key", key)
		link := filepath.Join(volume, "..data_tmp")
		if err := os.Symlink(dir, link); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(link, filepath.Join(volume, "..data")); err != nil {
			t.Fatal(err)
		}
		return serialOf(t, certificate)
	}
	s := serve(t, answer, func(s *site) {
		volume = t.TempDir()
		swap(s)
		for _, name := range []string{"tls.crt", "tls.key"} {
			if err := os.Symlink(filepath.Join("..data", name), filepath.Join(volume, name)); err != nil {
				t.Fatal(err)
			}
		}
		s.CertFile, s.KeyFile = filepath.Join(volume, "tls.crt"), filepath.Join(volume, "tls.key")
	})
	for range 3 {
		want := swap(s)
		eventually(t, "the new certificate is served", func() bool { return s.servedSerial(t) == want })
	}
}

func TestBrokenNewCertificateLeavesTheOldOne(t *testing.T) {
	t.Parallel()
	s := serve(t, answer, nil)
	before := s.servedSerial(t)
	good, goodKey := s.serving(t)
	expired, expiredKey := s.issue(t, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })
	early, earlyKey := s.issue(t, func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) })

	// The good key is not among them: the server may read the files between two writes, and would take a good pair.
	for name, test := range map[string]struct {
		certificate, key []byte
		want             string
	}{
		"junk":              {[]byte("junk"), expiredKey, "failed to find any PEM data"},
		"empty":             {nil, nil, "failed to find any PEM data"},
		"key of another":    {good, expiredKey, "private key does not match public key"},
		"expired":           {expired, expiredKey, "expired at"},
		"not valid yet":     {early, earlyKey, "not valid before"},
		"cut in the middle": {good[:len(good)/2], expiredKey, "failed to find any PEM data"},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, s.dir, "tls.crt", test.certificate)
			write(t, s.dir, "tls.key", test.key)
			eventually(t, "health tells of "+test.want, func() bool {
				body := s.health(t, "/healthz").body
				return strings.Contains(body, "[!]reload: certificate: ") && strings.Contains(body, test.want)
			})
			eventually(t, "the log tells of "+test.want, func() bool { return strings.Contains(s.logs.String(), test.want) })
			if got := s.servedSerial(t); got != before {
				t.Errorf("certificate %s is served, want that of before, %s", got, before)
			}
			if got := s.health(t, "/readyz"); got.StatusCode != http.StatusOK {
				t.Errorf("not ready, although the certificate of before is good: %s", got.body)
			}
			logged := strings.Count(s.logs.String(), "reload failed")
			for range 5 {
				s.LookAtFiles()
			}
			if again := strings.Count(s.logs.String(), "reload failed"); again != logged {
				t.Errorf("the same problem was logged %d times more", again-logged)
			}
		})
	}

	t.Run("gone", func(t *testing.T) {
		os.Remove(s.CertFile)
		eventually(t, "health tells that the file is gone", func() bool {
			return strings.Contains(s.health(t, "/healthz").body, "tls.crt: ")
		})
		s.expect(t, s.client(t, nil), http.StatusOK, "")
	})

	write(t, s.dir, "tls.crt", good)
	write(t, s.dir, "tls.key", goodKey)
	eventually(t, "a good pair is taken", func() bool { return s.servedSerial(t) == serialOf(t, good) })
	if got := s.health(t, "/healthz"); strings.Contains(got.body, "reload") {
		t.Errorf("health still tells of a problem: %s", got.body)
	}
}

func TestCertificateThatBecomesValidIsTaken(t *testing.T) {
	t.Parallel()
	s := serve(t, answer, nil)
	early, key := s.issue(t, func(c *x509.Certificate) {
		c.DNSNames, c.NotBefore = []string{serviceName}, time.Now().Add(time.Hour)
	})
	write(t, s.dir, "tls.crt", early)
	write(t, s.dir, "tls.key", key)
	eventually(t, "health tells of it", func() bool {
		return strings.Contains(s.health(t, "/healthz").body, "not valid before")
	})
	s.LookAtFiles()
	if got := s.servedSerial(t); got == serialOf(t, early) {
		t.Error("it is served before its time")
	}
	s.ahead.Store(int64(2 * time.Hour))
	eventually(t, "it is served", func() bool { return s.servedSerial(t) == serialOf(t, early) })
}

// TestExpiredCertificateMeansNotReady starts with an expired certificate, gets a
// good one, sees it expire, and gets a better one.
func TestExpiredCertificateMeansNotReady(t *testing.T) {
	t.Parallel()
	ends := func(in time.Duration) func(*x509.Certificate) {
		return func(c *x509.Certificate) { c.DNSNames, c.NotAfter = []string{serviceName}, time.Now().Add(in) }
	}
	s := serve(t, answer, func(s *site) {
		certificate, key := s.issue(t, ends(-time.Minute))
		write(t, s.dir, "tls.crt", certificate)
		write(t, s.dir, "tls.key", key)
	})
	wantExpired := func() {
		t.Helper()
		got := s.health(t, "/readyz")
		if got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(got.body, "[-]certificate: the certificate expired at ") {
			t.Errorf("/readyz: HTTP %d: %s", got.StatusCode, got.body)
		}
		if got := s.health(t, "/healthz"); got.StatusCode != http.StatusOK {
			t.Errorf("/healthz: HTTP %d, but a restart does not renew a certificate", got.StatusCode)
		}
		if err := s.Ready(nil); err == nil || !strings.Contains(err.Error(), "expired") {
			t.Errorf("Ready: %v", err)
		}
	}
	renew := func(in time.Duration) {
		t.Helper()
		certificate, key := s.issue(t, ends(in))
		write(t, s.dir, "tls.crt", certificate)
		write(t, s.dir, "tls.key", key)
		eventually(t, "the server is ready", func() bool { return s.health(t, "/readyz").StatusCode == http.StatusOK })
	}
	wantExpired()
	renew(time.Hour)
	s.ahead.Store(int64(2 * time.Hour))
	wantExpired()
	renew(3 * time.Hour)
	s.expect(t, s.client(t, nil), http.StatusOK, "")
}

// serialOf returns the serial number of a certificate in PEM.
func serialOf(t testing.TB, certificate []byte) string {
	t.Helper()
	block, _ := pem.Decode(certificate)
	parsed, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.SerialNumber.String()
}

// servedSerial returns the serial number of the certificate that a new connection gets.
func (s *site) servedSerial(t testing.TB) string {
	t.Helper()
	return s.dial(t).ConnectionState().PeerCertificates[0].SerialNumber.String()
}

// load is the work of clients beside a test, until the test ends it.
type load struct {
	ending  atomic.Bool
	working sync.WaitGroup

	mu       sync.Mutex
	reviews  int
	serials  map[string]bool // of the server certificates seen
	failures []string
}

// startLoad lets workers review one after the other, each as begin makes it.
func startLoad(workers int, begin func(worker int) func() (reply, error)) *load {
	l := &load{serials: map[string]bool{}}
	for worker := range workers {
		review := begin(worker)
		l.working.Add(1)
		go func() {
			defer l.working.Done()
			for !l.ending.Load() {
				got, err := review()
				l.record(got, err)
				time.Sleep(time.Millisecond)
			}
		}()
	}
	return l
}

func (l *load) record(got reply, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reviews++
	switch {
	case err != nil:
		l.failures = append(l.failures, err.Error())
	case got.StatusCode != http.StatusOK:
		l.failures = append(l.failures, got.Status+" "+got.body)
	default:
		l.serials[got.TLS.PeerCertificates[0].SerialNumber.String()] = true
	}
}

// goesOn waits until clients have received some more answers.
func (l *load) goesOn(t testing.TB) {
	t.Helper()
	count := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.reviews
	}
	enough := count() + 50
	eventually(t, "clients are served", func() bool { return count() >= enough })
}

// saw reports whether a client has been served a certificate.
func (l *load) saw(serial string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.serials[serial]
}

// end waits for the workers to finish their last review.
func (l *load) end() {
	l.ending.Store(true)
	l.working.Wait()
}

// wantNoFailure ends the load.
func (l *load) wantNoFailure(t testing.TB) {
	t.Helper()
	l.end()
	if len(l.failures) > 0 {
		t.Errorf("%d of %d reviews failed, the first with: %s", len(l.failures), l.reviews, l.failures[0])
	}
	if l.reviews == 0 {
		t.Error("no review was made")
	}
}
