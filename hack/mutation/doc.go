// SPDX-License-Identifier: Apache-2.0

// Package mutation shows that generated tests find faults in generated code: it seeds one fault after the other into
// the examples' handlers and conversions, and into the policies that the handlers are for, and wants a generated test
// to fail for each. Of faults in the runtime it wants the same of the runtime's own tests.
//
// All faults of a package are compiled into one test binary, each statement beside its faulty variants in a switch, and
// the environment says which of them is at work. So there is one build for a package and not one for a fault.
package mutation
