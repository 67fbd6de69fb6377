// Property test: a stream gives the same result as the complete response, however it is cut, and sends nothing of a
// blocked one. Random responses with planted matches of up to the window's length pass once complete and once streamed
// through the same guardrails.
import { expect, it } from 'vitest';
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import { Random } from '../../support/access/random.ts';
import { cutBytes, randomResponse, textAt, type UnknownPath, unknownPaths } from '../../support/guarded-responses.ts';
import {
  type GuardedBy,
  guardPieces,
  guardrailsOf,
  guardWhole,
  leakedLetters,
  randomActions,
} from '../../support/response-inspections.ts';
import { startingSeed } from '../../support/seed.ts';

// GUARDRAILS_SEED repeats a case that failed, GUARDRAILS_CASES is for long runs. In thirty cases all outcomes occur.
const { GUARDRAILS_SEED: given, GUARDRAILS_CASES: wanted } = process.env;
const seed = given === undefined ? startingSeed() : Number(given);
const cases = given === undefined ? Number(wanted ?? 30) : 1;

interface ReadResult {
  /** Undefined if it was blocked. */
  readonly response: unknown;
  /** All bytes that were sent. */
  readonly sent: string;
  readonly decisions: readonly string[];
}

it(
  `a stream gives the result of the complete response, and nothing of a blocked one (${cases} cases from seed ${seed})`,
  async () => {
    const outcomes = { blocked: 0, 'blocked before the first byte': 0, rewritten: 0, untouched: 0, bytes: 0 };
    for (let number = seed; number < seed + cases; number++) {
      const { actions, whole, streamed, original, bytes } = await runCase(number);
      const what = `GUARDRAILS_SEED=${number}`;
      expect(streamed.response, what).toEqual(whole.response);
      expect(leakedLetters(streamed.sent, actions), what).toEqual([]);
      outcomes.bytes += bytes;
      if (whole.response === undefined) {
        outcomes.blocked++;
        if (streamed.sent === '') outcomes['blocked before the first byte']++;
      } else {
        expect(streamed.decisions, what).toEqual(whole.decisions);
        outcomes[JSON.stringify(whole.response) === JSON.stringify(original) ? 'untouched' : 'rewritten']++;
      }
    }
    console.log(`${cases} responses from seed ${seed}:`, outcomes);
    if (given !== undefined) return;
    expect(Object.values(outcomes).every((count) => count > 0)).toBe(true);
  },
  60_000 + cases * 500,
);

async function runCase(number: number) {
  const random = new Random(number * 7919);
  const window = random.pick([64, 100, 512]);
  const actions = randomActions(random);
  const guardrails = actions.flatMap((action) => guardrailsOf(random, action));
  const response = randomResponse(random, actions, window);
  const guarded = { guardrails, window };
  const whole = await complete(response.body, guarded);
  const streamed = await stream(cutBytes(random, response.bytes), guarded);
  return { actions, whole, streamed, original: statedBy(response.body), bytes: response.bytes.length };
}

async function complete(completion: JsonObject, guarded: GuardedBy): Promise<ReadResult> {
  const { body, decisions } = await guardWhole(Buffer.from(JSON.stringify(completion)), guarded);
  return { response: body && statedBy(parseJson(body.toString())), sent: '', decisions };
}

async function stream(pieces: readonly Buffer[], guarded: GuardedBy): Promise<ReadResult> {
  const { received, refusal, decisions } = await guardPieces(pieces, guarded);
  const response = refusal === undefined ? statedByChunks(received.chunks) : undefined;
  return { response, sent: received.bytes, decisions };
}

const unknownNames = Object.keys(unknownPaths) as UnknownPath[];

interface ChoiceText {
  readonly [name: string]: unknown;
}

/** The texts of a completion's choices. */
function statedBy(body: unknown): readonly ChoiceText[] {
  return listOf(body, 'choices').map((choice) => {
    const message = isObject(choice.message) ? choice.message : {};
    const texts = ['content', 'reasoning_content', 'refusal'].map((name) => [name, message[name] ?? '']);
    const calls = listOf(message, 'tool_calls').map(({ id, function: called }) => ({ id, called }));
    const unknown = unknownNames.map((name) => [name, textAt(message, unknownPaths[name])]);
    return { ...Object.fromEntries([...texts, ...unknown]), calls, finish: choice.finish_reason };
  });
}

interface OpenChoice extends Record<string, unknown> {
  readonly calls: { id: unknown; called: Record<string, unknown> }[];
}

/** The same of a stream's chunks, joined as clients do. */
function statedByChunks(chunks: readonly JsonObject[]): readonly ChoiceText[] {
  const choices = new Map<unknown, OpenChoice>();
  for (const choice of chunks.flatMap((chunk) => listOf(chunk, 'choices'))) {
    const unknown = Object.fromEntries(unknownNames.map((name) => [name, '']));
    const empty = { content: '', reasoning_content: '', refusal: '', ...unknown, calls: [], finish: null };
    const known: OpenChoice = choices.get(choice.index) ?? empty;
    choices.set(choice.index, known);
    expect(known.finish, 'nothing follows the finish reason').toBe(null);
    const delta = isObject(choice.delta) ? choice.delta : {};
    for (const name of ['content', 'reasoning_content', 'refusal']) known[name] = `${known[name]}${delta[name] ?? ''}`;
    for (const name of unknownNames) known[name] = `${known[name]}${textAt(delta, unknownPaths[name])}`;
    for (const call of listOf(delta, 'tool_calls')) addCall(known.calls, call);
    known.finish = choice.finish_reason;
  }
  return [...choices].sort(([a], [b]) => Number(a) - Number(b)).map(([, stated]) => stated);
}

function addCall(calls: OpenChoice['calls'], { index, id, function: called }: JsonObject): void {
  const { name, arguments: args } = isObject(called) ? called : {};
  const known = calls[Number(index)];
  if (known === undefined) calls[Number(index)] = { id, called: { name, arguments: args } };
  else known.called.arguments = `${known.called.arguments}${args}`;
}

function listOf(value: unknown, name: string): readonly JsonObject[] {
  const list = isObject(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}
