// Every kind of guardrail, at each stage, with each action, on every route of a request, streamed and not: the requests
// to the provider, the responses to the caller, and the reported decisions. Combinations that the contract does not
// allow are refused at their creation. Each guardrail is tried on one of the three routes to each provider, so that each
// kind and each stage with each action meet every route; GATEWAY_TEST_ROUNDS=3 tries each guardrail on every route.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../../../simulator/index.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { type GuardrailFixture, guardrailFields, openGuardrailFixture } from '../../support/guardrails/fixture.ts';
import { actions, codeName, kinds, stages, type TriedKind } from '../../support/guardrails/kinds.ts';
import {
  type Cell,
  expectedDecisions,
  problemsOf,
  requestBody,
  responses,
  type Says,
  type Tried,
  usageProblemsOf,
} from '../../support/guardrails/matrix.ts';
import { loopbackAllowed, openServiceNetwork } from '../../support/guardrails/services.ts';
import { ask, type Way, ways } from '../../support/guardrails/ways.ts';
import { until } from '../../support/process.ts';
import { recordedRequests } from '../../support/recorded.ts';
import { roundsOf } from '../../support/seed.ts';
import type { TestAuthority } from '../../support/tls.ts';
import { storedKeys } from '../../support/vendors.ts';
import { publicHost, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

const atOnce = 6;

let authority: TestAuthority;
let gateway: TestGateway;
let receiver: Receiver;
let key: string;
let fixture: GuardrailFixture;
const tried: (readonly [Tried, Cell])[] = [];

beforeAll(async () => {
  const network = await openServiceNetwork();
  authority = network.authority;
  receiver = await startReceiver(authority);
  receiver.respond = (response, { body }) => {
    const { texts } = JSON.parse(body) as { texts: string[] };
    const isFound = texts.some((text) => text.includes(codeName.finds));
    const placed = texts.map((text) => text.replaceAll(codeName.finds, codeName.placed));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isFound ? { decision: 'redact', texts: placed } : { decision: 'pass' }));
  };
  gateway = await startGateway({ proxy: loopbackAllowed, serviceNetwork: network.serviceNetwork });
  const { organization } = gateway;
  await organization.storeProviderKeys();
  const { api, id } = organization;
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  key = (await organization.createKey()).value;
  fixture = openGuardrailFixture(gateway, organization, key);
});
afterAll(async () => {
  await gateway?.close();
  await receiver?.close();
  authority?.remove();
});

let requested = 0;

const combinations = stages.flatMap((stage) => actions.map((action) => [stage, action] as const));
const routes = 3;
/** Of each provider, for one guardrail. */
const routesTried = Math.min(routes, roundsOf(1));
const bothForms = [false, true];

/** Differs by one between guardrails that differ in one property, so that the next one is tried on other routes. */
function turnOf(kind: TriedKind, stage: string, action: string): number {
  return kinds.indexOf(kind) + kind.stages.indexOf(stage) + kind.actions.indexOf(action);
}

/** Routes for text. The only kind without an output stage has too few guardrails to meet every route in turn. */
function waysOf(kind: TriedKind, turn: number): readonly Way[] {
  if (kind.finds === undefined) return ways;
  return ways.filter((_, index) => (Math.floor(index / routes) + index + turn) % routes < routesTried);
}

/** Requests for calls: to each provider with a stored key, streamed or not. */
function callsOf(turn: number): (readonly [Way, boolean])[] {
  const forms = (index: number) => (routesTried === routes ? bothForms : [(index + turn) % 2 === 0]);
  return ways
    .filter(({ direct }) => !direct)
    .flatMap((way, index) => forms(index).map((streamed) => [way, streamed] as const));
}

/**
 * Cells for routes to every provider, streamed and not. Where the response is inspected, each provider also gets a cell
 * with a call in place of text; where a request with a match is refused, there is also one without a match.
 */
function cellsOf(kind: TriedKind, stage: string, action: string): Cell[] {
  const turn = turnOf(kind, stage, action);
  const plants = kind.finds !== undefined && stage === 'both' && action === 'block' ? [true, false] : [true];
  const texts = waysOf(kind, turn).flatMap((way) => bothForms.map((streamed) => [way, streamed] as const));
  const cells = (says: Says, requests: readonly (readonly [Way, boolean])[]) =>
    requests.flatMap(([way, streamed]) =>
      plants.map((plants): Cell => ({ id: `${says}-${++requested}`, way, streamed, plants, says })),
    );
  return [...cells('text', texts), ...(stage === 'input' ? [] : cells('call', callsOf(turn)))];
}

