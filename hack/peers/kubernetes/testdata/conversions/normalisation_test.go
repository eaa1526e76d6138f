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

func deploymentNormalisations() []normalisation {
	return []normalisation{
		{".spec.replicas", `0`, "apps.DeploymentSpec has a value"},
		{".spec.strategy.rollingUpdate.maxSurge", `0`, "apps.RollingUpdateDeployment has a value"},
		{".spec.strategy.rollingUpdate.maxUnavailable", `0`, "apps.RollingUpdateDeployment has a value"},
	}
}

func replicaSetNormalisations() []normalisation {
	return []normalisation{{".spec.replicas", `0`, "apps.ReplicaSetSpec has a value"}}
}

func daemonSetNormalisations() []normalisation {
	return []normalisation{
		{".spec.updateStrategy.rollingUpdate.maxSurge", `0`, "apps.RollingUpdateDaemonSet has a value"},
		{".spec.updateStrategy.rollingUpdate.maxUnavailable", `0`, "apps.RollingUpdateDaemonSet has a value"},
	}
}

func statefulSetNormalisations() []normalisation {
	return []normalisation{
		{".spec.replicas", `0`, "apps.StatefulSetSpec has a value"},
		{".spec.updateStrategy.rollingUpdate.partition", `0`, "apps.RollingUpdateStatefulSetStrategy has a value"},
		{".spec.volumeClaimTemplates[].apiVersion", `"v1"`, "kubernetes/kubernetes#87583, Convert_apps_StatefulSetSpec_To_v1_StatefulSetSpec"},
		{".spec.volumeClaimTemplates[].kind", `"PersistentVolumeClaim"`, "as apiVersion"},
	}
}

// statefulSetV1beta1Normalisations has one for a pointer that apps/v1beta1 alone has.
func statefulSetV1beta1Normalisations() []normalisation {
	return append(statefulSetNormalisations(), normalisation{".status.observedGeneration", `0`, "apps.StatefulSetStatus has a pointer, apps/v1 leaves zero out"})
}

func autoscalerNormalisations() []normalisation {
	return []normalisation{{
		".spec.metrics", `[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}]`,
		"a default, Convert_v1_HorizontalPodAutoscaler_To_autoscaling_HorizontalPodAutoscaler",
	}}
}
