// SPDX-License-Identifier: Apache-2.0

package render

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// policiesTestFile is the name of the generated test of policies. Each package with markers of policies has one.
const policiesTestFile = "zz_generated.policy_test.go"

// policyTests adds a test of each package's policies if the Go types of their kinds are known.
func policyTests(files *fileList, p *model.Project) {
	var written []string
	for _, policy := range p.Policies {
		dir := filepath.Dir(policy.Pos.File)
		if slices.Contains(written, dir) {
			continue
		}
		written = append(written, dir)
		var kinds []model.TypedKind
		for _, other := range p.Policies {
			for _, k := range other.Kinds {
				if other.Package == policy.Package && !isOfSubresource(k) && !slices.Contains(kinds, k) {
					kinds = append(kinds, k)
				}
			}
		}
		if len(kinds) > 0 {
			files.add(filepath.Join(dir, policiesTestFile), policyTest(policy, kinds), output.Generated, policy.Range)
		}
	}
}

// policyTest returns the test. It is in an external test package because it uses nothing of the package.
func policyTest(p *model.Policy, kinds []model.TypedKind) *jen.File {
	f := newFile(model.HandlerPackage{Path: p.Package + "_test", Name: p.PackageName + "_test"}, true)
	f.ImportName(admissiontestPackage, "admissiontest")
	f.Add(comment("TestGeneratedPolicies sends random objects to the admission policies."))
	checked := lines(kinds, func(k model.TypedKind) *jen.Statement {
		version := strings.TrimPrefix(k.Group+"/"+k.Version, "/")
		return jen.Qual(admissiontestPackage, "Kind").Values(jen.Id("APIVersion").Op(":").Lit(version), jen.Id("Kind").Op(":").Lit(k.Kind))
	})
	f.Func().Id("TestGeneratedPolicies").Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.Qual(admissiontestPackage, "CheckPolicies").Call(slices.Insert(checked, 0, jen.Code(jen.Id("t")))...))
	return f
}

// isOfSubresource reports whether a kind occurs only in requests for a subresource, such as a Scale.
func isOfSubresource(k model.TypedKind) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(model.SubresourceTypes())), func(t model.GoType) bool { return t.Path == k.Type.Path && t.Name == k.Type.Name })
}
