// Opening a listener, with an error for whoever started the program: what is in the way, and which setting moves it.
import type { Server } from 'node:net';
import type { ListenAddress } from './settings.ts';

export class ListenError extends Error {
  readonly address: ListenAddress;
  readonly setting: string;
  /** Somebody else listens there. */
  readonly isTaken: boolean;

  constructor(address: ListenAddress, setting: string, cause: Error) {
    const code = 'code' in cause ? cause.code : undefined;
    const where = `${address.host}:${address.port}`;
    const what =
      code === 'EADDRINUSE'
        ? `${where} is already in use`
        : code === 'EACCES'
          ? `${where} may not be opened by this user`
          : `${where} cannot be opened (${cause.message})`;
    super(
      `${what}; ${setting}=host:port moves it, for example ${setting}=${address.host}:0 for a free port`,
      { cause },
    );
    this.name = 'ListenError';
    this.address = address;
    this.setting = setting;
    this.isTaken = code === 'EADDRINUSE';
  }
}

/** Connections that wait to be accepted. The kernel takes its own limit (net.core.somaxconn) where that is smaller. */
const backlog = 65_535;

/**
 * @param setting the variable that moves this listener
 * @throws ListenError
 */
export function listen(server: Server, address: ListenAddress, setting: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => reject(new ListenError(address, setting, error));
    server.once('error', onError);
    server.listen({ port: address.port, host: address.host, backlog }, () => {
      server.off('error', onError);
      // From now on it is of one connection that could not be accepted: no reason to end.
      server.on('error', countAcceptFailure);
      resolve();
    });
  });
}

let acceptFailures = 0;

/** A connection was closed, or not even accepted, because there was no room for it. */
export function countAcceptFailure(): void {
  acceptFailures++;
}

/** Options of the counter of connections that could not be accepted, for each program's prom-client. */
export function acceptFailuresCounter<Registry>(registers: Registry[]) {
  return {
    name: 'gateway_accept_failures_total',
    help: 'Connections that were closed at once or could not be accepted, because there was no descriptor, memory or room for them; everything else continues',
    registers,
    collect(this: { reset(): void; inc(count: number): void }) {
      this.reset();
      this.inc(acceptFailures);
    },
  };
}
