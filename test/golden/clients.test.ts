// Golden files of streams as clients get them: test/golden/client-streams/<case>/ contains one response, step by step, and
// the bytes of it in each format of clients. Every event of the SDKs' unions is in one of them, or has the reason why not:
// a new member of a union does not compile here.
//   steps.jsonl             the calls of a stream's writer, as test/support/client-streams.ts describes them
//   responses-request.json  the body of a Responses client, if the response depends on it
//   chat-completions.sse …  the client's stream; frames are written as in test/support/cloud-frames.ts
//   ….error.json            the response instead of a stream, if it failed before its first byte
// `GOLDEN=write npm test -- test/golden` writes all but the first two; read the difference before you commit it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type JsonObject, objectsOf } from '../../common/json.ts';
import { type Expected, eventTables } from '../support/client-events.ts';
import { type Folded, finalMessage, folds } from '../support/client-folds.ts';
import {
  type ClientKind,
  clientKinds,
  eventsIn,
  isFailure,
  type Step,
  type WrittenStream,
  wholeOfSteps,
  writeSteps,
} from '../support/client-streams.ts';
import { linesOf } from '../support/cloud-frames.ts';

const writing = process.env.GOLDEN === 'write';
const root = join(import.meta.dirname, 'client-streams');
const cases = readdirSync(root).sort();

interface StreamCase {
  readonly steps: readonly Step[];
  read(kind: ClientKind): WrittenStream;
}

function openCase(name: string): StreamCase {
  const file = (one: string) => readFileSync(join(root, name, one), 'utf8');
  const steps = file('steps.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Step);
  const body = existsSync(join(root, name, 'responses-request.json'))
    ? (JSON.parse(file('responses-request.json')) as JsonObject)
    : undefined;
  return { steps, read: (kind) => writeSteps(kind, steps, kind.format === 'responses' ? body : undefined) };
}

const shownAs = ({ file }: ClientKind, { pieces }: WrittenStream) =>
  file.endsWith('.jsonl') ? linesOf(Buffer.concat(pieces)) : Buffer.concat(pieces).toString();

function expectFile(path: string, actual: string): void {
  if (writing) writeFileSync(path, actual);
  expect(existsSync(path), `${path} is missing; write it with GOLDEN=write`).toBe(true);
  expect(actual).toBe(readFileSync(path, 'utf8'));
}

/** What the steps contain, as a client reads it. */
function contentOf(steps: readonly Step[]): Folded {
  const reasoning = steps.map((step) => ('reasoning' in step ? step.reasoning : ''));
  const texts = steps.map((step) => ('content' in step ? step.content : ''));
  const refusals = steps.map((step) => ('extra' in step ? String(step.extra.refusal ?? '') : ''));
  const calls = steps.flatMap((step) => ('call' in step ? [{ name: step.call.name, args: '' }] : []));
  for (const step of steps) {
    const call = 'arguments' in step ? calls[step.arguments[0]] : undefined;
    if ('arguments' in step && call !== undefined) call.args += step.arguments[1];
  }
  return {
    reasoning: reasoning.join(''),
    content: [...texts, ...refusals].join(''),
    calls: calls.map(({ name, args }) => [name, args === '' ? {} : JSON.parse(args)]),
  };
}

/** All but a refusal, arguments that the model did not end, and names that only one format changes. */
const unreadable = ['failure-before-the-first-byte', 'length-in-a-call', 'calls-of-own-tools'];
const kindsOfSdks = clientKinds.flatMap((kind) =>
  kind.format in folds ? [[kind.file, kind, folds[kind.format as keyof typeof folds]] as const] : [],
);

describe.each(cases)('%s', (name) => {
  const { read } = openCase(name);

  it.each(clientKinds.map((kind) => [kind.file, kind] as const))('is the stream in %s', (file, kind) => {
    const written = read(kind);
    const isStream = written.refusal === undefined;
    const actual = isStream ? shownAs(kind, written) : `${JSON.stringify(written.refusal, undefined, 2)}\n`;
    expectFile(join(root, name, isStream ? file : file.replace(/\.\w+$/, '.error.json')), actual);
  });
});

describe.each(cases.filter((name) => !unreadable.includes(name)))('the SDKs read %s', (name) => {
  const { steps, read } = openCase(name);
  const fails = steps.some((step) => 'fail' in step);

  it.each(kindsOfSdks)(fails ? 'as a failure in %s' : 'as it is in %s', async (_file, kind, fold) => {
    const reading = fold(Buffer.concat(read(kind).pieces));
    if (fails) await expect(reading).rejects.toThrow(messageOf(steps));
    else if (isFailure(kind, steps)) await expect(reading).rejects.toThrow('the model did not complete its response');
    else expect(await reading).toEqual(contentOf(steps));
  });
});

/** Logprobs come in a stream with the text before them, and in a whole response with the choice. */
const complete = cases.filter(
  (name) => !name.startsWith('failure') && !unreadable.includes(name) && name !== 'logprobs',
);

describe.each(complete)('the stream %s', (name) => {
  const { steps, read } = openCase(name);
  const kindOf = (file: string) => {
    const kind = clientKinds.find((one) => one.file === file);
    if (kind === undefined) throw new Error(`there is no kind of client ${file}`);
    return kind;
  };

  it('ends with the whole response for clients of Responses', () => {
    const kind = kindOf('responses.sse');
    const last = eventsIn(shownAs(kind, read(kind))).at(-1);
    expect(last?.response).toEqual(wholeOfSteps(kind, steps));
  });

  it('is folded to the whole response by the SDK of Messages, or is its error', async () => {
    const kind = kindOf('messages.sse');
    const reading = finalMessage(Buffer.concat(read(kind).pieces));
    if (isFailure(kind, steps)) await expect(reading).rejects.toThrow('the model did not complete its response');
    else expect(withoutSources(await reading)).toEqual(withoutSources(wholeOfSteps(kind, steps)));
  });
});

/** Without what a text lacks when it begins, and what the SDK adds. */
function withoutSources({ content, parsed_output: _, ...message }: JsonObject): JsonObject {
  return { ...message, content: objectsOf(content).map(({ citations: __, ...block }) => block) };
}

function messageOf(steps: readonly Step[]): string {
  const [message] = steps.flatMap((step) => ('fail' in step ? [step.fail.message] : []));
  return message ?? '';
}

describe('the golden files of streams contain', () => {
  it.each(eventTables)('each $what that the SDK has and the gateway writes, in $file', ({ file, found, expected }) => {
    const files = cases.map((name) => join(root, name, file)).filter((path) => existsSync(path));
    const events = files.flatMap((path) => eventsIn(readFileSync(path, 'utf8')));
    const seen = new Set(events.flatMap(found));
    expect([...seen].sort()).toEqual(writtenOf(expected));
  });
});

function writtenOf(expected: Expected): readonly string[] {
  return Object.keys(expected)
    .filter((name) => expected[name] === 'written')
    .sort();
}
