// The results as Markdown tables with a description of the machine, and as JSON in bench/results/tmp, which git ignores
// because the tables summarize it. Cases that show the gateway in a bad light stay in.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../support/process.ts';
import type { ClientsCase } from './clients.ts';
import { renderClients } from './clients-report.ts';
import { type ForwardResults, renderForward } from './forward-report.ts';
import type { GuardrailsCase } from './guardrails.ts';
import { renderGuardrails } from './guardrails-report.ts';
import type { HangUpsResult } from './hang-ups.ts';
import { renderHangUps } from './hang-ups-report.ts';
import type { LimitsResult } from './limits.ts';
import { renderLimits } from './limits-report.ts';
import type { Measurement } from './load.ts';
import { range, table } from './markdown.ts';
import { describePeers } from './peers.ts';
import type { RoutesResult } from './routes.ts';
import { renderRoutes } from './routes-report.ts';
import type { Startup } from './startup.ts';
import type { Spread } from './stats.ts';

export type Figures = Record<keyof Measurement, Spread>;

export interface CaseResult {
  readonly name: string;
  /** The unit that perSecond counts. */
  readonly unit: 'requests' | 'tokens';
  readonly subjects: Readonly<Record<string, Figures>>;
}

export interface MemoryResult {
  readonly subject: string;
  readonly vendor: string;
  readonly kibPerStream: number;
}

export interface Results {
  readonly machine: Machine;
  readonly passes: number;
  readonly seconds: number;
  readonly cases: readonly CaseResult[];
  readonly limits: LimitsResult;
  readonly hangUps: HangUpsResult;
  readonly routes: RoutesResult;
  readonly guardrails: readonly GuardrailsCase[];
  readonly clients: readonly ClientsCase[];
  readonly forward: ForwardResults;
  /** The memory of open streams. */
  readonly memory: readonly MemoryResult[];
  readonly startup: Startup;
}

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
  readonly commit: string;
  readonly date: string;
  /** The load average before the run. Above 0.5 another program was running, and the figures are less reliable. */
  readonly loadBefore: number;
}

export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    node: process.version,
    commit: commit(),
    date: new Date().toISOString(),
    loadBefore: loadavg()[0] ?? Number.NaN,
  };
}

function commit(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8' }).trim();
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with changes');
  } catch {
    return 'unknown';
  }
}

/** Writes bench/results/<date>.md and bench/results/tmp/<date>.json. @returns the Markdown */
export function writeResults(results: Results): string {
  return saveResults('', results, render(results));
}

