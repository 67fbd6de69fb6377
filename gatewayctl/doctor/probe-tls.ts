// Probes the TLS handshake of a server. Every certificate is accepted here, so that it can be checked later; nothing is
// sent over the connection.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { checkServerIdentity, connect, type TLSSocket } from 'node:tls';
import type { CertificateSeen, Met } from './probe.ts';
import { connectMaxMs, type Location } from './probe-plaintext.ts';

export interface Expected {
  readonly host: string;
  readonly caFile?: string;
  /** Name in the certificate, if it differs from the host. */
  readonly serverName?: string;
}

/** Undefined: something listens, but does not speak TLS. */
export function probeTls({ address, port }: Location, expected: Expected): Promise<Met | undefined> {
  const name = expected.serverName ?? expected.host;
  const ca = authorities(expected.caFile);
  return new Promise((resolve) => {
    const socket = connect({
      host: address,
      port,
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      // A server of HTTP/1.1 would refuse a client that only offers HTTP/2.
      ALPNProtocols: ['h2', 'http/1.1'],
      ...(isIP(name) === 0 && { servername: name }),
      ...(ca !== undefined && { ca }),
    });
    let connected = false;
    const end = (met: Met | undefined) => {
      socket.destroy();
      resolve(met);
    };
    socket.setTimeout(connectMaxMs, () => end(connected ? undefined : { speaks: 'nothing', code: 'ETIMEDOUT' }));
    socket.on('connect', () => {
      connected = true;
    });
    socket.on('secureConnect', () =>
      end({ speaks: 'tls', http2: socket.alpnProtocol === 'h2', certificate: certificateOf(socket, name) }),
    );
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (!connected) return end({ speaks: 'nothing', code: error.code ?? error.message });
      // Any alert shows that the server speaks TLS.
      end(/ALERT/.test(error.code ?? '') ? { speaks: 'tls', http2: true, certificate: undefined } : undefined);
    });
  });
}

/** Undefined: the system's authorities, also if the file cannot be used. */
function authorities(caFile: string | undefined): Buffer | undefined {
  if (caFile === undefined) return undefined;
  try {
    return readAuthorities(caFile);
  } catch {
    return undefined;
  }
}

/** @throws Error if the file cannot be read, or does not begin with a certificate */
export function readAuthorities(caFile: string): Buffer {
  const pem = readFileSync(caFile);
  new X509Certificate(pem);
  return pem;
}

function certificateOf(socket: TLSSocket, expectedName: string): CertificateSeen | undefined {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  return {
    distrust: distrustOf(socket.authorizationError),
    nameFits: checkServerIdentity(expectedName, socket.getPeerCertificate()) === undefined,
    expectedName,
    names: certificate.subjectAltName ?? '',
    issuer: certificate.issuer.replaceAll('\n', ', '),
    validFrom: certificate.validFromDate.getTime(),
    validTo: certificate.validToDate.getTime(),
  };
}

const ofDates = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** Node reports a code, or an error with one. */
function distrustOf(error: unknown): string | undefined {
  if (error === undefined || error === null) return undefined;
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return ofDates.has(code) ? undefined : code;
}
