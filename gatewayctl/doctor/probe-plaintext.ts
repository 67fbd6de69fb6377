// Probes a server with the beginning of HTTP/2 in plain text (RFC 9113, section 3.4).
import { connect } from 'node:net';
import type { Met } from './probe.ts';

export interface Location {
  readonly address: string;
  readonly port: number;
}

export const connectMaxMs = 5_000;
const responseMaxMs = 3_000;

const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const opening = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), emptySettings]);

/** Undefined: the server closed the connection without a known response, as a TLS server does. */
export function probePlaintext({ address, port }: Location): Promise<Met | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    let connected = false;
    const end = (met: Met | undefined) => {
      socket.destroy();
      resolve(met);
    };
    socket.setTimeout(connectMaxMs, () =>
      end(connected ? { speaks: 'silence' } : { speaks: 'nothing', code: 'ETIMEDOUT' }),
    );
    socket.on('connect', () => {
      connected = true;
      socket.setTimeout(responseMaxMs);
      socket.write(opening);
    });
    socket.on('data', (bytes: Buffer) => end(greetingOf(bytes)));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      end(connected ? undefined : { speaks: 'nothing', code: error.code ?? error.message }),
    );
    socket.on('close', () => end(undefined));
  });
}

function greetingOf(bytes: Buffer): Met | undefined {
  if (bytes.subarray(0, 7).toString('latin1') === 'HTTP/1.') return { speaks: 'http1' };
  // An HTTP/2 server begins with its SETTINGS frame.
  return bytes[3] === 4 && bytes.length >= 9 ? { speaks: 'http2' } : undefined;
}