/** Writes other results in the same way: <date><suffix>. */
export function saveResults(suffix: string, results: { readonly machine: Machine }, markdown: string): string {
  const directory = join(projectRoot, 'bench/results');
  const name = results.machine.date.slice(0, 10) + suffix;
  mkdirSync(join(directory, 'tmp'), { recursive: true });
  writeFileSync(join(directory, 'tmp', `${name}.json`), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(join(directory, `${name}.md`), markdown);
  return markdown;
}

/** Writes the results of chat requests alone: <date>-chat. */
export function writeChat(results: Pick<Results, 'machine' | 'passes' | 'seconds' | 'cases'>): string {
  const lines = [...renderHead(results), ...renderLegend(results.cases), ...results.cases.flatMap(renderCase)];
  return saveResults('-chat', results, lines.join('\n'));
}

/** Writes the results of guardrails alone: <date>-guardrails. */
export function writeGuardrails(results: Pick<Results, 'machine' | 'passes' | 'seconds' | 'guardrails'>): string {
  const lines = [...renderHead(results), ...renderGuardrails(results.guardrails)];
  return saveResults('-guardrails', results, lines.join('\n'));
}

/** Writes the results of clients' formats alone: <date>-clients. */
export function writeClients(results: Pick<Results, 'machine' | 'passes' | 'seconds' | 'clients'>): string {
  const lines = [...renderHead(results), ...renderClients(results.clients)];
  return saveResults('-clients', results, lines.join('\n'));
}

/** Writes the results of hang-ups alone: <date>-hang-ups. */
export function writeHangUps(results: Pick<Results, 'machine' | 'passes' | 'seconds' | 'hangUps'>): string {
  const lines = [...renderHead(results), ...renderHangUps(results.hangUps)];
  return saveResults('-hang-ups', results, lines.join('\n'));
}

/** Writes the results of routes alone: <date>-routes. */
export function writeRoutes(results: Pick<Results, 'machine' | 'passes' | 'seconds' | 'routes'>): string {
  const lines = [...renderHead(results), ...renderRoutes(results.routes)];
  return saveResults('-routes', results, lines.join('\n'));
}

/** Writes the results of sidecars alone: <date>-forward. */
export function writeForward(results: Pick<Results, 'machine' | 'passes' | 'seconds' | 'forward'>): string {
  const lines = [...renderHead(results), ...renderForward(results.forward)];
  return saveResults('-forward', results, lines.join('\n'));
}

function renderHead({ machine, passes, seconds }: Pick<Results, 'machine' | 'passes' | 'seconds'>) {
  return [
    `# Benchmark of ${machine.date.slice(0, 10)}`,
    '',
    `${machine.processor}, ${machine.cores} cores, Node ${machine.node}, commit ${machine.commit}, load before the run ` +
      `${machine.loadBefore.toFixed(2)}. Each subject alone on one core, load and upstream on another; ` +
      `median of ${passes} passes of ${seconds} s (least to most).`,
    '',
  ];
}

function render(results: Results): string {
  const { cases, limits, hangUps, routes, guardrails, clients, forward, memory, startup } = results;
  const lines = [
    ...renderHead(results),
    ...renderLegend(cases),
    ...cases.flatMap(renderCase),
    ...renderLimits(limits),
    ...renderHangUps(hangUps),
    ...renderRoutes(routes),
    ...renderGuardrails(guardrails),
    ...renderClients(clients),
    ...renderForward(forward),
    '## Start and memory',
    '',
    `Start to the first 200 on /readyz: ${range(startup.coldStartMs, 0)} ms; Node alone ${range(startup.nodeStartMs, 0)} ms. ` +
      `Processor time: ${startup.coldCpuMs.toFixed(0)} and ${startup.nodeCpuMs.toFixed(0)} ms. ` +
      `Idle: ${startup.idleMiB.toFixed(0)} MiB resident.`,
    '',
    'Resident memory of an open stream, its two connections included: ' +
      memory
        .map(({ subject, vendor, kibPerStream }) => `${subject} (${vendor}) ${kibPerStream.toFixed(0)} KiB`)
        .join(', ') +
      '.',
    '',
  ];
  return lines.join('\n');
}

function renderLegend(cases: readonly CaseResult[]): readonly string[] {
  const hasPeers = cases.some(({ subjects }) => Object.keys(subjects).some((subject) => !own.has(subject)));
  return [
    'limit = nginx as reverse proxy · floor = node:net piped to node:net, ends of messages found · bare = node:http piped to ' +
      `undici, no parsing. ${hasPeers ? `${describePeers()}. ` : ''}CPU µs = processor time of the subject for each. ` +
      'Share = how much of its core the subject had.',
    '',
  ];
}

const own: ReadonlySet<string> = new Set(['gateway', 'limit', 'floor', 'bare']);

function renderCase({ name, unit, subjects }: CaseResult): readonly string[] {
  const yardsticks = Object.keys(subjects).filter((subject) => subject !== 'gateway');
  const latency = unit === 'tokens' ? 'first token' : 'latency';
  const head = [
    'subject',
    `${unit}/s`,
    ...yardsticks.map((yardstick) => `÷ ${yardstick}`),
    'CPU µs each',
    'share',
    `${latency} p50 ms`,
    'p99 ms',
    'MiB',
  ];
  const rows = Object.entries(subjects).map(([subject, figures]) => [
    subject,
    range(figures.perSecond, 0),
    ...yardsticks.map((yardstick) => {
      const base = subjects[yardstick]?.perSecond.median ?? Number.NaN;
      return (figures.perSecond.median / base).toFixed(2);
    }),
    figures.cpuMicroseconds.median.toFixed(1),
    figures.cpuShare.median.toFixed(2),
    figures.p50Ms.median.toFixed(2),
    figures.p99Ms.median.toFixed(2),
    figures.residentMiB.median.toFixed(0),
  ]);
  return [`## ${name}`, '', ...table(head, rows), ''];
}
