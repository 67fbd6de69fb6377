// A guardrail's service on loopback with a public name and a valid certificate, for a proxy within a test.
import { readFileSync } from 'node:fs';
import type { ServiceNetwork } from '../../../proxy/guardrails/inspection/live-guardrails.ts';
import { createAuthority, type TestAuthority } from '../tls.ts';
import { publicHost } from '../webhook-receiver.ts';

/** The setting that allows a proxy to reach it. */
export const loopbackAllowed = { GATEWAY_GUARDRAIL_ADDRESSES: '127.0.0.0/8' };

/** @returns an authority, and a network in which the service has its name and the authority is trusted */
export async function openServiceNetwork(): Promise<{
  readonly authority: TestAuthority;
  readonly serviceNetwork: ServiceNetwork;
}> {
  const authority = await createAuthority();
  return {
    authority,
    serviceNetwork: {
      ca: readFileSync(authority.caFile, 'utf8'),
      resolve: (host, _options, callback) =>
        host === publicHost
          ? callback(null, [{ address: '127.0.0.1', family: 4 }])
          : callback(new Error(`${host} is not known`), []),
    },
  };
}
