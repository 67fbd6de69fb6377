// The yardstick "floor": the smallest pipe from node:net to node:net that finds the ends of heads and bodies, with a pool of
// connections to the upstream. It checks and limits nothing. No proxy written for Node can be faster.
// Run: node test/bench/floor.ts <port> <upstream origin>
import { connect, createServer, type Socket } from 'node:net';

const [port, origin = ''] = process.argv.slice(2);
const upstream = new URL(origin);
const idle: Socket[] = [];
const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('0\r\n\r\n');

createServer({ noDelay: true }, (caller) => {
  let sent: Socket | undefined;
  const over = { request: false, response: false, isKept: true };
  // An upstream may respond before it has read the whole request; wrk then sends its next one into the middle of it.
  let early: Buffer[] = [];
  const ended = () => {
    if (!over.request || !over.response) return;
    if (over.isKept && sent !== undefined) idle.push(sent);
    sent = undefined;
    over.request = over.response = false;
  };
  const readRequest = messageReader(() => {
    over.request = true;
    for (const piece of early) caller.write(piece);
    early = [];
    ended();
  });
  const readResponse = messageReader((isKept) => {
    over.response = true;
    over.isKept = isKept;
    ended();
  });
  const onResponse = (piece: Buffer) => {
    if (over.request) caller.write(piece);
    else early.push(piece);
    readResponse(piece);
  };
  caller.on('data', (piece: Buffer) => {
    sent ??= (idle.pop() ?? connectUpstream()).removeAllListeners('data').on('data', onResponse);
    sent.write(piece);
    readRequest(piece);
  });
  caller.on('error', () => caller.destroy()).on('close', () => sent?.destroy());
}).listen(Number(port), '127.0.0.1');

/** Calls `onEnd` at the end of each message: after as many bytes as its Content-Length, or after its last chunk. */
function messageReader(onEnd: (isKept: boolean) => void): (piece: Buffer) => void {
  let head: Buffer | undefined;
  let isInBody = false;
  let isKept = true;
  let left = 0;
  return (piece) => {
    if (isInBody) {
      left -= piece.length;
    } else {
      head = head === undefined ? piece : Buffer.concat([head, piece]);
      const end = head.indexOf(headEnd);
      if (end === -1) return;
      const text = head.toString('latin1', 0, end);
      const length = /content-length: *(\d+)/i.exec(text)?.[1];
      isKept = !/connection: *close/i.test(text);
      left = length === undefined ? Number.POSITIVE_INFINITY : Number(length) - (head.length - end - headEnd.length);
      head = undefined;
    }
    const isOver = left === Number.POSITIVE_INFINITY ? piece.subarray(-lastChunk.length).equals(lastChunk) : left <= 0;
    isInBody = !isOver;
    if (isOver) onEnd(isKept);
  };
}

function connectUpstream(): Socket {
  const socket = connect({ port: Number(upstream.port), host: upstream.hostname, noDelay: true });
  return socket.on('error', () => socket.destroy());
}
