#!/bin/sh
# Prints the demo's Secrets as YAML, each with a new value. Use it only for the first `kubectl apply`, because a new
# master key cannot open data that the first one has sealed. CONTROL_PLANE is the command that starts the control
# plane's program; default: its image in Docker.
#   ./secrets.sh | kubectl apply -f -
set -eu
image=model-gateway/control-plane:0.1.0
: "${CONTROL_PLANE:=docker run --rm --entrypoint node $image /app/control-plane/bin/main.mjs}"

# Each in its own command, because a failure inside the text below would be ignored.
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