async function tryCells(one: Tried, cells: readonly Cell[]): Promise<string[]> {
  const problems: string[] = [];
  const left = cells.values();
  const work = async () => {
    for (const cell of left) {
      const response = await ask(cell.way, {
        url: gateway.proxy.url,
        key,
        id: cell.id,
        body: requestBody(cell),
      });
      problems.push(...problemsOf(one, cell, response, gateway.simulator));
      tried.push([one, cell]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return problems;
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function added(before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>) {
  const entries = Object.entries(after).map(([word, count]) => [word, count - (before[word] ?? 0)] as const);
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
}

describe.each(kinds)('$kind', (kind) => {
  const isAllowed = ([stage, action]: readonly [string, string]) =>
    kind.stages.includes(stage) && kind.actions.includes(action);
  const fields = (combination: readonly [string, string]) =>
    guardrailFields(combination, kind.check(receiver.url(publicHost)));

  it.each(combinations.filter(isAllowed))('%s, %s: decides correctly on every route', async (stage, action) => {
    gateway.simulator.reset();
    const name = await fixture.replace(fields([stage, action]));
    for (const [says, response] of Object.entries(responses)) {
      const when = ({ body }: RecordedRequest) => body.includes(`${says}-`);
      gateway.simulator.script(response, { when, times: Number.POSITIVE_INFINITY });
    }
    const one = { kind, stage, action, name };
    const cells = cellsOf(kind, stage, action);
    const before = await fixture.decisions(name);
    const problems = await tryCells(one, cells);
    const expected = tally(cells.flatMap((cell) => expectedDecisions(one, cell)));
    // A service that only observes may decide after the response was sent.
    const counted = async () => added(before, await fixture.decisions(name));
    const isCounted = async () => JSON.stringify(await counted()) === JSON.stringify(expected);
    await until(isCounted, { timeoutMs: 1_000 }).catch(() => undefined);
    expect({ problems, decisions: await counted() }).toEqual({ problems: [], decisions: expected });
  });

  const refused = combinations.filter((combination) => !isAllowed(combination));
  if (refused.length > 0) {
    it.each(refused)('%s, %s: is refused at its creation', async (stage, action) => {
      await expect(fixture.replace(fields([stage, action]))).rejects.toThrow(/Guardrails\/Create: /);
    });
  }
});

describe('the whole matrix', () => {
  it('calls the moderation endpoint with the stored key only', async () => {
    gateway.simulator.reset();
    const moderation = kinds.find(({ kind }) => kind === 'moderation');
    await fixture.replace(guardrailFields(['input', 'observe'], moderation?.check('') ?? {}));
    gateway.simulator.reset();
    for (const way of ways) {
      const cell = { id: `text-${++requested}`, way, streamed: false, plants: true, says: 'text' } as const;
      await ask(way, { url: gateway.proxy.url, key, id: cell.id, body: requestBody(cell) });
    }
    const questions = gateway.simulator.requests.filter(({ target }) => target.endsWith('/moderations'));
    const stored = `Bearer ${storedKeys['gpt-provider'].secret.apiKey}`;
    expect(questions.map(({ headers }) => headers.authorization)).toEqual(ways.map(() => stored));
  });

  it('is complete, and recorded for every request that reached a provider', async () => {
    const response = tried.filter(([one, cell]) => expectedDecisions(one, cell).join() !== 'input block');
    const rows = await until(
      async () => {
        const byId = new Map((await recordedRequests(gateway)).map((row) => [row.requestId, row]));
        return response.every(([, { id }]) => byId.has(id)) && byId;
      },
      { timeoutMs: 15_000, what: 'all usage to be recorded' },
    );
    const problems = tried.flatMap(([one, cell]) => usageProblemsOf(one, cell, rows.get(cell.id)));
    expect(problems).toEqual([]);
    const allowed = kinds.reduce((sum, { stages, actions }) => sum + stages.length * actions.length, 0);
    console.log(`matrix: ${tried.length} cells of ${allowed} guardrails on ${ways.length} ways, streamed and not`);
    // Five kinds with all nine combinations, moderation with six, sizes with two; of the first two groups, two thirds
    // inspect responses.
    expect([allowed, ways.length]).toEqual([5 * 9 + 6 + 2, 15]);
    const responseInspecting = (5 * 9 + 6) * (2 / 3);
    const again = 6;
    const texts = 5 * routesTried * 2;
    const calls = 5 * (routesTried === routes ? 2 : 1);
    const sizes = 2 * 15 * 2;
    expect(tried.length).toBe((5 * 9 + 6 + again) * texts + sizes + (responseInspecting + again) * calls);
  });

  it('meets every route, streamed and not, with each action of each kind and at each stage', () => {
    const met = (of: (one: Tried) => string, says: Says) => {
      const cells = tried.filter(([, cell]) => cell.says === says);
      return new Set(cells.map(([one, { way, streamed }]) => [of(one), one.action, way.name, streamed].join())).size;
    };
    const kindOf = ({ kind }: Tried) => kind.kind;
    const stageOf = ({ stage }: Tried) => stage;
    const [text, call] = [15 * 2, 5 * 2];
    expect([met(kindOf, 'text'), met(stageOf, 'text')]).toEqual([(5 * 3 + 2 + 2) * text, 3 * 3 * text]);
    // Calls are tried where responses are inspected.
    expect([met(kindOf, 'call'), met(stageOf, 'call')]).toEqual([(5 * 3 + 2) * call, 2 * 3 * call]);
  });
});
