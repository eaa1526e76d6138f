module github.com/webhook-gen/webhook-gen/hack/peers/floor

go 1.26.0
