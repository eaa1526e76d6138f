// SPDX-License-Identifier: Apache-2.0

package vet

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// waits is the fact about a package that handlers in it wait for clients of client-go's.
type waits struct{ Handlers []string }

func (*waits) AFact() {}

func (w *waits) String() string { return strings.Join(w.Handlers, "; ") }

// rateLimitAnalyzer is W27.
func rateLimitAnalyzer(handlers *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "ratelimit",
		Doc: "report clients with client-go's default rate limit that handlers wait for (W27)\n\n" +
			"A client made of a rest.Config without QPS sends 5 requests a second, in bursts of 10; the others wait, and with them the requests that are being admitted. " +
			"It is reported where the client is made, if that package or one that it imports has a handler that makes requests through client-go.",
		Requires:  []*analysis.Analyzer{handlers},
		FactTypes: []analysis.Fact{new(waits)},
		Run: func(pass *analysis.Pass) (any, error) {
			rateLimit(pass, pass.ResultOf[handlers].([]handler))
			return nil, nil
		},
	}
}

func rateLimit(pass *analysis.Pass, handlers []handler) {
	var own waits
	for _, h := range handlers {
		if h.Wait != nil && !slices.Contains(h.Allowed, "W27") {
			own.Handlers = append(own.Handlers, h.String()+" ("+h.Wait.String()+")")
		}
	}
	all := own.Handlers
	if len(all) > 0 {
		pass.ExportPackageFact(&own)
	}
	for _, fact := range pass.AllPackageFacts() {
		if w, ok := fact.Fact.(*waits); ok && fact.Package != pass.Pkg {
			all = append(all, w.Handlers...)
		}
	}
	if len(all) == 0 || limitIsSet(pass) {
		return
	}
	slices.Sort(all)
	for _, file := range pass.Files {
		for n := range ast.Preorder(file) {
			if call, ok := n.(*ast.CallExpr); ok && makesClient(typeutil.Callee(pass.TypesInfo, call)) {
				report(pass, "W27", call.Pos(), "this client sends 5 requests a second, and admission waits for it in %s: set QPS and Burst of its rest.Config, or read from a cache", all[0])
			}
		}
	}
}

// makesClient reports whether a function makes a client of client-go's of a rest.Config.
func makesClient(used types.Object) bool {
	f, ok := used.(*types.Func)
	if !ok || f.Pkg() == nil || !strings.HasPrefix(f.Name(), "NewForConfig") {
		return false
	}
	params := f.Signature().Params()
	return params.Len() > 0 && strings.HasSuffix(params.At(0).Type().String(), "k8s.io/client-go/rest.Config")
}

// limitIsSet reports whether the package sets the limit of a rest.Config, or has its config from controller-runtime,
// which leaves the limit to the API server (sigs.k8s.io/controller-runtime/pkg/client/config, GetConfigWithContext).
func limitIsSet(pass *analysis.Pass) bool {
	for _, used := range pass.TypesInfo.Uses {
		switch used := used.(type) {
		case *types.Var:
			if used.IsField() && used.Pkg() != nil && used.Pkg().Path() == "k8s.io/client-go/rest" && slices.Contains([]string{"QPS", "RateLimiter"}, used.Name()) {
				return true
			}
			if used.Name() == "GetConfigOrDie" || used.Name() == "GetConfig" {
				return true // of package controller-runtime itself, where they are variables
			}
		case *types.Func:
			if used.Pkg() != nil && strings.HasPrefix(used.Pkg().Path(), "sigs.k8s.io/controller-runtime") && strings.HasPrefix(used.Name(), "GetConfig") {
				return true
			}
		}
	}
	return false
}
