package v1

type ConfigMap struct {
	Name string
	Data map[string]string
}

func (c *ConfigMap) GetName() string { return c.Name }
