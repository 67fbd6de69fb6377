// Opens a listener. Its error names what is in the way and which setting moves the listener.
import type { Server } from 'node:net';
import type { ListenAddress } from './settings.ts';

export class ListenError extends Error {
  readonly address: ListenAddress;
  readonly setting: string;
  /** Another process listens at this address. */
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
    super(`${what}; ${setting}=host:port moves it, for example ${setting}=${address.host}:0 for a free port`, {
      cause,
    });
    this.name = 'ListenError';
    this.address = address;
    this.setting = setting;
    this.isTaken = code === 'EADDRINUSE';
  }
}

/** Length of the accept queue. The kernel uses its own limit (net.core.somaxconn) if that is smaller. */
const backlog = 65_535;

/**
 * @param setting name of the environment variable that moves this listener
 * @throws ListenError
 */
export function listen(server: Server, address: ListenAddress, setting: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => reject(new ListenError(address, setting, error));
    server.once('error', onError);
    server.listen({ port: address.port, host: address.host, backlog }, () => {
      server.off('error', onError);
      // From now on an error concerns one connection that could not be accepted, which is no reason to end the program.
      server.on('error', countAcceptFailure);
      resolve();
    });
  });
}

let acceptFailures = 0;

/** Counts a connection that was closed, or not accepted, for lack of room. */
export function countAcceptFailure(): void {
  acceptFailures++;
}

/** Options for the counter of connections that could not be accepted; each program has its own prom-client. */
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
