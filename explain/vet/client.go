// SPDX-License-Identifier: Apache-2.0

package vet

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// clientCall is a request to an API server that a method of a client makes.
type clientCall struct {
	// name is how a reader knows the method: "client.Writer.Create".
	name string
	// writes reports that it requests a change. waits reports that a client of client-go's makes it, which by default
	// waits for a limit of its own.
	writes, waits bool
}

// requestOf returns the request that a method of controller-runtime's or client-go's clients makes. It knows the
// packages of both that have the interfaces, and clients that client-gen generated.
func requestOf(f *types.Func) (clientCall, bool) {
	recv := f.Signature().Recv()
	if f.Pkg() == nil || recv == nil {
		return clientCall{}, false
	}
	named := namedOf(recv.Type())
	if named == nil {
		return clientCall{}, false
	}
	c := clientCall{name: f.Pkg().Name() + "." + named.Obj().Name() + "." + f.Name()}
	path, typ := f.Pkg().Path(), named.Obj().Name()
	switch {
	case path == "sigs.k8s.io/controller-runtime/pkg/client":
		c.writes = (strings.HasSuffix(typ, "Writer") || strings.HasSuffix(typ, "Client")) && writes(f.Name())
		return c, c.writes
	case path == "k8s.io/client-go/rest":
		c.writes = slices.Contains([]string{"Post", "Put", "Patch", "Delete"}, f.Name())
		c.waits = c.writes || f.Name() == "Get"
		return c, c.waits
	case path == "k8s.io/client-go/dynamic", path == "k8s.io/client-go/metadata", strings.Contains(path, "/typed/"):
		if !takesContext(f) {
			return clientCall{}, false
		}
		c.waits, c.writes = true, writes(f.Name()) && !onlyAsks(typ)
		return c, true
	}
	return clientCall{}, false
}

// writes reports whether a client's method requests a change.
func writes(method string) bool {
	return slices.ContainsFunc([]string{"Create", "Update", "Patch", "Delete", "Apply", "Evict", "Bind"}, func(verb string) bool { return strings.HasPrefix(method, verb) })
}

// onlyAsks reports whether a resource is a question that the API server answers and does not store, by the name of its
// kind or client.
func onlyAsks(name string) bool {
	name = strings.TrimSuffix(name, "Interface")
	return strings.HasSuffix(name, "AccessReview") || strings.HasSuffix(name, "RulesReview") || name == "TokenReview" || name == "SelfSubjectReview"
}

func takesContext(f *types.Func) bool {
	params := f.Signature().Params()
	return params.Len() > 0 && params.At(0).Type().String() == "context.Context"
}

// namedOf is the named type of a value or of what a pointer points to; nil for others.
func namedOf(t types.Type) *types.Named {
	named, _ := types.Unalias(deref(t)).(*types.Named)
	return named
}

func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// changesNothing reports whether a call is a dry run or creates only a question, by its arguments.
func changesNothing(info *types.Info, arguments []ast.Expr) bool {
	for _, a := range arguments {
		if named := namedOf(info.TypeOf(a)); named != nil && onlyAsks(named.Obj().Name()) {
			return true
		}
		for n := range ast.Preorder(a) {
			if id, ok := n.(*ast.Ident); ok && id.Name == "DryRunAll" {
				return true
			}
		}
	}
	return false
}
