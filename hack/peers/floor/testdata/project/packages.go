// Package app imports every public package of the runtime, so that the project has a copy of each.
package app

import (
	_ "example.com/app/internal/webhook/admission"
	_ "example.com/app/internal/webhook/admission/admissiontest"
	_ "example.com/app/internal/webhook/authorization"
	_ "example.com/app/internal/webhook/certificates"
	_ "example.com/app/internal/webhook/conversion"
	_ "example.com/app/internal/webhook/conversion/conversiontest"
	_ "example.com/app/internal/webhook/server"
	_ "example.com/app/internal/webhook/version"
)
