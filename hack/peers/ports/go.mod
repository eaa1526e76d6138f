module github.com/webhook-gen/webhook-gen/hack/peers/ports

go 1.26.0
