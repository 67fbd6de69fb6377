// Runs hundreds of hostile providers: responses of any bytes, at any pace, with any end, from a seed. In any case the
// caller receives in time an error envelope, a correct response or a broken connection, and the access log reports
// which one.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../support/access/random.ts';
import { chatBody, startGateway, type TestGateway } from '../support/gateway.ts';
import { type Observed, observe } from '../support/observe.ts';
import { startRawUpstream } from '../support/raw-upstream.ts';
import { metric } from '../support/telemetry.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly cases: number;
}

const atATime = 16;
const limits = { firstByteMs: 300, totalMs: 1200 };
/** Extra time after the total time-out: the watchdog checks four times a second, and the machine may be busy. */
const slackMs = 3000;

/** @returns how often each outcome was seen @throws Error that names the first case which breaks an invariant */
export async function fuzzUpstream({ seed, cases }: FuzzOptions): Promise<ReadonlyMap<string, number>> {
  const outcomes = new Map<string, number>();
  const gateway = await startGateway();
  const upstream = await startRawUpstream((socket, body) => play(socket, planOf(numberIn(body))));
  try {
    const proxy = await gateway.startProxy({
      ...upstream.settings,
      GATEWAY_FIRST_BYTE_TIMEOUT: `${limits.firstByteMs}ms`,
      GATEWAY_IDLE_TIMEOUT: `${limits.firstByteMs}ms`,
      GATEWAY_TOTAL_TIMEOUT: `${limits.totalMs}ms`,
      GATEWAY_EVENT_BYTES_MAX: '2KiB',
      GATEWAY_ANSWER_BYTES_MAX: '8KiB',
    });
    const { value: key } = await gateway.organization.createKey();
    let next = seed;
    const worker = async () => {
      for (let number = next++; number < seed + cases; number = next++) {
        const outcome = await runCase(gateway, { number, url: proxy.url, key });
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: atATime }, worker));
    for (const name of ['gateway_in_flight_requests', 'gateway_buffered_bytes']) {
      const left = await metric(proxy, name);
      if (left !== 0) throw new Error(`${name} is ${left} when all is over`);
    }
    const thrown = gateway.logs.find((line) => line.includes('the request path threw'));
    if (thrown !== undefined) throw new Error(thrown);
    return outcomes;
  } finally {
    await gateway.close();
    await upstream.close();
  }
}

interface Case {
  readonly number: number;
  readonly url: string;
  readonly key: string;
}

