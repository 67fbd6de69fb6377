#!/bin/sh
# Prints the demo's Secrets as YAML, every value made anew: for the first `kubectl apply` alone, since another master key would not
# open what the first has sealed. CONTROL_PLANE is what starts the control plane's program, by default its image under Docker.
#   ./secrets.sh | kubectl apply -f -
set -eu
image=model-gateway/control-plane:0.1.0
: "${CONTROL_PLANE:=docker run --rm --entrypoint node $image /app/control-plane/bin/main.mjs}"

# Each by itself: in the text below a failure would go unnoticed.
master_key=$($CONTROL_PLANE new-master-key)
cache_key=$($CONTROL_PLANE new-master-key)
bootstrap_token=$($CONTROL_PLANE new-bootstrap-token)
cat <<EOF
apiVersion: v1
kind: Secret
metadata:
  name: control-plane
  namespace: model-gateway
stringData:
  database-url: sqlite:/var/lib/model-gateway/gateway.db
  master-key: "$master_key"
  bootstrap-token: "$bootstrap_token"
---
apiVersion: v1
kind: Secret
metadata:
  name: egress-gateway
  namespace: model-gateway
stringData:
  redis-url: redis://redis.model-gateway.svc:6379
  cache-key: "$cache_key"
EOF
