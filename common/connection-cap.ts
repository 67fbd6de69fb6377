// Holds the connections of a program's callers to what there are descriptors for, so that its database, its files and its probes keep theirs:
// what is beyond that is closed at once, and no address takes all. For programs whose callers connect again by themselves and are few; the
// proxy's, which are told, have a part of their own.
import type { Server, Socket } from 'node:net';
import { addressGroup } from './caller-address.ts';
import { descriptorsForCallers } from './descriptors.ts';
import { countAcceptFailure } from './listen.ts';
import { HeldShare } from './shares.ts';

/** One address alone has four fifths. */
const alpha = 4;
/** More need memory that nobody has provided for. */
const usualMax = 16_384;

/** Of all listeners of a program together. @param descriptors that it may have open */
export function openConnectionShare(descriptors: number): HeldShare {
  return new HeldShare({
    capacity: Math.min(usualMax, Math.floor(descriptorsForCallers(descriptors) / 2)),
    alpha,
  });
}

/** @param addressOf who connected, as far as it is known. @returns whether the connection may stay; else it is closed */
export function admitConnection(
  share: HeldShare,
  socket: Socket,
  addressOf: (socket: Socket) => string,
): boolean {
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

/** Of a server that serves what it accepts. Before anything else that listens for its connections. */
export function capConnections(
  server: Server,
  share: HeldShare,
  addressOf: (socket: Socket) => string,
): void {
  const serving = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!admitConnection(share, socket, addressOf)) return;
    for (const listener of serving) listener.call(server, socket);
  });
}
