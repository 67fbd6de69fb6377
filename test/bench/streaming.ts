// The streaming case: many streams at once through each subject; tokens per second, time to the first token, processor time and memory.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/process.ts';
import { type Cores, cpuSeconds, type Pinned, residentMiB, startPinned } from './cores.ts';
import type { Measurement } from './load.ts';
import type { Subject } from './subjects.ts';

const run = promisify(execFile);
export const streams = 200;
const tokensPerStream = 100;

interface StreamReport {
  readonly tokens: number;
  readonly completed: number;
  readonly broken: number;
  readonly firstP50: number;
  readonly firstP99: number;
}

export async function startStreamUpstream(cores: Cores): Promise<Pinned & { readonly port: number }> {
  const port = await freePort();
  const program = join(import.meta.dirname, 'stream-upstream.ts');
  const command = [process.execPath, program, String(port), String(tokensPerStream)];
  return { ...(await startPinned(cores.load, port, command)), port };
}

/** Per token; p50Ms and p99Ms are the time to the first token. @throws Error if a stream broke or ended without [DONE] */
export async function putUnderStreams(subject: Subject, core: number, seconds: number): Promise<Measurement> {
  const body = JSON.stringify({
    model: 'gpt-provider/gpt-4o-mini',
    stream: true,
    messages: [{ role: 'user', content: 'Hello' }],
  });
  const headers = Object.entries(subject.headers).map(([name, value]) => `${name}: ${value}`);
  const program = join(import.meta.dirname, 'stream-load.ts');
  const args = [String(subject.port), String(streams), String(seconds), body, ...headers];
  const before = cpuSeconds(subject.pid);
  const { stdout } = await run('taskset', ['-c', String(core), process.execPath, program, ...args]);
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
