// The cost of clients' formats: the gateway alone, called in each format at the format's own vendor, where bytes pass,
// and at another vendor, where they are translated. Chat completions at their own vendor are measured in the same passes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CannedVendor, canned } from './canned.ts';
import { type BenchFormat, benchFormats, formatBody } from './client-calls.ts';
import type { GuardrailsOptions } from './guardrails.ts';
import { type Measurement, measureWarm } from './load.ts';
import { inPasses } from './passes.ts';
import type { Spread } from './stats.ts';
import { putUnderStreams, streams } from './streaming.ts';
import type { Subject, SubjectStarter } from './subjects.ts';

export interface ClientsCase {
  readonly name: string;
  /** The unit that perSecond counts. */
  readonly unit: 'requests' | 'tokens';
  /** By the names of clientCalls. */
  readonly subjects: Readonly<Record<string, Record<keyof Measurement, Spread>>>;
}

interface ClientCall {
  readonly name: string;
  readonly kind: 'base' | 'native' | 'translated';
  readonly format: BenchFormat;
  readonly vendor: CannedVendor;
}

/** The first one is what the others are compared with. */
export const clientCalls = [
  call('base', 'chatCompletions', 'gpt-provider'),
  call('native', 'messages', 'assistant-provider'),
  call('native', 'responses', 'gpt-provider'),
  call('native', 'generateContent', 'search-provider'),
  call('native', 'converse', 'managed-cloud-models'),
  call('translated', 'messages', 'gpt-provider'),
  call('translated', 'responses', 'assistant-provider'),
] as const;

const connections = 32;
const bodyBytes = 1024;

export async function measureClients(options: GuardrailsOptions): Promise<readonly ClientsCase[]> {
  const { cores, directory, seconds, warmUpSeconds } = options;
  const name = `clients: whole responses, body 1 KiB, ${connections} connections`;
  const subjects = await inPasses(name, startersOf(options), (subject) => {
    const { format, vendor } = subject.call;
    const { model } = canned[vendor];
    const body = formatBody(format, { model, stream: false, bytes: bodyBytes });
    const bodyFile = join(directory, 'clients.json');
    writeFileSync(bodyFile, body);
    const { path, isCanned } = benchFormats[format];
    const endpoint = { path: path(model, false), isCanned };
    return measureWarm(subject, { core: cores.load, connections, bodyFile, body, seconds, warmUpSeconds, endpoint });
  });
  return [{ name, unit: 'requests', subjects }];
}

/** @param options with a gateway whose upstream streams */
export async function measureClientStreams(options: GuardrailsOptions): Promise<readonly ClientsCase[]> {
  const { cores, seconds, warmUpSeconds } = options;
  const name = `clients: ${streams} streams at once, a token each 5 ms`;
  const subjects = await inPasses(name, startersOf(options), async (subject) => {
    const { format, vendor } = subject.call;
    const load = { core: cores.load, model: canned[vendor].model, format };
    await putUnderStreams(subject, { ...load, seconds: warmUpSeconds });
    return putUnderStreams(subject, { ...load, seconds });
  });
  return [{ name, unit: 'tokens', subjects }];
}

interface CalledSubject extends Subject {
  readonly call: ClientCall;
}

function startersOf({ gateway }: GuardrailsOptions): readonly SubjectStarter<CalledSubject>[] {
  return clientCalls.map((one) => ({
    name: one.name,
    start: async () => {
      const proxy = await gateway.startProxy();
      return { ...proxy, call: one, headers: { ...proxy.headers, ...benchFormats[one.format].headers } };
    },
  }));
}

function call(kind: ClientCall['kind'], format: BenchFormat, vendor: CannedVendor): ClientCall {
  return { name: `${benchFormats[format].title} → ${vendor}`, kind, format, vendor };
}
