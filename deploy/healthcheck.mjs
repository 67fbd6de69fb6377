// Checks at a program's admin listener that it is alive, for engines with a HEALTHCHECK; Kubernetes probes over HTTP.
// node healthcheck.mjs 127.0.0.1:9090: the address, unless GATEWAY_ADMIN_LISTEN sets another. Exit code 0 = alive.
const address = process.env.GATEWAY_ADMIN_LISTEN || process.argv[2];
const alive = await fetch(`http://${address}/livez`, { signal: AbortSignal.timeout(2000) }).then(
  (response) => response.ok,
  () => false, // not listening
);
process.exitCode = alive ? 0 : 1;
