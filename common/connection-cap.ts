// Limits the connections of a program's callers to the available file descriptors, so that its database, files and
// probes keep theirs. Connections above the limit are closed at once, and no single address gets all of them. For
// programs with few callers that reconnect automatically; the proxy has its own limit, because it reports the refusal
// to its callers.
import type { Server, Socket } from 'node:net';
import { addressGroup } from './caller-address.ts';
import { descriptorsForCallers } from './descriptors.ts';
import { countAcceptFailure } from './listen.ts';
import { OccupiedShare } from './shares.ts';

/** One address alone gets four fifths. */
const alpha = 4;
/** More connections would need memory that nobody has provided. */
const usualMax = 16_384;

/** The share for all listeners of a program together. @param descriptors how many descriptors the program may open */
export function openConnectionShare(descriptors: number): OccupiedShare {
  return new OccupiedShare({
    capacity: Math.min(usualMax, Math.floor(descriptorsForCallers(descriptors) / 2)),
    alpha,
  });
}

/**
 * @param addressOf the address of the caller, as far as it is known.
 * @returns whether the connection may stay; if not, it is closed
 */
export function admitConnection(share: OccupiedShare, socket: Socket, addressOf: (socket: Socket) => string): boolean {
  const group = addressGroup(addressOf(socket));
  const owner = { organization: group, key: group };
  if (!share.take(owner)) {
    countAcceptFailure();
    socket.on('error', () => undefined).destroy();
    return false;
  }
  socket.once('close', () => share.give(owner));
  return true;
}

/** For a server that serves the connections that it accepts. Call before anything else listens for its connections. */
export function capConnections(server: Server, share: OccupiedShare, addressOf: (socket: Socket) => string): void {
  const serving = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!admitConnection(share, socket, addressOf)) return;
    for (const listener of serving) listener.call(server, socket);
  });
}
