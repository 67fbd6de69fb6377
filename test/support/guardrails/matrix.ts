// One cell of the matrix: one request with one guardrail on one route, its expected result by the contract, and its
// problems.
import { isDeepStrictEqual } from 'node:util';
import type { Behaviour, RecordedRequest as Received, Simulator } from '../../../simulator/index.ts';
import { BadResponse } from '../completions.ts';
import type { RecordedRequest } from '../recorded.ts';
import { guardrailsIn } from './fixture.ts';
import { planted, type TriedKind } from './kinds.ts';
import { parsed, type ReadResponse, textOf, type Way } from './ways.ts';

/** A guardrail as it was created. */
export interface Tried {
  readonly kind: TriedKind;
  readonly stage: string;
  readonly action: string;
  readonly name: string;
}

export interface Cell {
  /** Id of the request, also in its text, so that the provider's request can be found. */
  readonly id: string;
  readonly way: Way;
  readonly streamed: boolean;
  /** Whether the request contains a match; the response always does. */
  readonly plants: boolean;
  /** Form of the provider's response: the simulated GPT vendor never sends both. */
  readonly says: Says;
}

export type Says = 'text' | 'call';

/**
 * refused: before the provider is called; withheld: the response, before any of it is sent; cut: a stream that has
 * begun; passed: the whole response, or all except replacements.
 */
export type Fate = 'refused' | 'withheld' | 'cut' | 'passed';

/** Longer than the held-back part of a stream, so that the stream has begun when a match is found. */
const preamble = 'Once upon a midnight dreary, while I pondered, weak and weary. '.repeat(18);
export const responseText = `${preamble}${planted}`;
export const responses: Readonly<Record<Says, Behaviour>> = {
  text: { text: responseText },
  call: { toolCalls: [{ name: 'note', arguments: JSON.stringify({ text: planted }) }] },
};

export function requestBody({ id, streamed, plants }: Cell): object {
  const text = plants ? planted : '';
  const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  return {
    stream: streamed,
    messages: [
      { role: 'system', content: 'You take notes.' },
      { role: 'user', content: `${id}: ${text}Thank you.` },
    ],
    tools: [{ type: 'function', function: { name: 'note', description: `Takes notes. ${text}`, parameters } }],
  };
}

export function fateOf({ kind, stage, action }: Tried, { streamed, plants, says }: Cell): Fate {
  if (action !== 'block') return 'passed';
  if (stage !== 'output' && findsInput(kind, plants)) return 'refused';
  if (stage === 'input') return 'passed';
  // Calls are held back as a whole; text before a match, or before the window of a service with the match, has been
  // sent.
  return streamed && says === 'text' ? 'cut' : 'withheld';
}

function findsInput({ finds }: TriedKind, plants: boolean): boolean {
  return finds === undefined || plants;
}

/** In the form in which they are counted. */
export function expectedDecisions(tried: Tried, cell: Cell): readonly string[] {
  const { kind, stage, action } = tried;
  const input = `input ${findsInput(kind, cell.plants) ? action : 'pass'}`;
  const isServed = fateOf(tried, cell) !== 'refused';
  return [...(stage === 'output' ? [] : [input]), ...(stage === 'input' || !isServed ? [] : [`output ${action}`])];
}

function expectedHeader(tried: Tried, cell: Cell): readonly string[] {
  const decisions = expectedDecisions(tried, cell).map((decision) => decision.replace(/^\w+ /, ''));
  if (!cell.streamed || tried.stage === 'input' || fateOf(tried, cell) === 'refused') return decisions;
  const input = decisions.slice(0, -1);
  return fateOf(tried, cell) === 'withheld' ? [...input, 'stream', 'block'] : [...input, 'stream'];
}

/** @returns the problems of the response */
export function problemsOf(tried: Tried, cell: Cell, response: ReadResponse, simulator: Simulator): readonly string[] {
  const problems: string[] = [];
  const check: Check = (what, actual, expected) => {
    if (!isDeepStrictEqual(actual, expected)) problems.push(`${what} is ${shown(actual)}, not ${shown(expected)}`);
  };
  const entries = guardrailsIn(response.headers).get(tried.name) ?? [];
  const expected = expectedHeader(tried, cell);
  // A stream that was decided completely before its head was sent may show the decision too.
  const isLate = expected.at(-1) === 'stream' && isDeepStrictEqual(entries, [...expected, tried.action]);
  if (!isLate) check('x-svc-guardrails', entries, expected);
  const { finds } = tried.kind;
  if (finds !== undefined) checkProvider(tried, cell, receivedOf(simulator, cell), check);
  checkCaller(tried, cell, response, check);
  return problems.map((problem) => `${nameOf(cell)}: ${problem}`);
}

