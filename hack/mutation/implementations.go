// SPDX-License-Identifier: Apache-2.0

package mutation

import (
	"go/ast"
	"strings"
)

// implementationFaults returns the faults of a validator or defaulter that the generated tests find without its rules.
// They are put before the first statement of its functions. sampled lists the types that have samples.
func implementationFaults(sampled map[string]bool) func(*seeder, *ast.FuncDecl, ast.Stmt) []variant {
	return func(_ *seeder, in *ast.FuncDecl, statement ast.Stmt) []variant {
		name := in.Name.Name
		if in.Recv == nil || statement != in.Body.List[0] {
			return nil
		}
		before := func(kind, text string) variant { return variant{kind, text, true} }
		create, update := strings.HasSuffix(name, "Create"), strings.HasSuffix(name, "Update")
		var faults []variant
		switch {
		case strings.HasPrefix(name, "Default") && (create || update):
			faults = append(faults,
				before("a default is not idempotent", `r.Object.Labels = map[string]string{"seeded": r.Object.Labels["seeded"] + "."}`),
				before("a default is another one each time", `r.Object.GenerateName = string(r.UID)`),
				before("a defaulted object is denied", `if r.Object.GenerateName != "" { return errors.New("seeded") }; r.Object.GenerateName = "seeded"`),
				before("a default breaks a sample", `if r.Object.Labels["label"] == "" { return errors.New("seeded") }`))
		case strings.HasPrefix(name, "Validate") && (create || update) && sampled[receiver(in)]:
			faults = append(faults, before("a sample is denied", `if r.Object.UID == "" { return errors.New("seeded") }`))
		case !strings.HasPrefix(name, "Validate"):
			return nil
		}
		return append(faults,
			before("the validator or defaulter panics", `panic("seeded")`),
			before("another verdict each time", `if r.UID[0]%2 == 0 { return errors.New("seeded") }`))
	}
}

// receiver is the name of a method's type.
func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	name, _ := t.(*ast.Ident)
	return name.Name
}
