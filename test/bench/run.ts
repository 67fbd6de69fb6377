// `npm run bench [-- --quick] [--peer] [--only guardrails | clients | forward | hang-ups | routes | tags]`: the gateway beside its
// yardsticks, in one run on one machine, because only ratios within one run are meaningful. Each measurement has its own
// process, alone on its core.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPrograms } from '../../scripts/build.ts';
import { type CannedVendor, canned } from './canned.ts';
import { measureClientStreams, measureClients } from './clients.ts';
import { chooseCores } from './cores.ts';
import { measureForward, measureForwardedStreams } from './forward.ts';
import type { ForwardResults } from './forward-report.ts';
import { type BenchGateway, startGateway } from './gateway.ts';
import { measureGuardedStreams, measureGuardrails } from './guardrails.ts';
import { measureHangUps } from './hang-ups.ts';
import { measureLimits } from './limits.ts';
import { chatBody, measureWarm } from './load.ts';
import { slowPath, startUpstream } from './nginx.ts';
import { inPasses, passes } from './passes.ts';
import {
  type CaseResult,
  describeMachine,
  type MemoryResult,
  writeClients,
  writeForward,
  writeGuardrails,
  writeHangUps,
  writeResults,
  writeRoutes,
} from './report.ts';
import { measureRoutes } from './routes.ts';
import { measureStartup } from './startup.ts';
import { memoryPerStream, putUnderStreams, startHoldingUpstream, startStreamUpstream, streams } from './streaming.ts';
import { bare, limit, peer, type SubjectStarter } from './subjects.ts';
import { measureTags } from './tags.ts';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    peer: { type: 'boolean', default: false },
    /** Measures only this section. */
    only: { type: 'string', default: 'all' },
  },
});
const sections: Readonly<Record<string, () => Promise<string>>> = {
  all: measureAll,
  guardrails: measureGuardrailsAlone,
  clients: measureClientsAlone,
  forward: measureForwardAlone,
  'hang-ups': measureHangUpsAlone,
  routes: measureRoutesAlone,
  tags: measureTagsAlone,
};
const section = sections[flags.only];
if (section === undefined) throw new Error(`--only takes ${Object.keys(sections).slice(1).join(' or ')}`);
const seconds = flags.quick ? 2 : 10;
/** The JIT compiles the code of a request for seconds; an earlier measurement would include the compiler. */
const warmUpSeconds = flags.quick ? 6 : 10;
/** A stream lasts half a second or more; some must end within a measurement. */
const streamSeconds = 5;

interface ChatCase {
  readonly name: string;
  readonly vendor: CannedVendor;
  readonly bodyBytes: number;
  readonly connections: number;
}

const kib = 1024;
const chatCases: readonly ChatCase[] = [
  ...[
    [1, 32],
    [1, 256],
    [16, 32],
    [256, 32],
  ].map(([size = 1, connections = 32]) => ({
    name: `chat, body ${size} KiB, ${connections} connections`,
    vendor: 'gpt-provider' as const,
    bodyBytes: size * kib,
    connections,
  })),
  ...(['assistant-provider', 'search-provider', 'managed-cloud-models'] as const).map((vendor) => ({
    name: `chat translated for ${vendor}, body 1 KiB, 32 connections`,
    vendor,
    bodyBytes: kib,
    connections: 32,
  })),
];

const vendors = Object.keys(canned) as readonly CannedVendor[];
const machine = describeMachine();
const cores = chooseCores();
execFileSync('taskset', ['-apc', String(cores.load), String(process.pid)], { stdio: 'ignore' });
const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-run-'));
const bundles = await buildPrograms(join(directory, 'dist'), ['proxy', 'control-plane']);
try {
  console.log(await section());
} finally {
  rmSync(directory, { recursive: true });
}

async function measureAll(): Promise<string> {
  const chat = await withGateway(await startUpstream(cores.load), async (gateway, port) => {
    const yardsticks = [limit(cores, port), bare(cores, port), ...(flags.peer ? [peer(cores, port)] : [])];
    const subjects = [gatewayAsSubject(gateway), ...yardsticks];
    const cases: CaseResult[] = [];
    for (const one of chatCases) cases.push(await measureChat(one, subjects));
    const limits = await measureLimits(optionsOf(gateway));
    const guardrails = await measureGuardrails(optionsOf(gateway));
    const clients = await measureClients(optionsOf(gateway));
    const hangUps = await measureHangUps({ ...optionsOf(gateway), slowUrl: slowUrl(port) });
    const routes = await measureRoutes(optionsOf(gateway));
    return { cases, limits, guardrails, clients, hangUps, routes, startup: await measureStartup(gateway, cores) };
  });
  const streaming = await withGateway(await startStreamUpstream(cores), async (gateway, port) => {
    const cases: CaseResult[] = [];
    for (const vendor of vendors) {
      cases.push(await measureStreaming(vendor, [gatewayAsSubject(gateway), bare(cores, port)]));
    }
    const guardrails = await measureGuardedStreams(streamOptionsOf(gateway));
    return { cases, guardrails, clients: await measureClientStreams(streamOptionsOf(gateway)) };
  });
  const forward = await measureSidecars();
  const memory = await withGateway(await startHoldingUpstream(cores), (gateway, port) =>
    measureMemory([gatewayAsSubject(gateway), bare(cores, port)]),
  );
  const { limits, hangUps, routes, startup } = chat;
  return writeResults({
    ...{ machine, passes, seconds, limits, hangUps, routes, forward, memory, startup },
    cases: [...chat.cases, ...streaming.cases],
    guardrails: [...chat.guardrails, ...streaming.guardrails],
    clients: [...chat.clients, ...streaming.clients],
  });
}

