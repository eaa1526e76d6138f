// SPDX-License-Identifier: Apache-2.0

package model

import "testing"

func TestArticle(t *testing.T) {
	for name, want := range map[string]string{
		"Order": "an Order", "Machine": "a Machine", "User": "a User",
		"HTTPRoute": "an HTTPRoute", "UDPRoute": "a UDPRoute", "IPAddress": "an IPAddress", "TLSRoute": "a TLSRoute",
	} {
		if got := Article(name); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
