package controllerruntime

import (
	_ "gopkg.in/evanphx/json-patch.v4"
	_ "k8s.io/client-go/rest"
	_ "sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	_ "sigs.k8s.io/json"
)
