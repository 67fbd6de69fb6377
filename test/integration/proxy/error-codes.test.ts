// Every code of the error table, provoked over a real socket and compared with its whole response: status, type, code,
// param, error source and headers with advice; with its line in the log; and with what operators see of it. Codes that no
// request can reach are listed, so none is forgotten.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { explanations } from '../../../control-plane/requests/explanations.ts';
import { type ErrorCode, errorTable } from '../../../proxy/errors.ts';
import { type Gatewayctl, loggedIn } from '../../support/gatewayctl.ts';
import { type AccessLine, accessLine } from '../../support/observe.ts';
import { until } from '../../support/process.ts';
import { callersFaults } from './error-codes/callers.ts';
import { gatewayStates } from './error-codes/gateway.ts';
import { guardrailsRefusals } from './error-codes/guardrails.ts';
import { type FoundBy, operatorsView, reportRequest } from './error-codes/operators-view.ts';
import { type Case, type Cases, startWorld, type World } from './error-codes/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => world.gateway.simulator.reset());
afterAll(async () => {
  for (const close of world?.closers ?? []) await close();
  await world?.gateway.close();
});

const cases: Required<Cases> = { ...callersFaults, ...guardrailsRefusals, ...gatewayStates };
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
    const organizationId = String(line.organization_id);
    if (line.key_id !== undefined) ofKeys.set(code, [...(ofKeys.get(code) ?? []), { id, organizationId }]);
  });
});

const ofKeys = new Map<ErrorCode, FoundBy[]>();

describe('operators find why a request was refused, by its id with one command, for', () => {
  const commandLines = new Map<string, Gatewayctl>();
  afterAll(() => {
    for (const one of commandLines.values()) one.remove();
  });
  const commandLineOf = async (organizationId: string): Promise<Gatewayctl> => {
    const { ownerToken = '' } = world.organizations.get(organizationId) ?? {};
    const made = commandLines.get(organizationId) ?? (await loggedIn(world.gateway.controlPlane.grpcPort, ownerToken));
    commandLines.set(organizationId, made);
    return made;
  };

  it.each(Object.entries(operatorsView))('%s', async (name, view) => {
    const code = name as ErrorCode;
    const requests = ofKeys.get(code) ?? [];
    if ('keyless' in view) return expect(requests).toEqual([]);
    if (view.reported !== undefined) requests.push(await reportRequest(world, code));
    expect(requests).not.toEqual([]);
    // One row may represent several equal refusals, and not this one.
    const found = async () => {
      for (const { id, organizationId } of requests.toReversed()) {
        const { code: exitCode, out } = await (await commandLineOf(organizationId)).run(`requests get ${id}`);
        if (exitCode === 0) return out;
      }
      return undefined;
    };
    const fields = fieldsOf(await until(found, { what: `a row of ${code}`, timeoutMs: 10_000 }));
    expect(fields).toMatchObject({
      'request facts error code': code,
      'explanation cause': explanations[code].cause,
      'explanation remedy': view.remedy.replace('_', '-'),
      'explanation advice': explanations[code].advice,
    });
    const { decidedBy } = view;
    if (decidedBy instanceof RegExp) expect(fields['explanation decided by']).toMatch(decidedBy);
    else expect(fields['explanation decided by']).toBe(decidedBy);
  });
});

/** The lines of a result for people. */
function fieldsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/^(\S+(?: \S+)*) {2,}(.*)$/gm)].map(([, name, value]) => [name, value]));
}

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
  expect(left.toSorted()).toEqual(['guardrail_unavailable', 'no_healthy_target']);
  expect(reached.every(([, rows]) => rows.length > 0)).toBe(true);
});
