// The cost of guardrails: the gateway alone, with a key without guardrails, and with keys whose guardrails match
// nothing. The text is prose with names, dates, amounts and addresses, because matchers inspect those a second time.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canned } from './canned.ts';
import type { Cores } from './cores.ts';
import type { BenchGateway, BenchGuardrail, GatewaySubject } from './gateway.ts';
import { type Measurement, measureWarm } from './load.ts';
import { inPasses } from './passes.ts';
import type { Spread } from './stats.ts';
import { putUnderStreams } from './streaming.ts';
import type { SubjectStarter } from './subjects.ts';

export interface GuardrailsCase {
  readonly name: string;
  /** The unit that perSecond counts. */
  readonly unit: 'requests' | 'tokens';
  /** By guardrailKinds. */
  readonly subjects: Readonly<Record<string, Record<keyof Measurement, Spread>>>;
  /** KiB of inspected text for each unit, by guardrailKinds. */
  readonly inspectedKib: Readonly<Record<string, number>>;
}

export const guardrailKinds = {
  off: 'off',
  words: '1,000 phrases',
  personalData: 'personal data',
  all: 'all, both stages',
} as const;

export interface GuardrailsOptions {
  readonly gateway: BenchGateway;
  readonly cores: Cores;
  readonly directory: string;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

type Stage = 'INPUT' | 'OUTPUT' | 'BOTH';

const kib = 1024;
const connections = 32;
const { model } = canned['gpt-provider'];

export async function measureGuardrails(options: GuardrailsOptions): Promise<readonly GuardrailsCase[]> {
  const subjects = await subjectsOf(options.gateway, 'INPUT');
  const cases: GuardrailsCase[] = [];
  for (const size of [1, 16]) cases.push(await measureChat(size, subjects, options));
  return cases;
}

/** @param options with a gateway whose upstream streams, so that responses are inspected */
export async function measureGuardedStreams(options: GuardrailsOptions): Promise<readonly GuardrailsCase[]> {
  const { gateway, cores, seconds, warmUpSeconds } = options;
  const name = 'guardrails: 200 streams at once, a token each 5 ms';
  const load = { core: cores.load, model };
  const subjects = await inPasses(name, await subjectsOf(gateway, 'OUTPUT'), async (subject) => {
    await putUnderStreams(subject, { ...load, seconds: warmUpSeconds });
    return putUnderStreams(subject, { ...load, seconds });
  });
  return [{ name, unit: 'tokens', subjects, inspectedKib: inspected(() => ' token'.length / kib) }];
}

async function measureChat(
  size: number,
  starters: readonly SubjectStarter<GatewaySubject>[],
  { cores, directory, seconds, warmUpSeconds }: GuardrailsOptions,
): Promise<GuardrailsCase> {
  const name = `guardrails: chat, body ${size} KiB, ${connections} connections`;
  const body = proseBody(size * kib);
  const bodyFile = join(directory, 'guardrails.json');
  writeFileSync(bodyFile, body);
  const load = { core: cores.load, connections, bodyFile, body, seconds, warmUpSeconds };
  const subjects = await inPasses(name, starters, (subject) => measureWarm(subject, load));
  const response = responseLength / kib;
  const inspectedKib = inspected((kind) => size + (kind === guardrailKinds.all ? response : 0));
  return { name, unit: 'requests', subjects, inspectedKib };
}

const responseLength = canned['gpt-provider'].response.choices[0].message.content.length;

function inspected(kibOf: (kind: string) => number): Readonly<Record<string, number>> {
  const kinds = Object.values(guardrailKinds).filter((kind) => kind !== guardrailKinds.off);
  return Object.fromEntries(kinds.map((kind) => [kind, kibOf(kind)]));
}

async function subjectsOf(gateway: BenchGateway, stage: Stage): Promise<SubjectStarter<GatewaySubject>[]> {
  const sets = {
    off: [],
    words: [redacting(stage, checks.words)],
    personalData: [redacting(stage, checks.personalData)],
    all: [...Object.values(checks).map((check) => redacting('BOTH', check)), promptSize],
  } satisfies Record<keyof typeof guardrailKinds, readonly BenchGuardrail[]>;
  const starters: SubjectStarter<GatewaySubject>[] = [];
  for (const kind of ['off', 'words', 'personalData', 'all'] as const) {
    const key = await gateway.createKey([], sets[kind]);
    starters.push({ name: guardrailKinds[kind], start: () => gateway.startProxy(key) });
  }
  return starters;
}

const parts = ['amber', 'birch', 'cobalt', 'delta', 'ember', 'fjord', 'garnet', 'harbour', 'indigo', 'juniper'];
/** A thousand phrases of three words each. */
const phrases = parts.flatMap((a) => parts.flatMap((b) => parts.map((c) => `${a} ${b} ${c}`)));

const checks = {
  words: { words: { phrases } },
  personalData: { personalData: {} },
  pattern: {
    pattern: { patterns: ['(?i)project[ -](aurora|borealis)', 'ticket-[0-9]{6}', '\\binternal only\\b'] },
  },
  secrets: { secrets: {} },
} as const;

const promptSize: BenchGuardrail = {
  stage: 'GUARDRAIL_STAGE_INPUT',
  action: 'GUARDRAIL_ACTION_BLOCK',
  check: { promptSize: { tokensMax: 1_000_000, messagesMax: 1000, imagesMax: 100 } },
};

function redacting(stage: Stage, check: object): BenchGuardrail {
  return { stage: `GUARDRAIL_STAGE_${stage}`, action: 'GUARDRAIL_ACTION_REDACT', check };
}

const prose =
  'Dear Ms Quartz, on 14 July 2031 our 3 engineers moved the amber box "J-5" of version 1.2.30 from eu-west-1 to the yard in ' +
  'Harbour Street 27; have a look at https://example.com/a?b=1&c=%20 and say what you think. The invoice of 1,250.00 EUR, number ' +
  '2031-0714, is due at 12:30 on Friday: we shall ask delta and ember whether it was paid. ';

/** Returns a chat request of the given number of bytes. */
function proseBody(bytes: number): string {
  const withContent = (content: string) => JSON.stringify({ model, messages: [{ role: 'user', content }] });
  const text = withContent(prose.repeat(Math.ceil(bytes / prose.length)));
  const tail = '"}]}';
  const body = text.slice(0, bytes - tail.length);
  // Do not cut within an escape.
  return (body.endsWith('\\') ? `${body.slice(0, -1)}.` : body) + tail;
}
