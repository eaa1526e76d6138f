module github.com/webhook-gen/webhook-gen/hack/peers/lines

go 1.26.0
