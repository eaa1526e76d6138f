package v1

type AdmissionRequest struct {
	Name   string
	DryRun *bool
}
