// The server and the transport. In plain text anyone on the network path can read tokens. It is the default for this
// machine; for other hosts it must be requested.
import { isLoopbackHost } from '../common/addresses.ts';
import type { Secret } from '../common/secret.ts';
import { listenAddress } from '../common/settings.ts';
import { usageMistake } from './failure.ts';

export type Transport =
  | { readonly kind: 'plaintext' }
  | {
      readonly kind: 'tls';
      /** PEM of the authorities that sign the server's certificate; absent: the system's authorities. */
      readonly caFile?: string;
      /**
       * Name in the server's certificate if the server is reached by another name, such as through a forwarded port.
       */
      readonly serverName?: string;
    };

export interface Target {
  /** `host:port`. */
  readonly server: string;
  readonly transport: Transport;
  /** An operator's token or the bootstrap token; absent: calls are refused as unauthenticated. */
  readonly token: Secret | undefined;
  /** Timeout of each call, in milliseconds. */
  readonly timeoutMs: number;
}

export interface TransportWish {
  readonly plaintext?: boolean;
  readonly tls?: boolean;
  readonly caFile?: string;
  readonly serverName?: string;
}

/** @throws Failure if the text is not host:port */
export function parseServer(server: string): { readonly host: string; readonly port: number } {
  try {
    if (/[\s/]/.test(server)) throw new Error('no host');
    return listenAddress(server);
  } catch {
    throw usageMistake(`the server must be host:port, such as gateway.internal:50051, not "${server}"`);
  }
}

export function isLoopback(server: string): boolean {
  return isLoopbackHost(parseServer(server).host);
}

/** @throws Failure for contradictory options */
export function chooseTransport(server: string, wish: TransportWish): Transport {
  const { plaintext, tls, caFile, serverName } = wish;
  const wantsTls = tls === true || caFile !== undefined || serverName !== undefined;
  if (plaintext === true && wantsTls)
    throw usageMistake('--plaintext excludes --tls, --ca-file and --server-name; keep one of them');
  if (plaintext === true || (!wantsTls && isLoopback(server))) return { kind: 'plaintext' };
  return {
    kind: 'tls',
    ...(caFile !== undefined && { caFile }),
    ...(serverName !== undefined && { serverName }),
  };
}

export function transportText(transport: Transport): string {
  if (transport.kind === 'plaintext') return 'plaintext';
  const { caFile, serverName } = transport;
  return ['TLS', caFile && `authorities ${caFile}`, serverName && `server name ${serverName}`]
    .filter(Boolean)
    .join(', ');
}
