package engine

import (
	"context"
	"testing"
	"runtime"
	"os"
	"runtime/pprof"
	"time"
	"fmt"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

func TestBig(t *testing.T) {
	_ = diag.Error
	f, _ := os.Create("/tmp/big.prof")
	pprof.StartCPUProfile(f)
	s := time.Now()
	r := Config{Dir: "/tmp/big"}.Resolve()
	st := r.Read(context.Background(), Edits{})
	fmt.Println("read", time.Since(s))
	var m runtime.MemStats
	runtime.ReadMemStats(&m); fmt.Println("heap", m.HeapAlloc>>20, m.Sys>>20, m.TotalAlloc>>20)
	res := r.Generate(context.Background(), st, Edits{})
	fmt.Println("all", time.Since(s), len(res.Files), len(res.Changes), len(res.Diagnostics))
	runtime.ReadMemStats(&m); fmt.Println("heap", m.HeapAlloc>>20, m.Sys>>20, m.TotalAlloc>>20)
	pprof.StopCPUProfile()
	g, _ := os.Create("/tmp/big.mem")
	pprof.Lookup("allocs").WriteTo(g, 0)
	runtime.GC()
	h, _ := os.Create("/tmp/big.heap")
	pprof.Lookup("heap").WriteTo(h, 0)
	runtime.KeepAlive(st); runtime.KeepAlive(res)
	for i, d := range res.Diagnostics { if i < 3 {fmt.Println(d)} }
}
