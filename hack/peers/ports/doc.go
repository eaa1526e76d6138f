// SPDX-License-Identifier: Apache-2.0

// Package ports converts the APIs of other projects with generated functions, and runs the projects' own tests of their
// conversions on them. Nothing of these projects is in this tree: a test copies the folders of their types and tests
// from the module cache, where its own methods get another name. testdata has our markers and hooks, and for each
// project the versions of its dependencies.
//
// These pairs of versions were chosen before any of them was tried:
//
//   - Cluster API Provider AWS v2.13.0: four API groups, v1beta1 and v1beta2.
//   - Cluster API Provider vSphere v1.14.0: v1alpha3 and v1beta1; v1alpha4 and v1beta1.
//   - Cluster API Provider RKE2 v0.21.0: bootstrap and controlplane, v1alpha1 and v1beta1.
//   - Cluster API IPAM Provider In Cluster v1.0.3: v1alpha1 and v1alpha2.
//   - Tekton Pipelines v1.0.0: resolution, v1alpha1 and v1beta1.
//   - Kueue v0.15.0: v1beta1 and v1beta2.
//
// All but Kueue are ported. Its v1beta2 encodes the domains of a topology in another way, and its functions for that
// panic on a part of an object.
package ports
