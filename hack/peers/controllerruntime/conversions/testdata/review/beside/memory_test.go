package beside

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review"
)

// side, in the environment, makes the test binary a process that answers one review; see TestMemory.
const side = "PEERS_SIDE"

func TestMain(m *testing.M) {
	if os.Getenv(side) == "" {
		os.Exit(m.Run())
	}
	if err := answerOne(os.Getenv(side)); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// answerOne answers a review that comes from standard input, of the length in the second argument, and prints how much memory that
// took at most.
func answerOne(name string) error {
	handler := review.Ours()
	if name == "theirs" {
		handler = theirs()
	}
	length, err := strconv.ParseInt(os.Args[1], 10, 64)
	if err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodPost, "/convert", os.Stdin)
	if err != nil {
		return err
	}
	r.ContentLength = length
	r.Header.Set("Content-Type", "application/json")
	answer := &counter{header: http.Header{}}
	debug.FreeOSMemory()
	handler.ServeHTTP(answer, r)
	peak, err := peakMemory()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]int64{"peak": peak, "answer": answer.length})
}

// counter is a connection at whose other end somebody counts.
type counter struct {
	header http.Header
	length int64
}

func (c *counter) Header() http.Header { return c.header }
func (c *counter) WriteHeader(int)     {}
func (c *counter) Write(p []byte) (int, error) {
	c.length += int64(len(p))
	return len(p), nil
}

// peakMemory is the largest resident set that this process has had, in bytes.
func peakMemory() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.ParseInt(kilobytes, 10, 64)
	return n << 10, err
}

// TestMemory has each side answer a review of 50 MB in processes of their own, three of each, and compares how much
// memory they take in the median. A process has one processor: with more, a busy machine decides when garbage is collected.
func TestMemory(t *testing.T) {
	const size, most = 50 << 20, 0.5
	for _, kind := range []string{"Server", "Machine"} {
		t.Run(kind, func(t *testing.T) {
			var texts []string
			for i, length := 0, 0; length < size; i++ {
				texts = append(texts, review.ObjectText(kind, review.HubVersion, i))
				length += len(texts[i]) + 1
			}
			body := string(review.ReviewText(review.SpokeVersion, texts))
			var all [2][]int64
			for range 3 {
				all[0], all[1] = append(all[0], peakOf(t, "ours", body)), append(all[1], peakOf(t, "theirs", body))
			}
			median := func(peaks []int64) int64 { return slices.Sorted(slices.Values(peaks))[len(peaks)/2] }
			ours, theirs := median(all[0]), median(all[1])
			ratio := float64(ours) / float64(theirs)
			fmt.Printf("%s, a review of %d objects and %d MB: %d and %d MB, %.2f of theirs\n", kind, len(texts), len(body)>>20, ours>>20, theirs>>20, ratio)
			if ratio > most {
				t.Errorf("%.2f of their memory, want at most %.2f", ratio, most)
			}
		})
	}
}

func peakOf(t *testing.T, name, body string) int64 {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, strconv.Itoa(len(body)))
	cmd.Env = append(os.Environ(), side+"="+name, "GOMAXPROCS=1")
	cmd.Stdin = strings.NewReader(body)
	out, err := cmd.CombinedOutput()
	var result struct{ Peak, Answer int64 }
	if err != nil || json.Unmarshal(out, &result) != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if result.Answer < int64(len(body))/2 {
		t.Fatalf("%s answers with %d bytes only", name, result.Answer)
	}
	return result.Peak
}
