// The load of the streaming case: a number of connections that each request one stream after another. It uses plain
// sockets, because a client library would cost more than the measured subject. Prints one line of JSON.
// Run: node test/bench/stream-load.ts <StreamLoad as JSON>
import { connect, type Socket } from 'node:net';

export interface StreamLoad {
  readonly port: number;
  readonly streams: number;
  readonly seconds: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Bytes of which each token of a stream contains one. */
  readonly tokenMarks: readonly string[];
  /** Bytes that only a finished stream contains. */
  readonly doneMark: string;
}

const load = JSON.parse(process.argv[2] ?? '') as StreamLoad;
const { port, streams, seconds, path, headers, body } = load;
const request = [
  `POST ${path} HTTP/1.1`,
  'host: 127.0.0.1',
  `content-length: ${Buffer.byteLength(body)}`,
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  '',
  body,
].join('\r\n');
const tokenMarks = load.tokenMarks.map((mark) => Buffer.from(mark));
const doneMark = Buffer.from(load.doneMark);
const lastChunk = Buffer.from('0\r\n\r\n');

let tokens = 0;
let completed = 0;
let broken = 0;
let stopping = false;
const firstTokenMs: number[] = [];

const sockets = Array.from({ length: streams }, () => openStream());
setTimeout(finish, seconds * 1000);

function openStream(): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  let requested = 0;
  let waiting = true;
  let done = false;
  const ask = () => {
    [requested, waiting, done] = [performance.now(), true, false];
    socket.write(request);
  };
  socket.once('connect', ask);
  socket.on('data', (chunk: Buffer) => {
    const count = tokenMarks.reduce((sum, mark) => sum + occurrences(chunk, mark), 0);
    tokens += count;
    if (count > 0 && waiting) {
      firstTokenMs.push(performance.now() - requested);
      waiting = false;
    }
    done ||= chunk.includes(doneMark);
    if (!chunk.subarray(-lastChunk.length).equals(lastChunk)) return;
    if (done) completed++;
    else broken++;
    if (!stopping) ask();
  });
  socket.once('close', () => {
    if (!stopping) broken++;
  });
  socket.once('error', () => undefined); // its close event counts
  return socket;
}

function occurrences(chunk: Buffer, mark: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(mark); at !== -1; at = chunk.indexOf(mark, at + mark.length)) count++;
  return count;
}

function finish(): void {
  stopping = true;
  const sorted = firstTokenMs.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)];
  console.log(JSON.stringify({ tokens, completed, broken, firstP50: at(0.5), firstP99: at(0.99) }));
  for (const socket of sockets) socket.destroy();
}
