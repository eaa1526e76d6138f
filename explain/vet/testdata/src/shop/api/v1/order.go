// +webhook:defaults(sideEffects: noneOnDryRun)
package v1

// Order is an order.
//
// +webhook:mutating(operations: "create", sideEffects: none)
// +webhook:validating(operations: "create;update",
//
//	sideEffects: NoneOnDryRun)
//
// +webhook:validating(operations: "update", name: "quota", sideEffects: none)
type Order struct{ Name string }

func (o *Order) GetName() string { return o.Name }

// +webhook:validating(operations: "create")
type Cart struct{ Name string }

// +webhook:validating(operations: "create", sideEffects: none)
// +webhook:allow(rule: "W17")="the ledger is idempotent, and a dry run may be in it"
type Ledger struct{ Name string }

// +webhook:validating(operations: "create", name: "daily", sideEffects: none)
// +webhook:allow(rule: "W17", webhook: "weekly")="that one is gone"
type Journal struct{ Name string }
