// SPDX-License-Identifier: Apache-2.0

package mutation

import (
	"go/ast"
	"strings"
)

// runtimeFault is a fault of the runtime: a text that a file contains once, and the text in its place.
type runtimeFault struct{ file, kind, old, now string }

// runtimeFaults returns some faults of each file that decides on anything.
func runtimeFaults() []runtimeFault {
	return []runtimeFault{
		{"admission/audit.go", "a key may begin with a dot", `key = strings.TrimLeft(key, "-_.")`, ""},
		{"server/authenticate.go", "everybody is let in", "if c.authorities == nil && c.tokens == nil && c.passwords == nil {", "if true {"},
		{"server/authenticate.go", "only the last secret counts", "found |= ", "found = "},
		{"admission/call.go", "a v1beta1 review is answered in v1", `c.version = "v1beta1"`, `c.version = "v1"`},
		{"admission/call.go", "the kind that was asked for is lost", "r.RequestKind = r.Kind", ""},
		{"admission/call.go", "a request reads the body of the next one", "c.request.envelope = nil", ""},
		{"admission/call.go", "a call keeps the fields of the last one", `c.envelope, c.version, c.head, c.action, c.request = envelope{}, "", Request{}, nil, nil`, ""},
		{"server/certificate.go", "an expired certificate replaces a valid one", "validAt(current.Leaf, now) == nil {", "false {"},
		{"server/clientca.go", "any client that is signed is allowed", "if len(c.names) > 0 && ", "if false && "},
		{"admission/context.go", "the end of the server cancels requests", "ctx = context.WithoutCancel(ctx)", ""},
		{"admission/deadline.go", "who waits late waits on", "d.over = true", ""},
		{"admission/deny.go", "too many requests are a denial", " || code == http.StatusTooManyRequests", ""},
		{"admission/deny.go", "one failure among denials is a failure", "!slices.ContainsFunc(reasons, func(err error) bool { return !isFailure(err) })", "slices.ContainsFunc(reasons, isFailure)"},
		{"admission/deny.go", "text beside field errors is lost", `status.Message = strings.ReplaceAll(messageOf(err), "\n", "; ")`, ""},
		{"admission/deny.go", "a long value hides the detail of an error", `if len(body) <= most || e.Detail == "" {`, "if true {"},
		{"admission/deny.go", "errors without room in the message are not counted", "if more := len(invalid) - shown; more > 0 {", "if more := 0; more > 0 {"},
		{"server/drain.go", "connections stay open in the drain", `l.Header().Set("Connection", "close")`, ""},
		{"admission/envelope.go", "a part may stand twice", "if e.seen[p] {", "if false {"},
		{"admission/envelope.go", "null is a value", "if !wire.IsNull(e.body, start) {", "if true {"},
		{"admission/envelope.go", "a review need not have a request", `return errors.New("the review has no request")`, "return nil"},
		{"admission/handler.go", "any kind is taken", "if len(h.kinds) > 0 && ", "if false && "},
		{"admission/envelope.go", "the depth of a review counts for its objects", "if p.isContent() {", "if false {"},
		{"admission/handler.go", "a failure is a denial", "if failed && c.envelope.unreadable == nil {", "if false {"},
		{"admission/handler.go", "a validator fails on what cannot be decoded", "if failed && c.envelope.unreadable == nil {", "if failed {"},
		{"admission/handler.go", "a panic is not recovered", "h.panicked(c, v, o)", "panic(v)"},
		{"admission/observer.go", "nobody hears of calls", "observer.Observe(ctx, o)", ""},
		{"server/health.go", "a server is ready in the drain", `draining.err = errors.New("the server was told to stop")`, ""},
		{"admission/identity.go", "an edited element is the same as before", `if keyless = keyless || element.name == ""; keyless {`, "if keyless = false; keyless {"},
		{"admission/identity.go", "the index of an element counts", `out.WriteString("[" + element.name + "]")`, "out.WriteString(rest[:end])"},
		{"admission/identity.go", "a list that has become longer is the same as before", "(a.length <= old.length || a.mayGrow) &&", ""},
		{"admission/identity.go", "a shorter list is a new offence", "if len(some) > len(all) {", "if len(some) != len(all) {"},
		{"admission/kept.go", "who asks is kept for another call to change", "user.Groups = slices.Clone(user.Groups)", ""},
		{"server/limits.go", "refused callers are not told to try again", "status.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}", ""},
		{"server/limits.go", "an unclean path is redirected", `refuse(w, problemOf(http.StatusNotFound, "no webhook is served at %q", r.URL.Path))`, "s.webhooks.ServeHTTP(w, r)"},
		{"server/limits.go", "a handler without a limit takes any body", "return webhook{handler, 8 << 20, false}", "return webhook{handler, 1 << 40, false}"},
		{"server/limits.go", "a small body has as long as a large one", "_ = c.SetReadDeadline(time.Now().Add(min(l.body, l.body/2+time.Duration(length)*pace)))", ""},
		{"server/limits.go", "large bodies use up the part of small ones", "if c.prompt {", "if leaves = 0; c.prompt {"},
		{"server/limits.go", "slow connections stay open while requests wait", "victim.sacrifice()", ""},
		{"server/limits.go", "large headers are not counted", "if c.header += n; c.header > counted {", "if c.header += n; false {"},
		{"server/limits.go", "a closed connection holds its bytes", "delete(b.held, c)", ""},
		{"admission/patch.go", "slashes in names are no part of them", "pointer.WriteString(pointerEscapes.Replace(step.member))", "pointer.WriteString(step.member)"},
		{"admission/patch.go", "a webhook changes the kind", "if root && isTypeMeta(f.Name) {", "if false {"},
		{"admission/patch.go", "a changed number is not seen", "return err == nil && n == v.Int()", "return err == nil"},
		{"admission/patch.go", "a field that is left out is always removed", "if end, differs := p.probing(func() int { return p.omitted(f, i, value) }); !differs {", "if end, differs := p.probing(func() int { return p.omitted(f, i, value) }); !differs && false {"},
		{"admission/patch.go", "an added label is lost", "if present < len(labels) && p.begun() {", "if false {"},
		{"admission/patch.go", "the paths of a patch have no bound", "if p.room < 0 {", "if false {"},
		{"admission/patchlist.go", "elements are taken out from the first on", "for i := len(kept) - 1; i >= 0; i-- {", "for i := range kept {"},
		{"admission/patchlist.go", "an element that moves loses what its type does not know", "l.out = append(l.out, l.old[i].Of(l.src)...)", "l.marshal(l.v.Index(j))"},
		{"admission/patchlist.go", "keys that stand twice are told apart by nothing", "if byKey.repeat() {", "if false {"},
		{"admission/request.go", "what a validator gets is overwritten by the next call", "return append([]byte(nil), r.envelope.raw(p)...)", "return r.envelope.raw(p)"},
		{"admission/response.go", "no patch is sent", "if len(c.patch) > 0 {", "if false {"},
		{"server/file.go", "a problem that is over is told for ever", "r.broken.Store(nil)", ""},
		{"server/timeout.go", "a caller who has given up is written to", "if timeout := timeoutOf(r, longest); timeout+time.Second < longest {", "if timeout := timeoutOf(r, longest); timeout < 0 {"},
		{"server/timeout.go", "the timeout of a caller does not count", "return min(announced, longest)", "return longest"},
		{"admission/warn.go", "a warning is given twice", `if message == "" || slices.Contains(r.warnings, message) {`, `if message == "" {`},
		{"admission/warn.go", "warnings are longer than all may be", "if total > warningsLimit {", "if false {"},

		{"conversion/compare.go", "elements may change their order", "ordered = ordered && j > last", "_ = ordered && j > last"},
		{"conversion/compare.go", "a dropped field is kept", "if below.Dropped {", "if false {"},
		{"conversion/entry.go", "a zero value becomes an entry", "if src != zero {", "if true {"},
		{"conversion/entry.go", "an entry takes the place of another one", "ok && !taken {", "ok && (!taken || true) {"},
		{"conversion/handler.go", "nobody hears which kind it was", "o.Kind, o.Desired = h.kinds.target(first, asked.desired)", ""},
		{"conversion/exchange.go", "a signed value comes back without what its hook wrote", "if !v.trusted || !slices.ContainsFunc(changes, isCustom) {", "if true {"},
		{"conversion/inplace.go", "an object that has grown is cut off", "c.rest = bytes.Clone(text[n:])", ""},
		{"conversion/kinds.go", "an object leaves its group", "if from.Group != to.Group {", "if false {"},
		{"conversion/kinds.go", "the way by the hub reads what it writes", "stop = bytes.Clone(text)", "stop = text"},
		{"conversion/limits.go", "values that the type's markers forbid are restored", "if r.unlimited || p.Limits.isZero() && p.Members == nil && p.Elements == nil {", "if true {"},
		{"conversion/metadata.go", "labels are there twice", `if !m.is("labels") && !m.is("annotations") {`, "if true {"},
		{"conversion/metadata.go", "the annotation is there twice", "if !a.is(Annotation) && !a.is(Signature) {", "if true {"},
		{"conversion/restore.go", "an object that has to be made is forgotten", "if made := map[string]any{}; n.plan.Scattered {", "if made := map[string]any{}; false {"},
		{"conversion/restore.go", "members of a removed element go to an equal one", "if len(at) < len(all) && slices.ContainsFunc(all, differs) {", "if false {"},
		{"conversion/restore.go", "an element is inserted at the end", "others = slices.Insert(others, min(j, len(others)), list[i])", "others = append(others, list[i])"},
		{"conversion/review.go", "a member may stand twice", "; ok && r.problem == nil {", "; ok && false {"},
		{"conversion/review.go", "objects come with a failure", "all, result = nil, failure", "result = failure"},
		{"conversion/route.go", "a panic is an object", "if v := recover(); v != nil {", "if v := recover(); false {"},
		{"conversion/route.go", "a member is twice in an object", "if named(o.members[:j], f.Name) != nil {", "if false {"},
		{"conversion/route.go", "a value that an older program kept, and that is the same by now, is lost", "if !some {", "if some = false; !some {"},
		{"conversion/same.go", "a value kept within a struct is not found", "if part, ok = part.without(way[1:]); ok {", "if ok = false; ok {"},
		{"conversion/schema.go", "an annotation chooses the keys of an element", "if i < 0 || values[i] != (absent{}) ||", "if i < 0 { continue }\nif values[i] != (absent{}) ||"},
		{"conversion/same.go", "an empty struct is invented", "&& !isObject(old) {", "&& false {"},
		{"conversion/stash.go", "something is kept on a part of an object", `if on.GetName() == "" && on.GetGenerateName() == "" {`, "if false {"},
		{"conversion/stash.go", "the annotations are larger than an API server takes", "if text := n.textOf(all); len(text) <= rest {", "if text := n.textOf(all); true {"},
		{"conversion/stash.go", "a value kept before stays", "return slices.DeleteFunc(k, func(e entry) bool { return e.is(version) })", "return k"},
		{"conversion/value.go", "a number is cut off", "if S(d) != src || (d < 0) != (src < 0) {", "if false {"},
		{"conversion/value.go", "a separator in an element joins", "if strings.Contains(string(s), separator) {", "if false {"},
		{"conversion/work.go", "an annotation causes any amount of work", "if w.left < 0 && w.err == nil {", "if false {"},
		{"conversion/work.go", "the end of a call ends no work", "w.until, w.err = workFloor, context.Cause(w.ctx)", "w.until = workFloor"},
		{"conversion/object_context.go", "an object without a name yet is a part of one", `&& object.GetGenerateName() == ""`, ""},

		{"internal/wire/path.go", "a long path stays whole", "return bothEnds(maxPath, strings.TrimPrefix(string(head), \".\"), string(tail[i:]))", "return string(head) + string(tail[i:])"},
		{"internal/wire/path.go", "a deep path has no beginning", "here.head = p", "here.head = &here"},
		{"internal/serving/body.go", "any media type that can be read is taken", "err != nil || parsed != wanted", `err != nil || parsed == ""`},
		{"internal/wire/decode.go", "a field may stand twice", "if seen[i] {", "if false {"},
		{"internal/wire/decode.go", "a key of a map may stand twice", "if n++; v.Len() != n {", "if n++; false {"},
		{"internal/wire/decode.go", "an error quotes the value", "return wrong", "return err"},
		{"internal/wire/decode.go", "an empty list is nil", "if n == 0 {", "if false {"},
		{"internal/wire/equal.go", "a list of as many elements is the same", "if !s.Elem.Equal(a.Index(i), b.Index(i)) {", "if false {"},
		{"internal/wire/scan.go", "something may stand behind the value", "if i = Space(src, i); i < len(src) {", "if i = Space(src, i); false {"},
		{"internal/wire/scan.go", "half a pair of surrogates is a character", "if !utf16.IsSurrogate(r) {", "if true {"},
		{"internal/wire/shape.go", "embedded structs hide nearer fields", "return len(a.path) - len(b.path)", "return len(b.path) - len(a.path)"},
		{"internal/serving/tally.go", "callers fill the log", "if at := now(); t.logged.IsZero() || at.Sub(t.logged) >= TallyInterval {", "if at := now(); true {"},
		{"internal/wire/text.go", "a backslash is not escaped", `out = append(out, '\\', c)`, "out = append(out, c)"},
		{"internal/wire/unique.go", "a key may stand twice below what decodes itself", "; !seen.add(text) {", "; false {"},
	}
}

// seeds are the variants that a file's faults are, for a seeder: each at the smallest statement that has its text.
func seeds(faults []runtimeFault) func(*seeder, *ast.FuncDecl, ast.Stmt) []variant {
	return func(s *seeder, _ *ast.FuncDecl, statement ast.Stmt) []variant {
		text := s.text(statement)
		var here []variant
		for _, f := range faults {
			inner := false
			for _, below := range statementsIn(statement) {
				inner = inner || strings.Contains(s.text(below), f.old)
			}
			if !inner && strings.Contains(text, f.old) {
				here = append(here, variant{kind: f.kind, text: strings.Replace(text, f.old, f.now, 1)})
			}
		}
		return here
	}
}
