// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"

	"github.com/webhook-gen/webhook-gen/generator/internal/hint"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// mistake reports a mistake in the name of the outermost converter or in its argument.
func (as converters) mistake() *mismatch {
	if len(as) == 0 {
		return nil
	}
	if message, advice := hint.Mistake(as.first()); message != "" {
		return &mismatch{rule: RuleConverter, message: message, hint: advice}
	}
	return nil
}

// misfit reports a converter that does not fit the two types.
func (p *valuePlanner) misfit(name, takes string, v *Value) *mismatch {
	return &mismatch{rule: RuleConverter,
		message: fmt.Sprintf("%s is for %s, not for %s and %s", name, takes, v.Spoke, v.Hub), hint: "`webhook-gen markers conversion:to` lists the converters"}
}

// differ reports two types that do not convert, with a hint that is likely to help.
func (p *valuePlanner) differ(v *Value) *mismatch {
	spoke, hub := v.Spoke, v.Hub
	bad := &mismatch{rule: RuleMismatch, message: fmt.Sprintf("%s and %s do not convert", spoke, hub)}
	if p.trying {
		return bad
	}
	custom := p.byHand()
	if spoke.EncodesItself() && hub.EncodesItself() && spoke.Kind() == hub.Kind() && spoke.Package != "" && spoke.Name == hub.Name {
		alike := hint.Spot{On: " on the type"}
		if !p.isOwn(spoke.Package) {
			alike = hint.Spot{Of: spoke.Package + "." + spoke.Name, On: " on a package of yours"}
		}
		bad.hint = alike.Marker(model.Alike) + " says that the two are the same in JSON, so that their fields are converted; " + custom
		return bad
	}
	if spoke.IsText() && hub.Kind() == resolve.Slice && hub.Elem().IsText() || hub.IsText() && spoke.Kind() == resolve.Slice && spoke.Elem().IsText() && p.works("first") {
		bad.hint = fmt.Sprintf("%s or %s says which way they belong together; %s", p.using("first"), p.using("join:,"), custom)
		return bad
	}
	if as := hint.Converter(spoke, hub, p.fields.Hub, p.fields.Spoke); as != "" && p.works(as) {
		bad.hint = p.using(as) + " converts them; "
	}
	bad.hint += custom
	return bad
}
