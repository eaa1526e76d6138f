module github.com/webhook-gen/webhook-gen/controlplane

go 1.24.0
