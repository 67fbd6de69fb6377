// What a connection says about who is behind it: its two ends, and the names in a verified client certificate.
import type { Peer } from '../../common/callers.ts';
import type { CertificateProxy } from './authentication.ts';

/** "127.0.0.1:4711" or "::1:4711", as the library prints them; "unknown" of a connection that is gone. */
export function peerOf(printed: string): Peer {
  const [, remoteAddress = printed, port] = /^(.*):(\d+)$/.exec(printed) ?? [];
  return { remoteAddress, remotePort: port === undefined ? undefined : Number(port) };
}

/** Whether secrets may go to this peer: nobody else reads what goes over TLS or stays on the machine. */
export function isConfidential(overTls: boolean, address: string): boolean {
  return overTls || address === '::1' || address.startsWith('127.');
}

/**
 * The first of the configured proxies that the certificate names.
 * @param subjectAltName as node:tls prints it: "DNS:name, URI:name"; values with odd characters are quoted, and match nothing
 */
export function certificateProxyOf(
  subjectAltName: string | undefined,
  proxies: readonly CertificateProxy[],
): CertificateProxy | undefined {
  // A quoted value may hold ", DNS:other": then nothing of it can be told apart safely.
  if (subjectAltName === undefined || subjectAltName.includes('"')) return undefined;
  const names = new Set(
    subjectAltName.split(', ').flatMap((entry) => {
      const match = /^(?:DNS|URI):(.+)$/.exec(entry);
      return match?.[1] === undefined ? [] : [match[1]];
    }),
  );
  return proxies.find((proxy) => names.has(proxy.id));
}
