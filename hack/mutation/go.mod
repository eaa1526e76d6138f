module github.com/webhook-gen/webhook-gen/hack/mutation

go 1.26.0
