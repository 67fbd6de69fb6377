// Closed-loop load by wrk, with a check of response bodies: a fast wrong response does not count.
import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { benchFormats } from './client-calls.ts';
import { cpuSeconds, residentMiB } from './cores.ts';
import type { Subject } from './subjects.ts';

/** A route of the subject. */
export interface Endpoint {
  readonly path: string;
  /** Whether a response's body contains the canned output. */
  readonly isCanned: (body: string) => boolean;
}

export interface LoadOptions {
  readonly core: number;
  readonly connections: number;
  readonly seconds: number;
  readonly bodyFile: string;
  /** The longest random pause of each connection before a request; default: no pause. */
  readonly pauseMs?: number;
  /** Default: chat completions. */
  readonly endpoint?: Endpoint;
}

/** Figures of requests, or of a stream's tokens; latencies of a stream are those of the first token. */
export interface Measurement {
  readonly perSecond: number;
  /** Processor time of the subject for each unit. Other work on the machine changes it less than the rate. */
  readonly cpuMicroseconds: number;
  /** The share of its core that the subject used. Far below 1, something else was the bottleneck. */
  readonly cpuShare: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentMiB: number;
}

/**
 * The pause with which 32 connections make about a thousand requests a second. The control plane shares its core with the
 * load: a proxy that is called as fast as it responds makes more usage than that control plane takes, and then keeps it.
 */
export const pacedMs = 60;

interface WrkReport {
  readonly requests: number;
  readonly microseconds: number;
  /** Responses with another status than 2xx or 3xx. */
  readonly refused: number;
  readonly broken: number;
  readonly p50: number;
  readonly p99: number;
}

export const chatPath = benchFormats.chatCompletions.path();
const chatEndpoint: Endpoint = { path: chatPath, isCanned: benchFormats.chatCompletions.isCanned };
const script = join(import.meta.dirname, 'wrk.lua');
const run = promisify(execFile);

/** @throws Error if any response was not 2xx or any connection broke */
export async function putUnderLoad(subject: Subject, options: LoadOptions): Promise<Measurement> {
  const before = cpuSeconds(subject.pid);
  const report = await wrk(subject, options);
  const cpu = cpuSeconds(subject.pid) - before;
  if (report.refused > 0 || report.broken > 0 || report.requests === 0) {
    throw new Error(`${subject.name}: only good responses count, and this run had ${JSON.stringify(report)}`);
  }
  return {
    perSecond: (report.requests / report.microseconds) * 1e6,
    cpuMicroseconds: (cpu / report.requests) * 1e6,
    cpuShare: (cpu / report.microseconds) * 1e6,
    p50Ms: report.p50 / 1000,
    p99Ms: report.p99 / 1000,
    residentMiB: residentMiB(subject.pid),
  };
}

/** A subject that is alone on its core uses nearly all of it. */
const almostAll = 0.75;

/** A subject that gets a tenth of its core, or is not busy, is warm after ten times as long. */
const warmUpsMax = 10;

/**
 * Measures after a warm-up, and checks responses before and after the measurement. The warm-up lasts as many seconds of the
 * subject's processor time, because a busy machine gives it less than a core, and then code is not compiled yet.
 * @param body the content of bodyFile
 */
export async function measureWarm(
  subject: Subject,
  load: LoadOptions & { readonly warmUpSeconds: number; readonly body: string },
): Promise<Measurement> {
  await checkBodies(subject, load.body, load.endpoint);
  const seconds = load.warmUpSeconds;
  let warmUps = 0;
  for (let used = 0; used < almostAll * seconds && warmUps < warmUpsMax; warmUps++)
    used += (await putUnderLoad(subject, { ...load, seconds })).cpuShare * seconds;
  const measurement = await putUnderLoad(subject, load);
  await checkBodies(subject, load.body, load.endpoint);
  return measurement;
}

async function wrk(subject: Subject, options: LoadOptions): Promise<WrkReport> {
  const { path } = options.endpoint ?? chatEndpoint;
  const { stdout } = await run('taskset', [
    ...['-c', String(options.core), 'wrk', '-t1', `-c${options.connections}`, `-d${options.seconds}s`],
    ...['--timeout', '10s', '-s', script, `http://127.0.0.1:${subject.port}${path}`],
    ...['--', options.bodyFile, String(options.pauseMs ?? 0), ...Object.entries(subject.headers).flat()],
  ]);
  const line = /^\{.*\}$/m.exec(stdout)?.[0];
  if (line === undefined) throw new Error(`wrk gave no report:\n${stdout}`);
  return JSON.parse(line) as WrkReport;
}

/** @throws Error unless each of twenty responses is the expected one */
export async function checkBodies(subject: Subject, body: string, endpoint = chatEndpoint): Promise<void> {
  for (let i = 0; i < 20; i++) {
    const { status, text } = await post(subject, endpoint.path, body);
    if (status !== 200 || !endpoint.isCanned(text)) {
      throw new Error(`${subject.name} returned ${status} with another body: ${text.slice(0, 300)}`);
    }
  }
}

// Uses a new connection for each request, because a kept one might be closing after the load.
function post(subject: Subject, path: string, body: string): Promise<{ status: number | undefined; text: string }> {
  const { port, headers } = subject;
  return new Promise((resolve, reject) => {
    const options = { agent: false, host: '127.0.0.1', port, path, method: 'POST', headers };
    const sent = request(options, (response) => {
      readText(response).then((text) => resolve({ status: response.statusCode, text }), reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Returns a chat request of the given number of bytes. */
export function chatBody(model: string, bytes: number): string {
  const withContent = (content: string) => JSON.stringify({ model, messages: [{ role: 'user', content }] });
  return withContent('x'.repeat(bytes - withContent('').length));
}
