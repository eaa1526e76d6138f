# The program's flags give these values.
s#webhook\.New#New#g
s#, namespaces\)#, nil)#
s#, enableResourceQuotaEnforcement\)#, true)#
