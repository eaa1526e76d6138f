package v1

type SubjectAccessReview struct{ Name string }

func (s *SubjectAccessReview) GetName() string { return s.Name }