async function runCase(gateway: TestGateway, { number, url, key }: Case): Promise<string> {
  const { stream } = planOf(number);
  const started = performance.now();
  const seen = await observe(gateway, `${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: chatBody({ stream, user: `case ${number}` }),
  });
  const took = performance.now() - started;
  const problem =
    took > limits.totalMs + slackMs ? `took ${Math.round(took)} ms` : (problemOf(seen, stream) ?? lineProblem(seen));
  if (problem !== undefined) {
    const { status, end, body, line } = seen;
    throw new Error(`case ${number}: ${problem}\n${JSON.stringify({ status, end, body, line }, undefined, 1)}`);
  }
  const kind = stream ? 'stream' : 'whole';
  return `${kind} ${seen.status}${seen.end === 'cut' ? ' cut' : ''} ${String(seen.line.error_code ?? 'ok')}`;
}

/** Returns the problem with the response that the caller received, if any. */
function problemOf(seen: Observed, stream: boolean): string | undefined {
  if (seen.status !== 200) return envelopeProblem(seen);
  if (!stream) return seen.end === 'cut' ? 'a whole response broke off' : responseProblem(seen.body);
  const isMarked = lastData(seen.body) === '[DONE]';
  if (seen.end === 'clean') return isMarked ? undefined : 'a clean end without the end marker';
  if (seen.error === undefined) return 'cut without an error event';
  return isMarked ? 'cut though the end marker was passed' : undefined;
}

/** Returns the data of the last event, parsed as a browser would. */
function lastData(body: string): string | undefined {
  const lines =
    body
      .replaceAll(/\r\n|\r/g, '\n')
      .split('\n\n')
      .at(-2)
      ?.split('\n') ?? [];
  const data = lines.map((line) => /^data(?:: ?(.*))?$/.exec(line)?.[1]).filter((text) => text !== undefined);
  return data.length === 0 ? undefined : data.join('\n');
}

function envelopeProblem({ status, end, headers, error }: Observed): string | undefined {
  if (status < 400 || status > 599) return `status ${status}`;
  if (end === 'cut') return 'an envelope that broke off';
  if (typeof error?.message !== 'string' || typeof error.type !== 'string') return 'no envelope';
  const isReported = ['gateway', 'provider'].includes(headers.get('x-svc-error-source') ?? '');
  return isReported ? undefined : 'no error source in the headers';
}

function responseProblem(body: string): string | undefined {
  try {
    return Array.isArray((JSON.parse(body) as { choices: unknown }).choices) ? undefined : 'no completion';
  } catch {
    return 'no JSON';
  }
}

/** Returns the problem with the line of the access log, if any. */
function lineProblem({ status, end, line }: Observed): string | undefined {
  if (line.error_code === 'internal_error') return 'a provider led to internal_error';
  // There is one target: it gets a request again only if its kept connection turned out to be closed.
  if (line.attempts !== 1 && line.attempts !== 2) return `${String(line.attempts)} attempts in the log`;
  const parsed = line.error_source !== undefined;
  if (end === 'cut')
    return parsed && Number(line.status) >= 400 ? undefined : 'a cut response that is not logged as an error';
  if (line.status !== status) return `status ${String(line.status)} in the log`;
  return parsed === (status !== 200) ? undefined : 'an error source in the log that does not fit';
}

interface Plan {
  readonly stream: boolean;
  /** The pieces to write, each after its delay. */
  readonly pieces: readonly { readonly bytes: Buffer; readonly delayMs: number }[];
  readonly end: 'close' | 'reset' | 'keep';
}

function numberIn(body: Buffer): number {
  return Number(/"user":"case (\d+)"/.exec(body.toString())?.[1]);
}

async function play(socket: Socket, { pieces, end }: Plan): Promise<void> {
  for (const { bytes, delayMs } of pieces) {
    if (delayMs > 0) await sleep(delayMs);
    if (socket.destroyed) return;
    socket.write(bytes);
  }
  if (end === 'close') socket.end();
  else if (end === 'reset') socket.resetAndDestroy();
}

/** Returns the same plan for the same number, independent of other cases. */
function planOf(number: number): Plan {
  const random = new Random(number * 7919);
  const stream = random.chance(0.6);
  let bytes = responseOf(random, stream);
  for (let times = random.pick([0, 0, 0, 1, 1, 2, 5]); times > 0; times--) bytes = mutated(random, bytes);
  return {
    stream,
    pieces: cut(random, bytes),
    end: random.pick(['close', 'close', 'reset', 'keep', 'keep', 'keep']),
  };
}

function responseOf(random: Random, stream: boolean): Buffer {
  if (random.chance(0.03)) return noise(random, 600);
  const body = stream ? streamBody(random) : wholeBody(random);
  const status = random.pick([200, 200, 200, 200, 200, 200, 100 + random.below(500), random.below(1000)]);
  const type = stream ? 'text/event-stream' : 'application/json';
  const head = [
    `HTTP/1.1 ${status} ${random.pick(['OK', '', 'So What'])}`,
    `content-type: ${random.chance(0.95) ? type : 'text/html'}`,
    ...Array.from({ length: random.pick([0, 0, 0, 1, 2]) }, () => oddHeader(random)),
  ];
  const framing = random.pick(['length', 'length', 'chunked', 'chunked', 'close', 'wrong length']);
  if (framing === 'chunked') return wire([...head, 'transfer-encoding: chunked'], chunked(random, body));
  if (framing === 'close') return wire([...head, 'connection: close'], body);
  const length = body.length + (framing === 'length' ? 0 : random.below(40) - 20);
  return wire([...head, `content-length: ${Math.max(0, length)}`], body);
}

function wire(head: readonly string[], body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

function chunked(random: Random, body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const size = Math.min(body.length - at, 1 + random.below(random.pick([3, 50, 2000])));
    parts.push(Buffer.from(`${size.toString(16)}\r\n`), body.subarray(at, at + size), Buffer.from('\r\n'));
    at += size;
  }
  return Buffer.concat([...parts, Buffer.from(random.chance(0.9) ? '0\r\n\r\n' : '')]);
}

function wholeBody(random: Random): Buffer {
  const content = 'w'.repeat(random.pick([0, 10, 300, 3000, 9000]));
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  const error = {
    message: 'no',
    type: 'x',
    param: random.pick([null, 'a', 7]),
    code: random.pick([null, 'b', 9]),
  };
  const value = random.pick([
    { choices, usage: usage(random) },
    { choices },
    { choices },
    { choices },
    { error },
    { error: 'no' },
    [],
  ]);
  return Buffer.from(JSON.stringify(value));
}

function streamBody(random: Random): Buffer {
  const lineEnd = random.pick(['\n', '\n', '\n', '\r\n', '\r']);
  const event = () =>
    random.pick([
      () =>
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'w'.repeat(random.pick([1, 30, 2500])) } }] })}`,
      () => `data: ${JSON.stringify({ choices: [], usage: usage(random) })}`,
      () => ': comment',
      () => 'event: ping',
      () => `data: ${JSON.stringify({ error: random.pick([{ message: 'no', code: 'x' }, 'no', null, []]) })}`,
      () => 'data: not JSON',
      () => `data: "error" "usage"`,
    ]);
  const events = Array.from({ length: random.below(6) }, () => event()());
  const end = random.pick(['data: [DONE]', 'data: [DONE]', 'data:[DONE]', 'data: [DONE] ', 'data: done', ': no end']);
  const blank = lineEnd + lineEnd;
  return Buffer.from(
    [...events, end].join(blank) + random.pick([blank, blank, blank, lineEnd, `${blank}data: more${blank}`]),
  );
}