/** Shortened, with its end, which has the match. */
function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? 'undefined';
  return json.length < 300 ? json : `${json.slice(0, 40)}…${json.slice(-250)}`;
}

type Check = (what: string, actual: unknown, expected: unknown) => void;

function nameOf({ way, streamed, plants, says }: Cell): string {
  return [way.name, streamed ? 'streamed' : 'whole', says, ...(plants ? [] : ['only the response'])].join(', ');
}

/** Requests to the provider, without those to the moderation endpoint. */
function receivedOf({ requests }: Simulator, { id }: Cell): readonly Received[] {
  return requests.filter(({ target, body }) => !target.endsWith('/moderations') && body.includes(`${id}:`));
}

function checkProvider(tried: Tried, cell: Cell, received: readonly Received[], check: Check): void {
  const { finds = '', placed } = tried.kind;
  const isRefused = fateOf(tried, cell) === 'refused';
  check('requests to the provider', received.length, isRefused ? 0 : 1);
  const body = received[0]?.body.toString();
  if (body === undefined || !cell.plants) return;
  const isRedacted = tried.action === 'redact' && tried.stage !== 'output';
  const given = isRedacted ? planted.replace(finds, placed?.(1) ?? '') : planted;
  check('the provider got the message', body.includes(`${cell.id}: ${given}Thank you.`), true);
  check('the provider got the definition', body.includes(`Takes notes. ${given}`), true);
  if (isRedacted) check('the provider got the original', body.includes(finds), false);
}

function checkCaller(tried: Tried, cell: Cell, response: ReadResponse, check: Check): void {
  const fate = fateOf(tried, cell);
  check('status', response.status, fate === 'passed' || fate === 'cut' ? 200 : 400);
  check('cut', response.isCut, fate === 'cut');
  if (fate === 'passed') checkResponse(tried, cell, response, check);
  else checkBlocked(tried, response, check);
}

function checkBlocked({ name, kind: { finds = 'nothing' } }: Tried, response: ReadResponse, check: Check): void {
  check('error', response.error, {
    message: `blocked by the guardrail ${name}`,
    ...{ type: 'invalid_request_error', param: null, code: 'guardrail_blocked' },
  });
  check('the caller got the match', response.body.includes(finds), false);
  if (!response.isCut) {
    check('source', response.headers.get('x-svc-error-source'), 'gateway');
    return;
  }
  const text = textOf(response);
  const [found = ''] = responseText.split(finds);
  check('the sent text is the response before the match', [found.startsWith(text), text !== ''], [true, true]);
  check('[DONE]', response.body.includes('[DONE]'), false);
}

function checkResponse({ kind, stage, action }: Tried, { says }: Cell, response: ReadResponse, check: Check): void {
  const { finds = '', placed } = kind;
  // Placeholders are numbered after those of the request.
  const put = placed?.(stage === 'both' ? 2 : 1) ?? '';
  const isRedacted = action === 'redact' && stage !== 'input';
  const given = (text: string) => (isRedacted ? text.replace(finds, put) : text);
  try {
    const [choice] = parsed(response).choices;
    const calls = choice?.calls.map((call): unknown => JSON.parse(call.arguments));
    if (says === 'text') check('text', choice?.content, given(responseText));
    else check('arguments', calls, [{ text: given(planted) }]);
  } catch (error) {
    if (!(error instanceof BadResponse || error instanceof SyntaxError)) throw error;
    check('response', error.message, 'a response');
  }
}

/** @returns the problems of the recorded usage */
export function usageProblemsOf(tried: Tried, cell: Cell, row: RecordedRequest | undefined): readonly string[] {
  const fate = fateOf(tried, cell);
  const { provider, directKey, streamed, status, completionTokens = 0, promptTokens = 0 } = row ?? {};
  const recorded = row && {
    provider,
    directKey,
    streamed,
    status,
    isUsed: promptTokens > 0 && completionTokens > 0,
  };
  const { way } = cell;
  const expected = {
    ...{ provider: way.vendor, directKey: way.direct, streamed: cell.streamed },
    ...{ status: fate === 'passed' ? 200 : 400, isUsed: true },
  };
  if (isDeepStrictEqual(recorded, fate === 'refused' ? undefined : expected)) return [];
  return [`${tried.name} ${nameOf(cell)}: recorded is ${JSON.stringify(recorded)} (${fate})`];
}
