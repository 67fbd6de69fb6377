// Asks a program's admin listener whether it lives, for engines that run a HEALTHCHECK; Kubernetes asks by HTTP itself.
// node healthcheck.mjs 127.0.0.1:9090: where it listens unless GATEWAY_ADMIN_LISTEN says otherwise. Exit code 0 = alive.
const address = process.env.GATEWAY_ADMIN_LISTEN || process.argv[2];
const alive = await fetch(`http://${address}/livez`, { signal: AbortSignal.timeout(2000) }).then(
  (response) => response.ok,
  () => false, // not listening
);
process.exitCode = alive ? 0 : 1;
