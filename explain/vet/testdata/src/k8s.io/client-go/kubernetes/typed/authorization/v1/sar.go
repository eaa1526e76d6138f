package v1

import (
	"context"

	v1 "k8s.io/api/authorization/v1"
)

type SubjectAccessReviewInterface interface {
	Create(ctx context.Context, r *v1.SubjectAccessReview) (*v1.SubjectAccessReview, error)
}

type AuthorizationV1Interface interface {
	SubjectAccessReviews() SubjectAccessReviewInterface
}
