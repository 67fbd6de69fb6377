#!/bin/sh
# Makes the demo's first operator, an organization, keys for the simulator and a virtual key, and prints the virtual
# key. It works once, because the bootstrap token is then used up. The tokens of the platform operator and of the
# organization's owner stay on the demo's volume, for calls of gatewayctl as below.
set -eu

# ctl <platform|owner> <words>: runs gatewayctl in the control plane's pod, so that only kubectl is needed here
ctl() {
  who=$1
  shift
  kubectl --namespace=model-gateway exec --stdin deployment/control-plane -- \
    env GATEWAYCTL_CONFIG="/var/lib/model-gateway/$who.json" \
    node /app/gatewayctl/bin/main.mjs --server localhost:50051 --tls --ca-file /var/run/model-gateway/tls/ca.crt "$@"
}

kubectl --namespace=model-gateway rollout status deployment/control-plane --timeout=5m >&2
token=$(kubectl --namespace=model-gateway get secret control-plane --output='jsonpath={.data.bootstrap-token}' | base64 -d)
printf %s "$token" | ctl platform bootstrap platform >&2

owner=$(ctl platform organizations create demo --owner owner < /dev/null)
printf %s "$owner" | ctl owner login >&2
# Keys that the simulator accepts; they belong to no account.
for key in gpt-provider=sk-sim-demo-0000000000 assistant-provider=sk-ant-sim-demo-0000000000 \
  search-provider=AIzaSimDemo-0000000000; do
  printf %s "${key#*=}" | ctl owner --organization demo provider-keys create "${key%%=*}" "simulated-${key%%=*}" --secret-file - --no-test >&2
done
ctl owner --organization demo systems create demo-app < /dev/null >&2
key=$(ctl owner --organization demo keys create demo-key --system demo-app < /dev/null)

cat >&2 <<'EOF'

The virtual key, shown this once; try it:
  kubectl --namespace=model-gateway port-forward service/egress-gateway 8080:8080
  curl http://127.0.0.1:8080/v1/chat/completions --header "Authorization: Bearer $KEY" --json \
    '{"model":"gpt-provider/gpt-4o-mini","messages":[{"role":"user","content":"Hello"}]}'

EOF
echo "$key"
