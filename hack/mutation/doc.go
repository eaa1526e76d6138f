// SPDX-License-Identifier: Apache-2.0

// Package mutation shows that generated tests find faults in generated code. It seeds one fault after the other into
// the examples' handlers and conversions, and into the validators and defaulters. A generated test has to fail for each
// fault. It also seeds faults into the runtime, which the runtime's own tests have to find.
//
// All faults of a package are compiled into one test binary, each statement beside its faulty variants in a switch. An
// environment variable selects the active fault. So there is one build for a package and not one for a fault.
package mutation
