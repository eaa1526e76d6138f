# The fields that the set-up takes from the configuration, with its defaults.
s#^(\t\t"/mutate-[^"]*": +)nil,#\1admission.WithDefaulter[*awv1beta2.AppWrapper](scheme, wh),#
s#^(\t\t"/validate-[^"]*": +)nil,#\1admission.WithValidator[*awv1beta2.AppWrapper](scheme, wh),#
/^\t\t\/\/ Replace nil by the handler/d
/^	return map\[string\]http.Handler/i\
	wh := \&appWrapperWebhook{client: fake.NewClientBuilder().WithScheme(scheme).Build()}
