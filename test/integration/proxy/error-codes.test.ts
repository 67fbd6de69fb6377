// Every code of the error table, provoked over a real socket and compared with its whole response: status, type, code,
// param, error source and headers with advice; and with its line in the log. Codes that no request can reach are
// listed, so none is forgotten.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { explanations } from '../../../control-plane/requests/explanations.ts';
import { type ErrorCode, errorTable } from '../../../proxy/errors.ts';
import { type AccessLine, accessLine } from '../../support/observe.ts';
import { callersFaults } from './error-codes/callers.ts';
import { gatewayStates } from './error-codes/gateway.ts';
import { type Case, type Cases, startWorld, type World } from './error-codes/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => world.gateway.simulator.reset());
afterAll(() => world.gateway.close());

const cases: Required<Cases> = { ...callersFaults, ...gatewayStates };
const reached = Object.entries(cases).filter(
  (entry): entry is [ErrorCode, readonly Case[]] => typeof entry[1] !== 'string',
);
const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

describe.each(reached)('the code %s is returned for', (code, rows) => {
  it.each(rows)('$what', async (row) => {
    const response = await row.provoke(world);
    const { status = errorTable[code].status, message = errorTable[code].message } = row;
    const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
    const stated = message instanceof RegExp ? expect.stringMatching(message) : message;
    expect({ status: response.status, body: JSON.parse(response.body) }).toEqual({
      status,
      body: { error: { message: stated, type, param: row.param ?? null, code, ...hintOf(row) } },
    });
    expectHeaders(response.headers, {
      ...{ 'content-type': 'application/json', 'x-svc-error-source': 'gateway', 'x-svc-error-code': code },
      ...{ allow: undefined, 'retry-after': undefined, 'x-should-retry': undefined },
      ...{ 'content-length': String(Buffer.byteLength(response.body)) },
      ...row.headers,
    });
    if (row.noRequest !== undefined) return;
    const id = response.headers.get('x-request-id') ?? '';
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    // The line of internal_error is in another proxy's log.
    if (code === 'internal_error') return;
    const line = await accessLine(world.gateway, id);
    expectLine(line, row, status);
    if (isFindable(world, code, line)) ofKeys.push({ code, id, line });
  });
});

/** Requests of known keys of two organizations. A proxy without a ledger has no control plane to report to either. */
function isFindable({ gateway, open }: World, code: ErrorCode, { key_id, organization_id }: AccessLine): boolean {
  const isOfTheirs = organization_id === open.id || organization_id === gateway.organization.id;
  return key_id !== undefined && isOfTheirs && code !== 'ledger_unavailable';
}

const ofKeys: { readonly code: ErrorCode; readonly id: string; readonly line: AccessLine }[] = [];

it('operators find a refusal of each code that a known key can get, with its cause and who can change it', async () => {
  const { open } = world;
  const { organization } = world.gateway;
  const expected = new Set(ofKeys.map(({ code }) => code));
  expect(expected.size).toBeGreaterThan(25);
  const get = async ({ id, line }: (typeof ofKeys)[number]) => {
    const { api, id: organizationId } = line.organization_id === open.id ? open : organization;
    return api.call('Requests/Get', { organizationId, id }).catch(() => undefined);
  };
  const found = new Map<ErrorCode, unknown>();
  // The last of many equal refusals are represented by one row.
  const missing = async () => {
    for (const one of ofKeys) {
      const response = found.has(one.code) ? undefined : await get(one);
      if (response !== undefined) found.set(one.code, response);
    }
    return [...expected].filter((code) => !found.has(code));
  };
  for (let tries = 0; tries < 10 && (await missing()).length > 0; tries++) await sleep(200);
  expect(await missing()).toEqual([]);
  for (const [code, response] of found) {
    expect(response).toMatchObject({
      request: { facts: { errorCode: code, errorSource: 'gateway' } },
      explanation: { cause: explanations[code].cause, advice: expect.stringMatching(/./) },
    });
    expect(response).not.toHaveProperty('explanation.remedy', 'REQUEST_REMEDY_NONE');
  }
});

function expectLine(line: AccessLine, row: Case, status: number) {
  expect(line.level).toEqual(status < 500 ? 'info' : expect.stringMatching(/^(warn|error)$/));
  expect(line).not.toHaveProperty('err');
  const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect(line.limit_id).toEqual(row.limited === true ? uuid : undefined);
  if (line.reason !== undefined) expect(line.reason).toMatch(/^[\x20-\x7e…]{1,400}$/);
}

function hintOf({ hint }: Case): object {
  if (hint === undefined) return {};
  return { hint: typeof hint === 'string' ? hint : expect.stringMatching(hint) };
}

function expectHeaders(
  headers: { get(name: string): string | null | undefined },
  expected: Readonly<Record<string, string | undefined>>,
) {
  for (const [name, value] of Object.entries(expected)) {
    const got = headers.get(name) ?? undefined;
    if (value === 'seconds') expect(Number(got)).toBeGreaterThan(0);
    else expect(`${name}: ${got}`).toBe(`${name}: ${value}`);
  }
}

it('every code of the table is provoked above, except the listed ones', () => {
  const left = Object.keys(errorTable).filter((code) => !reached.some(([name]) => name === code));
  expect(left.toSorted()).toEqual(['guardrail_blocked', 'guardrail_unavailable', 'no_healthy_target']);
  expect(reached.every(([, rows]) => rows.length > 0)).toBe(true);
});
