package conversions

// normalisation is something that an API server's own conversion changes besides: its internal types cannot say all
// that the versions can, and some defaults stand in conversions.
type normalisation struct {
	// path is the field's, with [] for any element of a list.
	path string
	// upstream is the JSON of what is there after upstream's conversion, where ours has nothing.
	upstream string
	why      string
}

// normalisations are all there are in apps and autoscaling.
func normalisations() []normalisation {
	return []normalisation{
		{".spec.replicas", `0`, "the internal type has a value: apps.DeploymentSpec, ReplicaSetSpec, StatefulSetSpec"},
		{".spec.strategy.rollingUpdate.maxSurge", `0`, "the internal type has a value: apps.RollingUpdateDeployment"},
		{".spec.strategy.rollingUpdate.maxUnavailable", `0`, "the internal type has a value: apps.RollingUpdateDeployment"},
		{".spec.updateStrategy.rollingUpdate.maxSurge", `0`, "the internal type has a value: apps.RollingUpdateDaemonSet"},
		{".spec.updateStrategy.rollingUpdate.maxUnavailable", `0`, "the internal type has a value: apps.RollingUpdateDaemonSet"},
		{".spec.updateStrategy.rollingUpdate.partition", `0`, "the internal type has a value: apps.RollingUpdateStatefulSetStrategy"},
		{".spec.volumeClaimTemplates[].apiVersion", `"v1"`, "kubernetes/kubernetes#87583: apps/v1, Convert_apps_StatefulSetSpec_To_v1_StatefulSetSpec"},
		{".spec.volumeClaimTemplates[].kind", `"PersistentVolumeClaim"`, "as apiVersion"},
		{".status.observedGeneration", `0`, "v1beta1 and the internal type have a pointer, and v1 leaves zero out: apps.StatefulSetStatus"},
		{".spec.metrics", `[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}]`,
			"a default of the API: autoscaling/v1, Convert_v1_HorizontalPodAutoscaler_To_autoscaling_HorizontalPodAutoscaler"},
	}
}
