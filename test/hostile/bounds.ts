// The bounds of the proxy's resources. They are not in world.ts, because attackers are threads of their own
// (attacker.ts), and each would load the whole gateway.
export const bounds = {
  inFlight: 256,
  background: 24,
  readOn: 64,
  bufferedMiB: 128,
  connections: 600,
} as const;