function usage(random: Random): unknown {
  return random.pick<unknown>([null, 7, [], {}, { prompt_tokens: 1, completion_tokens: 2 }, { prompt_tokens: -1 }]);
}

function oddHeader(random: Random): string {
  return random.pick([
    ...['content-encoding: gzip', 'content-encoding: identity', 'retry-after: 1e99', 'retry-after-ms: Infinity'],
    ...['content-type: text/plain', 'x-request-id: \x80\xff', 'x-ratelimit-reset-tokens: 6m0s', 'connection: close'],
    ...[
      `x-filler: ${'h'.repeat(random.pick([10, 20_000, 40_000]))}`,
      'upgrade: h2c',
      'trailer: x',
      'no colon',
      ' folded',
    ],
  ]);
}

function mutated(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  const to = Math.min(bytes.length, at + random.below(random.pick([2, 10, 200])));
  const change = random.pick(['flip', 'insert', 'delete', 'repeat', 'truncate']);
  if (change === 'truncate') return bytes.subarray(0, at);
  if (change === 'delete') return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
  if (change === 'repeat') return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]);
  const rest = bytes.subarray(change === 'flip' ? Math.min(bytes.length, at + 1) : at);
  return Buffer.concat([bytes.subarray(0, at), noise(random, change === 'flip' ? 1 : 20), rest]);
}

function noise(random: Random, max: number): Buffer {
  return Buffer.from(Array.from({ length: 1 + random.below(max) }, () => random.below(256)));
}

function cut(random: Random, bytes: Buffer): Plan['pieces'] {
  const count = random.pick([1, 1, 2, 3, 10]);
  const locations = Array.from({ length: count - 1 }, () => random.below(bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...locations].map((from, index) => ({
    bytes: bytes.subarray(from, locations[index] ?? bytes.length),
    delayMs: random.pick([0, 0, 0, 1, 10, 60]),
  }));
}
