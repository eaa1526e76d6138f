package v1

// Loan is a loan.
//
// +webhook:validating(operations: "create;update")
type Loan struct{ Name string }

// +webhook:validating(operations: "create")
type Fine struct{ Name string }

// +webhook:validating(operations: "create")
// +webhook:allow(rule: "W33")="the request is only logged"
type Visit struct{ Name string }
