// The streaming case: many streams at once through each subject. It measures tokens per second, time to the first
// token, processor time and memory.
import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/process.ts';
import { type BenchFormat, benchFormats } from './client-calls.ts';
import { type Cores, cpuSeconds, type Pinned, residentMiB, startPinned } from './cores.ts';
import { chatPath, type Measurement } from './load.ts';
import type { StreamLoad } from './stream-load.ts';
import type { Subject } from './subjects.ts';

const run = promisify(execFile);
export const streams = 200;
const tokensPerStream = 100;
const tokenMs = 5;
/** Streams that stay open with one token each, to measure the memory of an open stream. */
const openStreams = 1000;
const quietTokenMs = 60_000;

interface StreamReport {
  readonly tokens: number;
  readonly completed: number;
  readonly broken: number;
  readonly firstP50: number;
  readonly firstP99: number;
}

export interface StreamUpstream extends Pinned {
  readonly port: number;
}

export function startStreamUpstream(cores: Cores): Promise<StreamUpstream> {
  return startUpstream(cores, tokenMs);
}

/** Starts an upstream whose streams begin and then pause. */
export function startHoldingUpstream(cores: Cores): Promise<StreamUpstream> {
  return startUpstream(cores, quietTokenMs);
}

async function startUpstream(cores: Cores, msPerToken: number): Promise<StreamUpstream> {
  const port = await freePort();
  const program = join(import.meta.dirname, 'stream-upstream.ts');
  const command = [process.execPath, program, String(port), String(tokensPerStream), String(msPerToken)];
  return { ...(await startPinned(cores.load, port, command)), port };
}

/**
 * Figures are per token; p50Ms and p99Ms are the time to the first token.
 * @throws Error if a stream broke or ended without its last event
 */
export async function putUnderStreams(subject: Subject, options: StreamOptions): Promise<Measurement> {
  const { core, seconds, model, format = 'chatCompletions', streams: open = streams } = options;
  const { path, body, tokenMarks, doneMark } = benchFormats[format];
  const { port, headers } = subject;
  const load: StreamLoad = {
    ...{ port, headers, streams: open, seconds, tokenMarks, doneMark },
    path: path(model, true),
    body: JSON.stringify(body('Hello', { model, stream: true })),
  };
  const program = join(import.meta.dirname, 'stream-load.ts');
  const before = cpuSeconds(subject.pid);
  const { stdout } = await run('taskset', ['-c', String(core), process.execPath, program, JSON.stringify(load)]);
  const cpu = cpuSeconds(subject.pid) - before;
  const report = JSON.parse(stdout) as StreamReport;
  if (report.broken > 0 || report.completed === 0) {
    throw new Error(`${subject.name}: only whole streams count, and this run had ${stdout}`);
  }
  return {
    perSecond: report.tokens / seconds,
    cpuMicroseconds: (cpu / report.tokens) * 1e6,
    cpuShare: cpu / seconds,
    p50Ms: report.firstP50,
    p99Ms: report.firstP99,
    residentMiB: residentMiB(subject.pid),
  };
}

export interface StreamOptions {
  readonly core: number;
  readonly seconds: number;
  readonly model: string;
  /** Default: chat completions. */
  readonly format?: BenchFormat;
  /** Default: 200. */
  readonly streams?: number;
}

function streamBody(model: string): string {
  return JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] });
}

/** KiB of resident memory for an open stream, including the connections on both sides. */
export async function memoryPerStream(subject: Subject, model: string): Promise<number> {
  const before = residentMiB(subject.pid);
  const sockets: Socket[] = [];
  try {
    const opened = Array.from({ length: openStreams }, () => openStream(subject, model, sockets));
    await Promise.all(opened);
    return ((residentMiB(subject.pid) - before) * 1024) / openStreams;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Resolves with the stream's first bytes. */
function openStream({ port, headers }: Subject, model: string, sockets: Socket[]): Promise<void> {
  const body = streamBody(model);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`POST ${chatPath} HTTP/1.1`, 'host: 127.0.0.1', `content-length: ${body.length}`, ...lines];
  const socket = connect(port, '127.0.0.1', () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`));
  sockets.push(socket);
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('data', (chunk) => {
      if (chunk.includes(' 200 ')) resolve();
      else reject(new Error(chunk.toString()));
    });
  });
}
