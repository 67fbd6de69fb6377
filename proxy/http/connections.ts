// Connections of callers on all traffic listeners, from accept to close. Their number is limited, so that descriptors
// remain for providers, and each address has a share of it, whatever a connection does. Without room, an idle
// connection is closed for the new one; if there is none, the new one gets an error response, as long as there is room
// for that.
import type { Socket } from 'node:net';
import { addressGroup } from '../../common/caller-address.ts';
import { descriptorsForCallers } from '../../common/descriptors.ts';
import type { OccupiedShare, ShareOwner } from '../../common/shares.ts';

export interface ConnectionsOptions {
  /** Shares of served connections, by address. */
  readonly share: OccupiedShare;
  /** Maximum number of connections that get an error response for lack of room. Further ones are closed. */
  readonly refusedMax: number;
}

/** One connection, while it is open. */
export interface Connection {
  readonly owner: ShareOwner;
  readonly socket: Socket;
  /** The connection only gets an error response. */
  readonly isRefused: boolean;
  /** Number of requests in flight. */
  requests: number;
  isOpen: boolean;
}

/** Facts about a connection when it is accepted. */
export interface Accepted {
  /** The caller's address, from a trusted proxy if there is one; undefined if the peer has gone. */
  readonly address: string | undefined;
  /** Ends a refused connection that has sent no request. */
  announce(): void;
}

/** Time for a caller to send the head of a request, so that it can get a response. */
const refusedMs = 1000;

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #bySocket = new WeakMap<Socket, Connection>();
  /** TLS uses a socket of its own over the accepted one. Both have the same addresses and ports. */
  readonly #byEnds = new Map<string, Connection>();
  /** Connections that wait for another request, the longest idle first: all, and by address. */
  readonly #idle = new Set<Connection>();
  readonly #idleOf = new Map<string, Set<Connection>>();
  #refused = 0;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  accept(socket: Socket, { address, announce }: Accepted): void {
    // The peer has gone already.
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

  /** @returns the connection of the request; undefined if that has closed */
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
    // An address that has used its share loses a connection of its own. If all are in use, the longest idle one is
    // closed.
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

/** More connections need more memory than usual, so an operator has to ask for them. */
const usualMax = 16_384;

export interface ConnectionBounds {
  /** The number for which there are descriptors. */
  readonly max: number;
  readonly usual: number;
  readonly refusedMax: number;
}

/**
 * How many of the descriptors that a process may open are for callers' connections. Each of these may need one to a
 * provider as well, and refused connections need some too.
 */
export function connectionBounds(descriptorsMax: number): ConnectionBounds {
  const open = descriptorsForCallers(descriptorsMax);
  const max = Math.floor(open * 0.4);
  return { max, usual: Math.min(usualMax, max), refusedMax: Math.min(usualMax, Math.floor(open * 0.2)) };
}
