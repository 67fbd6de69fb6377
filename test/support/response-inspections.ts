// Guardrails over random responses, for tests: whole responses and streams pass through the guards that the proxy has,
// without a proxy around them.
import { expect } from 'vitest';
import type { Guardrail } from '../../guardrails/definition.ts';
import { compilePattern } from '../../guardrails/kinds/pattern.ts';
import { compilePhrases } from '../../guardrails/kinds/phrases.ts';
import type { Matcher } from '../../guardrails/matcher.ts';
import { scan } from '../../guardrails/scan.ts';
import type { ChatCall } from '../../proxy/call.ts';
import { GatewayError } from '../../proxy/errors.ts';
import type { CompiledGuardrail } from '../../proxy/guardrails/compiled.ts';
import { Decisions } from '../../proxy/guardrails/decisions.ts';
import { ResponseInspection } from '../../proxy/guardrails/inspection/response-inspection.ts';
import { Scanner } from '../../proxy/guardrails/scanner.ts';
import { guardStream } from '../../proxy/guardrails/stream/guard-stream.ts';
import { LoopScheduler } from '../../proxy/loop-scheduler.ts';
import type { Random } from './access/random.ts';
import { alphabets, marks, phrases, runMax, runMin } from './guarded-responses.ts';
import { type Action, fullWindow, marked, ParsedStream, Received } from './guarded-streams.ts';

export interface GuardedBy {
  readonly guardrails: readonly CompiledGuardrail[];
  /** Length of the longest match. */
  readonly window: number;
}

/** Actions of the guardrails of one case: each alone, and together. */
export function randomActions(random: Random): readonly Action[] {
  return random.pick<readonly Action[]>([
    ['block'],
    ['redact'],
    ['observe'],
    ['redact', 'observe'],
    ['block', 'redact', 'observe'],
  ]);
}

/** All three kinds, so that every planted text is found, in any order. */
export function guardrailsOf(random: Random, action: Action): readonly CompiledGuardrail[] {
  const [open, close] = marks[action];
  const byMarks = marked(open, close, 'MARKED');
  const alphabet = alphabets[action];
  const matchers: readonly Matcher[] = [
    random.chance(0.5) ? byMarks : fullWindow(byMarks),
    compilePattern({ kind: 'pattern', patterns: [`[${alphabet}]{${runMin},${runMax}}`] }),
    compilePhrases({ kind: 'words', phrases: [...phrases[action]], withinWords: random.chance(0.5) }),
  ];
  return matchers
    .map((matcher, kind) => ({
      at: random.next(),
      guardrail: guardrail(`${action}-${kind}`, action),
      matcher,
    }))
    .sort((a, b) => a.at - b.at);
}

function guardrail(name: string, action: Action): CompiledGuardrail['guardrail'] {
  const check = { kind: 'words', phrases: [], withinWords: false } as const;
  const fields = {
    id: name,
    name,
    position: 0,
    stage: 'output',
    action,
    onFailure: 'block',
    message: '',
  } as const;
  return { ...fields, aiSystemIds: [], check, revision: 1 } satisfies Guardrail;
}

export interface GuardedWhole {
  /** Undefined if it was blocked. */
  readonly body: Buffer | undefined;
  readonly decisions: readonly string[];
}

/** @param body of a chat completion */
export async function guardWhole(body: Buffer, { guardrails, window }: GuardedBy): Promise<GuardedWhole> {
  const { inspection, decisions } = inspectionOf(guardrails, window);
  try {
    const guarded = await inspection.guard({ kind: 'complete', headers: [], body });
    if (guarded.kind !== 'complete') throw new Error('a response became a stream');
    return { body: guarded.body, decisions: decisions.sort() };
  } catch (error) {
    refusalOf(error);
    return { body: undefined, decisions };
  }
}

export interface GuardedPieces {
  /** As they were released. */
  readonly received: Received;
  /** Undefined if the stream was not blocked. */
  readonly refusal: GatewayError | undefined;
  /** Whether the guards released the stream, so that a failure cannot be a response of its own. */
  readonly isCommitted: boolean;
  readonly decisions: readonly string[];
}

/** @param pieces of a stream of chat completions */
export async function guardPieces(
  pieces: readonly Buffer[],
  { guardrails, window }: GuardedBy,
): Promise<GuardedPieces> {
  const { inspection, decisions } = inspectionOf(guardrails, window);
  const source = new ParsedStream();
  const guarding = Promise.resolve(inspection.guard(source));
  const received = new Received();
  let isCommitted = false;
  const flowing = guarding.then(
    (guarded) => {
      isCommitted = true;
      if (guarded.kind === 'stream') guarded.flowTo(received);
    },
    (error: Error) => received.fail(error),
  );
  const turn = Math.floor(pieces.length / 2);
  for (const [at, piece] of pieces.entries()) {
    source.write(piece);
    // A stream that has begun flows from here on; earlier decisions are waited for until then.
    if (at === turn) await new Promise((resolve) => setImmediate(resolve));
  }
  source.finish();
  await flowing;
  await received.over;
  if (received.failure !== undefined) {
    return { received, refusal: refusalOf(received.failure), isCommitted, decisions };
  }
  expect(received.hasEnded && received.bytes.endsWith('data: [DONE]\n\n')).toBe(true);
  return { received, refusal: undefined, isCommitted, decisions: decisions.sort() };
}

/** @throws the error, if it is not that of a guardrail that blocks */
function refusalOf(error: unknown): GatewayError {
  if (error instanceof GatewayError && error.code === 'guardrail_blocked') return error;
  throw error;
}

/** Letters of the text that a guardrail was to block or redact. */
export function leakedLetters(text: string, actions: readonly Action[]): readonly string[] {
  const kept = actions.filter((action) => action !== 'observe').map((action) => alphabets[action]);
  return [...text].filter((letter) => kept.some((alphabet) => alphabet.includes(letter)));
}

function inspectionOf(texts: readonly CompiledGuardrail[], window: number) {
  const decisions: string[] = [];
  // Looked up only for the texts that are left to a worker.
  const matcherOf = ({ id }: { readonly id: string }) => {
    const found = texts.find(({ guardrail }) => guardrail.id === id);
    if (found === undefined) throw new Error(`no guardrail ${id}`);
    return found.matcher;
  };
  const record = { guardrailHeader: undefined, guardrailsNotPassed: undefined };
  const context = { record, onAbort: () => undefined, buffer: () => undefined };
  const call = { caller: { principal: { organization: {}, key: {} } } } as ChatCall;
  const metrics = {
    decided: ({ name }: { name: string }, _stage: string, decision: string) =>
      void decisions.push(`${name}=${decision}`),
    took: () => undefined,
  };
  const inspection = new ResponseInspection({
    guardrails: { others: [], texts, services: [] },
    services: [],
    decisions: new Decisions(call, record, { metrics, samples: { add: () => undefined } }),
    context,
    owner: { organization: 'o', key: 'k' },
    scanner: new Scanner({
      loop: new LoopScheduler({ now: () => performance.now() }),
      pool: {
        scan: (requested) => ({
          scanned: Promise.resolve(scan(requested.guardrails.map(matcherOf), requested.texts, window)),
          cancel: () => undefined,
        }),
      },
      window,
    }),
    taken: new Map(),
    restorable: new Map(),
    guardStream: (source, guards) =>
      guardStream(source, guards, { eventBytesMax: 4 * 1024 * 1024, background: () => undefined }, context),
    timed: (inspecting) => inspecting(),
  });
  return { inspection, decisions };
}
