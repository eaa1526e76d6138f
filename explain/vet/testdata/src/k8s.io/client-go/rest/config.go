package rest

type Config struct {
	Host  string
	QPS   float32
	Burst int
}

func InClusterConfig() (*Config, error) { return &Config{}, nil }
