// `npm run bench [-- --quick] [--peers] [--only chat | guardrails | clients | forward | hang-ups | routes | tags]`: the gateway
// beside its yardsticks, in one run on one machine, because only ratios within one run are meaningful. Each measurement has
// its own process, alone on its core. `npm run bench -- peers` fetches other gateways; `npm run bench -- check` compares a short
// run with the committed figures.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPrograms } from '../../scripts/build.ts';
import { type CannedVendor, canned } from './canned.ts';
import { measureChat, measureStreaming, passedCases, translatedCases } from './chat.ts';
import { checkAgainstCommitted, checkedFigures, commitFigures } from './check.ts';
import { measureClientStreams, measureClients } from './clients.ts';
import { chooseCores } from './cores.ts';
import { measureForward, measureForwardedStreams } from './forward.ts';
import type { ForwardResults } from './forward-report.ts';
import { type BenchGateway, startGateway } from './gateway.ts';
import { measureGuardedStreams, measureGuardrails } from './guardrails.ts';
import { measureHangUps } from './hang-ups.ts';
import { measureLimits } from './limits.ts';
import { slowPath, startUpstream } from './nginx.ts';
import { passes } from './passes.ts';
import { fetchedPeers, fetchPeers } from './peers.ts';
import {
  type CaseResult,
  describeMachine,
  type MemoryResult,
  writeChat,
  writeClients,
  writeForward,
  writeGuardrails,
  writeHangUps,
  writeResults,
  writeRoutes,
} from './report.ts';
import { measureRoutes } from './routes.ts';
import { measureStartup } from './startup.ts';
import { memoryPerStream, startHoldingUpstream, startStreamUpstream } from './streaming.ts';
import { bare, floor, limit, type SubjectStarter } from './subjects.ts';
import { measureTags } from './tags.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    /** Measures the peers that were fetched, too. */
    peers: { type: 'boolean', default: false },
    /** With `check`: writes the committed figures. */
    commit: { type: 'boolean', default: false },
    /** Measures only this section. */
    only: { type: 'string', default: 'all' },
  },
});
const sections: Readonly<Record<string, () => Promise<string>>> = {
  all: measureAll,
  chat: measureChatAlone,
  guardrails: measureGuardrailsAlone,
  clients: measureClientsAlone,
  forward: measureForwardAlone,
  'hang-ups': measureHangUpsAlone,
  routes: measureRoutesAlone,
  tags: measureTagsAlone,
};
const [command] = positionals;
if (command === 'peers') {
  console.log(fetchPeers());
  process.exit();
}
const section = command === 'check' ? measureCheck : sections[flags.only];
if (section === undefined) throw new Error(`--only takes ${Object.keys(sections).slice(1).join(' or ')}`);
const seconds = flags.quick ? 2 : 10;
/** The JIT compiles the code of a request for seconds; an earlier measurement would include the compiler. */
const warmUpSeconds = flags.quick ? 6 : 10;
/** A stream lasts half a second or more; some must end within a measurement. */
const streamSeconds = 5;

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
    const cases = await measureChatCases(gateway, port);
    const limits = await measureLimits(optionsOf(gateway));
    const guardrails = await measureGuardrails(optionsOf(gateway));
    const clients = await measureClients(optionsOf(gateway));
    const hangUps = await measureHangUps({ ...optionsOf(gateway), slowUrl: slowUrl(port) });
    const routes = await measureRoutes(optionsOf(gateway));
    return { cases, limits, guardrails, clients, hangUps, routes, startup: await measureStartup(gateway, cores) };
  });
  const streaming = await withGateway(await startStreamUpstream(cores), async (gateway, port) => {
    const cases: CaseResult[] = [];
    const subjects = [gatewayAsSubject(gateway), floor(cores, port), bare(cores, port)];
    for (const vendor of vendors) cases.push(await measureStreaming(vendor, subjects, streamOptionsOf(gateway)));
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

async function measureChatCases(gateway: BenchGateway, port: number): Promise<readonly CaseResult[]> {
  const yardsticks = [limit(cores, port), floor(cores, port), bare(cores, port)];
  const peers = flags.peers ? fetchedPeers(cores, port) : [];
  const subjects = [gatewayAsSubject(gateway), ...yardsticks, ...peers];
  const cases: CaseResult[] = [];
  for (const one of passedCases) cases.push(await measureChat(one, subjects, optionsOf(gateway)));
  // A peer does not translate as the gateway does.
  const own = [gatewayAsSubject(gateway), ...yardsticks];
  for (const one of translatedCases) cases.push(await measureChat(one, own, optionsOf(gateway)));
  return cases;
}

async function measureChatAlone(): Promise<string> {
  const cases = await withGateway(await startUpstream(cores.load), measureChatCases);
  return writeChat({ machine, passes, seconds, cases });
}

/** Sizes of bodies, a translation, the start: what regressions show in. */
async function measureCheck(): Promise<string> {
  const measured = await withGateway(await startUpstream(cores.load), async (gateway, port) => {
    const subjects = [gatewayAsSubject(gateway), floor(cores, port)];
    const cases: CaseResult[] = [];
    const checked = [...passedCases.filter(({ connections }) => connections === 32), ...translatedCases.slice(0, 1)];
    for (const one of checked) cases.push(await measureChat(one, subjects, optionsOf(gateway)));
    return checkedFigures(cases, await measureStartup(gateway, cores));
  });
  if (flags.commit) return commitFigures(measured);
  const { text, isWorse } = checkAgainstCommitted(measured);
  if (isWorse) process.exitCode = 1;
  return text;
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
  return { gateway, cores, core: cores.load, directory, seconds, warmUpSeconds };
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
