// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/webhook-gen/webhook-gen/hack/peers/controllerruntime/reviews"
)

// sender sends one call after the other, slowly: a head and a burst at once, and then the rest at a pace in bytes a
// second. It never sends the end, and begins again when it has sent the rest or the server closes the connection. It
// reports that it has begun.
type sender struct {
	head                string
	length, burst, pace int
}

func (s sender) send(r *running, began func(), stop <-chan struct{}) {
	head := strings.ReplaceAll(s.head, "LENGTH", fmt.Sprint(s.length)) + strings.Repeat(" ", s.burst)
	for {
		connection, err := tls.Dial("tcp", r.address, r.config)
		if err == nil {
			_ = connection.SetDeadline(time.Now().Add(30 * time.Second))
			ended := make(chan struct{})
			go func() { // an answer is the end, too
				defer close(ended)
				_, _ = connection.Read(make([]byte, 1))
			}()
			_, err = io.WriteString(connection, head)
			began()
			for sent := s.burst; err == nil && sent < s.length-1; {
				select {
				case <-stop:
					err = io.EOF
				case <-ended:
					err = io.EOF
				case <-time.After(100 * time.Millisecond):
					n := min(s.pace/10, s.length-1-sent)
					_, err = io.WriteString(connection, strings.Repeat(" ", n))
					sent += n
				}
			}
			connection.Close()
			<-ended
		}
		select {
		case <-stop:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// answers makes calls with these bodies in turn, in two lanes for a time, as an API server makes them: over open
// connections, and again if it is told to.
func (r *running) answers(during time.Duration, bodies [][]byte) (answered int, slowest time.Duration, failed []error) {
	var mu sync.Mutex
	var lanes sync.WaitGroup
	end := time.Now().Add(during)
	for range 2 {
		lanes.Go(func() {
			client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: r.config}}
			defer client.CloseIdleConnections()
			for i := 0; time.Now().Before(end); i++ {
				began := time.Now()
				err := post(client, "https://"+r.address+"/validate?timeout=10s", bodies[i%len(bodies)])
				for err != nil && strings.HasPrefix(err.Error(), "HTTP 503") && time.Since(began) < 8*time.Second {
					time.Sleep(time.Second)
					err = post(client, "https://"+r.address+"/validate?timeout=10s", bodies[i%len(bodies)])
				}
				mu.Lock()
				if slowest = max(slowest, time.Since(began)); err != nil {
					failed = append(failed, err)
				} else {
					answered++
				}
				mu.Unlock()
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	lanes.Wait()
	return answered, slowest, failed
}

// TestSlowSenders has both servers answer calls of 8 to 40 kB while other clients send slowly. server.Server must
// answer at least 60 % of the calls that controller-runtime's server answers, and fail none if that fails none. A
// machine that is busy with something else gets two more tries.
func TestSlowSenders(t *testing.T) {
	var bodies [][]byte
	for _, length := range []int{8_000, 20_000, 33_000, 40_000} {
		bodies = append(bodies, reviews.Of(t, admissionv1.Create, reviews.PodKind(), paddedPod(t, length), nil))
	}
	const head = "POST %s HTTP/1.1\r\nHost: w\r\nContent-Type: application/json\r\n"
	validate := fmt.Sprintf(head, "/validate")
	for _, load := range []struct {
		name    string
		senders int
		sender  sender
		memory  string // GOMEMLIMIT
	}{
		{"1 MB, half of it at 70 kB/s", 60, sender{validate + "Content-Length: LENGTH\r\n\r\n", 1_000_000, 530_000, 70_000}, "128000000"},
		{"1 MB, half of it at 70 kB/s", 240, sender{validate + "Content-Length: LENGTH\r\n\r\n", 1_000_000, 530_000, 70_000}, "512000000"},
		{"40 kB, half of it at 2 kB/s", 200, sender{validate + "Content-Length: LENGTH\r\n\r\n", 40_000, 20_000, 2000}, "128000000"},
		{"8 MB announced, nothing sent", 200, sender{validate + "Content-Length: LENGTH\r\n\r\n", 8_000_000, 0, 0}, "128000000"},
		{"headers of 60 kB without end", 200, sender{validate + "Long: ", 60_000, 55_000, 1000}, "128000000"},
		{"64 MB for //validate", 2, sender{fmt.Sprintf(head, "//validate") + "Content-Length: LENGTH\r\n\r\n", 63_999_999, 36_000_000, 70_000}, "512000000"},
	} {
		t.Run(fmt.Sprintf("%d senders, %s", load.senders, load.name), func(t *testing.T) {
			var wrong string
			for range 3 {
				var answered [2]int
				var failed [2][]error
				for i, which := range []string{"ours", "theirs"} {
					r := start(t, process{Server: which}, "GOMEMLIMIT="+load.memory)
					stop := make(chan struct{})
					var senders sync.WaitGroup
					begun := make(chan struct{}, load.senders)
					for range load.senders {
						senders.Go(func() { load.sender.send(r, sync.OnceFunc(func() { begun <- struct{}{} }), stop) })
					}
					for range load.senders {
						<-begun
					}
					time.Sleep(2500 * time.Millisecond)
					var slowest time.Duration
					answered[i], slowest, failed[i] = r.answers(3*time.Second, bodies)
					close(stop)
					senders.Wait()
					f, err := r.end()
					if err != nil {
						t.Fatal(err)
					}
					t.Logf("%s: %d calls answered, the slowest after %s, %d failed %.1v; %s of processors, %d MiB were resident",
						which, answered[i], slowest.Round(time.Millisecond), len(failed[i]), failed[i], f.Busy.Round(10*time.Millisecond), f.Resident>>20)
				}
				wrong = ""
				if answered[0]*10 < answered[1]*6 || len(failed[0]) > 0 && len(failed[1]) == 0 {
					wrong = fmt.Sprintf("%d calls answered and %d failed, by controller-runtime %d and %d", answered[0], len(failed[0]), answered[1], len(failed[1]))
				}
				if wrong == "" {
					return
				}
			}
			t.Error(wrong)
		})
	}
}

// paddedPod is a Pod of about so many bytes.
func paddedPod(t testing.TB, length int) []byte {
	t.Helper()
	text := slices.Clone(reviews.Pod)
	padding := fmt.Sprintf(`"annotations":{"padding":%q},`, strings.Repeat("p", max(0, length-len(text))))
	return []byte(strings.Replace(string(text), `"metadata":{`, `"metadata":{`+padding, 1))
}
