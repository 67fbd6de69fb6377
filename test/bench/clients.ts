// The cost of clients' formats: one proxy, called in turn in each format at the format's own vendor, where bytes pass, and
// at another vendor, where they are translated; and in chat completions at their own vendor.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CannedVendor, canned } from './canned.ts';
import { type BenchFormat, benchFormats, formatBody } from './client-calls.ts';
import type { GuardrailsOptions } from './guardrails.ts';
import { checkBodies, type Measurement, pacedMs, putUnderLoad } from './load.ts';
import { inTurns, type Kind, passes } from './passes.ts';
import { type Spread, spreads } from './stats.ts';
import { putUnderStreams } from './streaming.ts';
import type { Subject } from './subjects.ts';

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
/** Fewer than a core can serve. */
const pacedStreams = 40;
/** Each format is measured in each position once. */
const turns = clientCalls.length;
const turnSeconds = 3;

export async function measureClients(options: GuardrailsOptions): Promise<readonly ClientsCase[]> {
  const { cores, directory } = options;
  const name = `clients: whole responses, body 1 KiB, ${connections} connections, a thousand requests a second`;
  const subjects = await measureCalls(name, options, (one) => {
    const { model } = canned[one.vendor];
    const body = formatBody(one.format, { model, stream: false, bytes: bodyBytes });
    const bodyFile = join(directory, `clients-${one.format}-${one.vendor}.json`);
    writeFileSync(bodyFile, body);
    const { path, isCanned } = benchFormats[one.format];
    const endpoint = { path: path(model, false), isCanned };
    const load = { core: cores.load, connections, bodyFile, pauseMs: pacedMs, endpoint };
    return async (subject, seconds) => {
      await checkBodies(subject, body, endpoint);
      return putUnderLoad(subject, { ...load, seconds });
    };
  });
  return [{ name, unit: 'requests', subjects }];
}

/** @param options with a gateway whose upstream streams */
export async function measureClientStreams(options: GuardrailsOptions): Promise<readonly ClientsCase[]> {
  const name = `clients: ${pacedStreams} streams at once, a token each 5 ms`;
  const subjects = await measureCalls(name, options, ({ format, vendor }) => {
    const load = { core: options.cores.load, model: canned[vendor].model, format, streams: pacedStreams };
    return (subject, seconds) => putUnderStreams(subject, { ...load, seconds });
  });
  return [{ name, unit: 'tokens', subjects }];
}

type Measure = Kind<Subject, Measurement>['measure'];

async function measureCalls(
  name: string,
  { gateway, warmUpSeconds }: GuardrailsOptions,
  measureOf: (call: ClientCall) => Measure,
): Promise<ClientsCase['subjects']> {
  console.error(name);
  const kinds = clientCalls.map((one) => {
    const measure = measureOf(one);
    const { headers } = benchFormats[one.format];
    const called = (subject: Subject) => ({ ...subject, headers: { ...subject.headers, ...headers } });
    return { name: one.name, measure: (subject: Subject, seconds: number) => measure(called(subject), seconds) };
  });
  const all = Map.groupBy(await measurePasses(gateway, kinds, warmUpSeconds), ([call]) => call);
  return Object.fromEntries([...all].map(([call, measured]) => [call, spreads(measured.map(([, one]) => one))]));
}

async function measurePasses(
  gateway: GuardrailsOptions['gateway'],
  kinds: readonly Kind<Subject, Measurement>[],
  warmUpSeconds: number,
): Promise<readonly (readonly [call: string, measured: Measurement])[]> {
  const measured: (readonly [string, Measurement])[] = [];
  for (let pass = 0; pass < passes; pass++) {
    const subject = await gateway.startProxy();
    try {
      measured.push(...Object.entries(await inTurns(subject, kinds, { turns, seconds: turnSeconds, warmUpSeconds })));
      console.error(`  pass ${pass + 1} of ${passes}`);
    } finally {
      await subject.stop();
    }
  }
  return measured;
}

function call(kind: ClientCall['kind'], format: BenchFormat, vendor: CannedVendor): ClientCall {
  return { name: `${benchFormats[format].title} → ${vendor}`, kind, format, vendor };
}