async function measureGuardrailsAlone(): Promise<string> {
  const chat = await withGateway(await startUpstream(cores.load), (gateway) => measureGuardrails(optionsOf(gateway)));
  const streamed = await withGateway(await startStreamUpstream(cores), (gateway) =>
    measureGuardedStreams(streamOptionsOf(gateway)),
  );
  return writeGuardrails({ machine, passes, seconds, guardrails: [...chat, ...streamed] });
}

async function measureClientsAlone(): Promise<string> {
  const whole = await withGateway(await startUpstream(cores.load), (gateway) => measureClients(optionsOf(gateway)));
  const streamed = await withGateway(await startStreamUpstream(cores), (gateway) =>
    measureClientStreams(streamOptionsOf(gateway)),
  );
  return writeClients({ machine, passes, seconds, clients: [...whole, ...streamed] });
}

async function measureForwardAlone(): Promise<string> {
  return writeForward({ machine, passes, seconds, forward: await measureSidecars() });
}

async function measureHangUpsAlone(): Promise<string> {
  const hangUps = await withGateway(await startUpstream(cores.load), (gateway, port) =>
    measureHangUps({ ...optionsOf(gateway), slowUrl: slowUrl(port) }),
  );
  return writeHangUps({ machine, passes, seconds, hangUps });
}

async function measureRoutesAlone(): Promise<string> {
  const routes = await withGateway(await startUpstream(cores.load), (gateway) => measureRoutes(optionsOf(gateway)));
  return writeRoutes({ machine, passes, seconds, routes });
}

async function measureTagsAlone(): Promise<string> {
  return await withGateway(await startUpstream(cores.load), (gateway) => measureTags(optionsOf(gateway)));
}

function slowUrl(port: number): string {
  return `http://127.0.0.1:${port}${slowPath}${canned['assistant-provider'].path.slice(0, -1)}`;
}

async function measureSidecars(): Promise<ForwardResults> {
  const main = bundles.find(({ program }) => program === 'proxy')?.main ?? '';
  const chat = await withGateway(await startUpstream(cores.load), (gateway) =>
    measureForward({ ...optionsOf(gateway), main }),
  );
  const streamed = await withGateway(await startStreamUpstream(cores), (gateway) =>
    measureForwardedStreams({ ...streamOptionsOf(gateway), main }),
  );
  return { cases: [...chat.cases, streamed], idle: chat.idle };
}

function optionsOf(gateway: BenchGateway) {
  return { gateway, cores, directory, seconds, warmUpSeconds };
}

function streamOptionsOf(gateway: BenchGateway) {
  return { ...optionsOf(gateway), seconds: Math.max(seconds, streamSeconds), warmUpSeconds: streamSeconds };
}

async function withGateway<T>(
  upstream: { readonly port: number; stop(): Promise<void> },
  use: (gateway: BenchGateway, port: number) => Promise<T>,
): Promise<T> {
  const gateway = await startGateway(bundles, cores, upstream.port);
  try {
    return await use(gateway, upstream.port);
  } finally {
    await gateway.stop();
    await upstream.stop();
  }
}

function gatewayAsSubject(gateway: BenchGateway): SubjectStarter {
  return { name: 'gateway', start: () => gateway.startProxy() };
}

async function measureChat(one: ChatCase, subjects: readonly SubjectStarter[]) {
  const body = chatBody(canned[one.vendor].model, one.bodyBytes);
  const bodyFile = join(directory, 'body.json');
  writeFileSync(bodyFile, body);
  const { connections } = one;
  const load = { core: cores.load, connections, bodyFile, body, seconds, warmUpSeconds };
  const measured = await inPasses(one.name, subjects, (subject) => measureWarm(subject, load));
  return { name: one.name, unit: 'requests' as const, subjects: measured };
}

async function measureStreaming(vendor: CannedVendor, subjects: readonly SubjectStarter[]): Promise<CaseResult> {
  const translated = vendor === 'gpt-provider' ? '' : ` translated for ${vendor}`;
  const name = `${streams} streams at once${translated}, a token each 5 ms`;
  const { model } = canned[vendor];
  const measured = await inPasses(name, subjects, async (subject) => {
    await putUnderStreams(subject, { core: cores.load, seconds: streamSeconds, model });
    return putUnderStreams(subject, { core: cores.load, seconds: Math.max(seconds, streamSeconds), model });
  });
  return { name, unit: 'tokens', subjects: measured };
}

async function measureMemory(starters: readonly SubjectStarter[]): Promise<MemoryResult[]> {
  const results: MemoryResult[] = [];
  for (const vendor of vendors) {
    for (const starter of starters) {
      // Bare translates nothing, so one row of it is enough.
      if (starter.name === 'bare' && vendor !== 'gpt-provider') continue;
      const subject = await starter.start();
      try {
        const kibPerStream = await memoryPerStream(subject, canned[vendor].model);
        results.push({ subject: starter.name, vendor, kibPerStream });
      } finally {
        await subject.stop();
      }
    }
  }
  return results;
}
