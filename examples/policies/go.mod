module example.com/policies

go 1.26.0
