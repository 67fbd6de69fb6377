// Connections of callers on all traffic listeners, from accept to close: so many in all that the process has descriptors left for its
// providers, and of those a share for each address, whatever a connection does or fails to do. Where there is no room an idle one that
// was answered gives way; else the new one is refused with an answer, as long as there is room for that.
import type { Socket } from 'node:net';
import { addressGroup } from '../../common/caller-address.ts';
import { descriptorsForCallers } from '../../common/descriptors.ts';
import type { HeldShare, ShareOwner } from '../../common/shares.ts';

export interface ConnectionsOptions {
  /** Of connections that are served, by address. */
  readonly share: HeldShare;
  /** Connections that are told that there is no room, at a time; more are closed. */
  readonly refusedMax: number;
}

/** One connection, while it is open. */
export interface Connection {
  readonly owner: ShareOwner;
  readonly socket: Socket;
  /** All that it gets is to be told so. */
  readonly isRefused: boolean;
  /** Under way. */
  requests: number;
  isOpen: boolean;
}

/** What is known of a connection when it is accepted. */
export interface Accepted {
  /** Whose it is, as a trusted proxy reports it where one does; undefined where the peer has gone. */
  readonly address: string | undefined;
  /** Ends a connection that is refused and has sent no request. */
  announce(): void;
}

/** For a caller to send the head of a request, so that it can be told. */
const refusedMs = 1000;

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #bySocket = new WeakMap<Socket, Connection>();
  /** TLS has a socket of its own over the one that was accepted; both have the same ends. */
  readonly #byEnds = new Map<string, Connection>();
  /** Answered and waiting for another request, longest first; of all, and by address. */
  readonly #idle = new Set<Connection>();
  readonly #idleOf = new Map<string, Set<Connection>>();
  #refused = 0;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  accept(socket: Socket, { address, announce }: Accepted): void {
    // Gone already.
    if (address === undefined) return void socket.destroy();
    const group = addressGroup(address);
    const owner = { organization: group, key: group };
    const isRefused = !this.#take(owner);
    if (isRefused && this.#refused >= this.#options.refusedMax) return void socket.destroy();
    if (isRefused) this.#refused++;
    const connection: Connection = { owner, socket, isRefused, requests: 0, isOpen: true };
    const ends = endsOf(socket);
    this.#bySocket.set(socket, connection);
    this.#byEnds.set(ends, connection);
    const timer = isRefused ? setTimeout(() => isSilent(connection) && announce(), refusedMs) : undefined;
    socket.once('close', () => {
      clearTimeout(timer);
      if (this.#byEnds.get(ends) === connection) this.#byEnds.delete(ends);
      this.#closed(connection);
    });
  }

  /** @returns the connection that it came on; undefined where that has closed */
  requestStarted(socket: Socket): Connection | undefined {
    const connection = this.#bySocket.get(socket) ?? this.#byEnds.get(endsOf(socket));
    if (connection === undefined) return undefined;
    this.#bySocket.set(socket, connection);
    connection.requests++;
    this.#notIdle(connection);
    return connection;
  }

  requestEnded(connection: Connection): void {
    connection.requests--;
    if (connection.requests > 0 || !connection.isOpen || connection.isRefused) return;
    const { organization } = connection.owner;
    const ofAddress = this.#idleOf.get(organization) ?? new Set();
    this.#idleOf.set(organization, ofAddress.add(connection));
    this.#idle.add(connection);
  }

  #take(owner: ShareOwner): boolean {
    const { share } = this.#options;
    if (share.hasRoom(owner)) return share.take(owner);
    // Whoever has its share gives up a connection of its own; where all are taken the one goes that waits for longest.
    const isFull = share.used >= share.capacity;
    const [longest] = (isFull ? this.#idle : this.#idleOf.get(owner.organization)) ?? [];
    if (longest !== undefined) {
      this.#closed(longest);
      longest.socket.destroy();
    }
    return share.take(owner);
  }

  #notIdle(connection: Connection): void {
    if (!this.#idle.delete(connection)) return;
    const { organization } = connection.owner;
    const ofAddress = this.#idleOf.get(organization);
    ofAddress?.delete(connection);
    if (ofAddress?.size === 0) this.#idleOf.delete(organization);
  }

  #closed(connection: Connection): void {
    if (!connection.isOpen) return;
    connection.isOpen = false;
    this.#notIdle(connection);
    if (connection.isRefused) this.#refused--;
    else this.#options.share.give(connection.owner);
  }
}

function isSilent({ isOpen, requests }: Connection): boolean {
  return isOpen && requests === 0;
}

function endsOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}

/** More need memory that nobody has provided for without saying so. */
const usualMax = 16_384;

export interface ConnectionBounds {
  /** What there are descriptors for. */
  readonly max: number;
  readonly usual: number;
  readonly refusedMax: number;
}

/**
 * Of the descriptors that a process may open, what its callers' connections may take: each may need one to a provider as well, and those
 * that are refused need some too.
 */
export function connectionBounds(descriptorsMax: number): ConnectionBounds {
  const open = descriptorsForCallers(descriptorsMax);
  const max = Math.floor(open * 0.4);
  return { max, usual: Math.min(usualMax, max), refusedMax: Math.min(usualMax, Math.floor(open * 0.2)) };
}
