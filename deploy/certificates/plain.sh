#!/bin/sh
# Certificates without cert-manager and without the keeper: prints the Secrets that they would make, as YAML. Names and
# usages are those of cert-manager/certificates.yaml. They are valid for a year; run this again before they expire.
# Programs report expiry times (gateway_certificate_not_after_seconds), and alerts use them.
#   plain.sh <folder> gateway            | kubectl apply -f -   Secrets of the namespace model-gateway
#   plain.sh <folder> tenant <namespace> | kubectl apply -f -   the sidecars' Secret of an app namespace
#   plain.sh <folder> authorities        | kubectl apply --server-side --field-manager=plain.sh -f -
#                                                              hands both authorities to the keeper for further use
# The folder contains the two authorities, which are made if missing. Their keys sign every trusted certificate: keep it
# safe, outside the cluster and outside version control.
set -eu
umask 077

[ $# -ge 2 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 64; }
folder=$1 what=$2
days=365
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# authority <name>: <folder>/<name>.{crt,key}, for ten years
authority() {
  if [ -s "$folder/$1.crt" ]; then return; fi
  openssl ecparam -name prime256v1 -genkey -noout -out "$folder/$1.key"
  openssl req -x509 -new -key "$folder/$1.key" -days 3650 -subj "/CN=$1" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign -out "$work/$1.crt"
  # Moved last and at once, so that an interrupted authority is made again.
  mv "$work/$1.crt" "$folder/$1.crt"
}

# secret <namespace> <secret> <authority> <usage> <names in openssl's syntax>
secret() {
  cat > "$work/extensions" <<EOF
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=$4
subjectAltName=$5
authorityKeyIdentifier=keyid
EOF
  first=${5%%,*}
  openssl ecparam -name prime256v1 -genkey -noout -out "$work/key"
  openssl req -new -key "$work/key" -subj "/CN=${first#DNS:}" -out "$work/request"
  openssl x509 -req -in "$work/request" -CA "$folder/$3.crt" -CAkey "$folder/$3.key" -days $days \
    -set_serial "0x$(openssl rand -hex 16)" -extfile "$work/extensions" -out "$work/certificate" 2> "$work/messages" ||
    { cat "$work/messages" >&2; exit 1; }
  cat <<EOF
---
apiVersion: v1
kind: Secret
metadata:
  name: $2
  namespace: $1
  labels: { app.kubernetes.io/part-of: model-gateway }
type: kubernetes.io/tls
data:
  tls.crt: $(base64 < "$work/certificate" | tr -d '\n')
  tls.key: $(base64 < "$work/key" | tr -d '\n')
  ca.crt: $(base64 < "$folder/$3.crt" | tr -d '\n')
EOF
}

# service <name>: the names of a Service of the gateway
service() {
  echo "DNS:$1.model-gateway.svc,DNS:$1.model-gateway.svc.cluster.local,DNS:$1.model-gateway,DNS:$1"
}

authority model-gateway-internal
authority model-gateway-sidecars
case $what in
  gateway)
    here=DNS:localhost,IP:127.0.0.1 # for `kubectl port-forward`
    secret model-gateway control-plane-tls model-gateway-internal serverAuth \
      "$(service control-plane),$(service control-plane-http),$here"
    secret model-gateway egress-gateway-tls model-gateway-internal serverAuth "$(service egress-gateway)"
    secret model-gateway egress-gateway-client-tls model-gateway-internal clientAuth \
      DNS:egress-gateway.proxies.model-gateway
    secret model-gateway injector-tls model-gateway-internal serverAuth "$(service injector)"
    cat <<EOF
---
apiVersion: v1
kind: Secret
metadata:
  name: sidecars-ca
  namespace: model-gateway
  labels: { app.kubernetes.io/part-of: model-gateway }
data:
  ca.crt: $(base64 < "$folder/model-gateway-sidecars.crt" | tr -d '\n')
EOF
    ;;
  tenant)
    namespace=${3:?the namespace of the app}
    secret "$namespace" model-gateway-sidecar-tls model-gateway-sidecars clientAuth DNS:sidecars.model-gateway
    ;;
  authorities)
    # The key in PKCS#8, like the keeper's own keys.
    entry() {
      echo "  $1.crt: $(base64 < "$folder/model-gateway-$1.crt" | tr -d '\n')"
      echo "  $1.key: $(openssl pkcs8 -topk8 -nocrypt -in "$folder/model-gateway-$1.key" | base64 | tr -d '\n')"
    }
    cat <<EOF
---
apiVersion: v1
kind: Secret
metadata:
  name: model-gateway-authorities
  namespace: model-gateway
  labels: { app.kubernetes.io/part-of: model-gateway }
data:
$(entry internal)
$(entry sidecars)
EOF
    ;;
  *)
    echo "plain.sh: there are gateway, tenant and authorities, no $what" >&2
    exit 64
    ;;
esac
