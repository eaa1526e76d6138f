// Package cronjob is an example: the two versions of the CronJob of kubebuilder's multiversion tutorial, and the conversion
// between them.
package cronjob

//go:generate webhook-gen
