// Guardrails.Test through the real server: the decisions on a text, their order, and that the text is in no log and no
// event.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bootstrap,
  createTenant,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  refusal,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';

let plane: OperatorsPlane;
let platform: Someone;
beforeAll(async () => {
  plane = await startOperatorsPlane();
  platform = await bootstrap(plane);
});
afterAll(() => plane.close());

const freshTenant = () => createTenant(plane, platform, freshName('org'));
const words = (...phrases: string[]) => ({ words: { phrases } });

interface Fields {
  readonly name?: string;
  readonly check?: object;
  readonly stage?: string;
  readonly action?: string;
  readonly [field: string]: unknown;
}

async function guardrail(tenant: TestTenant, fields: Fields): Promise<JsonResponse> {
  const made = await plane.expect('Guardrails.Create', tenant.owner.token, {
    ...{ organizationId: tenant.id, name: freshName('guardrail').replace(' ', '-') },
    ...{ check: words('Rosebud'), ...fields },
    stage: `GUARDRAIL_STAGE_${fields.stage ?? 'BOTH'}`,
    action: `GUARDRAIL_ACTION_${fields.action ?? 'BLOCK'}`,
  });
  return made.guardrail;
}

const tried = (tenant: TestTenant, text: string, more: object = {}) =>
  plane.call('Guardrails.Test', tenant.owner.token, {
    ...{ organizationId: tenant.id, stage: 'GUARDRAIL_STAGE_INPUT', text, ...more },
  });
const outcome = async (tenant: TestTenant, text: string, more: object = {}): Promise<JsonResponse> => {
  const called = await tried(tenant, text, more);
  return 'response' in called ? called.response : called;
};
const decisionsOf = ({ results }: JsonResponse) =>
  results.map(({ name, decision }: JsonResponse) => [name, decision.replace('GUARDRAIL_DECISION_', '')]);

describe('a text that is tried', () => {
  it('is returned unchanged when no guardrail applies or matches', async () => {
    const tenant = await freshTenant();
    const untouched = { blockedBy: '', message: '', text: 'Hello, Rosebud', body: '' };
    expect(await outcome(tenant, 'Hello, Rosebud')).toEqual({ ...untouched, results: [] });
    const { id, name } = await guardrail(tenant, { check: words('Xanadu') });
    expect(await outcome(tenant, 'Hello, Rosebud')).toEqual({
      ...untouched,
      results: [
        {
          guardrailId: id,
          name,
          enabled: true,
          decision: 'GUARDRAIL_DECISION_PASS',
          found: {},
          places: [],
        },
      ],
    });
    expect(await outcome(tenant, '')).toMatchObject({ text: '', blockedBy: '' });
  });

  it('is blocked by the first matching guardrail that blocks, and all of them report their matches', async () => {
    const tenant = await freshTenant();
    await guardrail(tenant, { name: 'fourth', position: 9, check: words('Kane') });
    await guardrail(tenant, { name: 'third', position: 8, message: 'No names.', check: words('Kane') });
    await guardrail(tenant, { name: 'second', position: 5, check: words('Xanadu', 'Rosebud') });
    await guardrail(tenant, { name: 'first', position: 1, action: 'REDACT' });
    await guardrail(tenant, { name: 'watching', position: 0, action: 'OBSERVE' });
    const blocked = await outcome(tenant, 'Kane says rosebud, ROSEBUD.');
    expect(blocked).toMatchObject({
      ...{ blockedBy: 'third', message: 'No names. (guardrail third)', text: '' },
    });
    expect(decisionsOf(blocked)).toEqual([
      ['watching', 'OBSERVE'],
      ['first', 'REDACT'],
      ['second', 'BLOCK'],
      ['third', 'BLOCK'],
      ['fourth', 'BLOCK'],
    ]);
    const counts = blocked.results.map(({ found }: JsonResponse) =>
      Object.values<number>(found).reduce((sum, count) => sum + count, 0),
    );
    expect(counts).toEqual([2, 2, 2, 1, 1]);
  });

  it('is blocked by its size before it is searched', async () => {
    const tenant = await freshTenant();
    await guardrail(tenant, { name: 'text', position: 1 });
    const size = { stage: 'INPUT', check: { promptSize: { tokensMax: 1 } } };
    await guardrail(tenant, { ...size, name: 'size', position: 2 });
    await guardrail(tenant, { ...size, name: 'watched', position: 0, action: 'OBSERVE' });
    expect(await outcome(tenant, 'Rosebud')).toMatchObject({ blockedBy: 'size' });
  });

  it('is redacted by all guardrails that redact, the same value by the same placeholder', async () => {
    const tenant = await freshTenant();
    await guardrail(tenant, { action: 'REDACT', check: words('Rosebud') });
    await guardrail(tenant, { action: 'REDACT', check: words('Kane') });
    const { text, blockedBy } = await outcome(tenant, 'Kane, Rosebud, Kane.');
    expect(blockedBy).toBe('');
    expect(text).toMatch(/^(\[[A-Z_]+\d+\]), (\[[A-Z_]+\d+\]), \1\.$/);
    expect(text).not.toMatch(/Kane|Rosebud/);
  });

  it('is not inspected by guardrails of the other stage', async () => {
    const tenant = await freshTenant();
    await guardrail(tenant, { name: 'input', stage: 'INPUT', action: 'OBSERVE' });
    await guardrail(tenant, { name: 'output', stage: 'OUTPUT', action: 'OBSERVE' });
    await guardrail(tenant, { name: 'both', stage: 'BOTH', action: 'OBSERVE' });
    const names = async (stage: string) =>
      decisionsOf(await outcome(tenant, 'Rosebud', { stage: `GUARDRAIL_STAGE_${stage}` })).map(
        ([name]: string[]) => name,
      );
    expect(await names('INPUT')).toEqual(['input', 'both']);
    expect(await names('OUTPUT')).toEqual(['output', 'both']);
  });

  it('is inspected by guardrails of an AI system only when that system is named', async () => {
    const tenant = await freshTenant();
    const system = async () => {
      const request = { organizationId: tenant.id, name: freshName('system') };
      return (await plane.expect('AiSystems.Create', tenant.owner.token, request)).id;
    };
    const [mine, another] = [await system(), await system()];
    await guardrail(tenant, { name: 'narrowed', aiSystemIds: [mine] });
    expect(await outcome(tenant, 'Rosebud')).toMatchObject({ blockedBy: '', results: [] });
    expect(await outcome(tenant, 'Rosebud', { aiSystemId: another })).toMatchObject({ results: [] });
    expect(await outcome(tenant, 'Rosebud', { aiSystemId: mine })).toMatchObject({ blockedBy: 'narrowed' });
    const foreign = (await freshTenant()).id;
    expect(await violated(tried(tenant, 'Rosebud', { aiSystemId: foreign }))).toEqual(['ai_system_id']);
  });

  it('shows the decision of a disabled guardrail, which has no effect', async () => {
    const tenant = await freshTenant();
    await guardrail(tenant, { name: 'draft', enabled: false });
    await guardrail(tenant, { name: 'draft-2', enabled: false, action: 'REDACT' });
    const shown = await outcome(tenant, 'Rosebud');
    expect(shown).toMatchObject({
      blockedBy: '',
      text: 'Rosebud',
      results: [{ enabled: false }, { enabled: false }],
    });
    expect(decisionsOf(shown)).toEqual([
      ['draft', 'BLOCK'],
      ['draft-2', 'REDACT'],
    ]);
  });

  it('is not sent to services, which are still listed', async () => {
    const tenant = await freshTenant();
    await guardrail(tenant, { name: 'service', check: { webhook: { url: 'https://checks.example.com/' } } });
    await guardrail(tenant, { name: 'vendor', check: { moderation: {} } });
    expect(decisionsOf(await outcome(tenant, 'Rosebud'))).toEqual([
      ['service', 'NOT_TRIED'],
      ['vendor', 'NOT_TRIED'],
    ]);
  });

  it('has one token for every four bytes, and is one message', async () => {
    const tenant = await freshTenant();
    await guardrail(tenant, { name: 'tokens', stage: 'INPUT', check: { promptSize: { tokensMax: 2 } } });
    await guardrail(tenant, { name: 'messages', stage: 'INPUT', check: { promptSize: { messagesMax: 1 } } });
    expect(await outcome(tenant, 'éééé')).toMatchObject({ blockedBy: '' });
    const blocked = await outcome(tenant, 'ééééx');
    expect(blocked).toMatchObject({ blockedBy: 'tokens', message: 'blocked by the guardrail tokens' });
    expect(blocked.results[0].found).toEqual({ TOKENS: 1 });
  });

  it('is limited to 128 KiB of UTF-8', async () => {
    const tenant = await freshTenant();
    const full = 'é'.repeat(64 * 1024);
    expect(await outcome(tenant, full)).toMatchObject({ text: full });
    expect(await violated(tried(tenant, `${full}x`))).toEqual(['text']);
  });

  it('is refused when a pattern would take too long on it, and tried when it is short enough', async () => {
    const tenant = await freshTenant();
    await guardrail(tenant, { name: 'hostile', check: { pattern: { patterns: ['[a-m]{0,40}?z|a'] } } });
    expect(await refusal(tried(tenant, 'a'.repeat(128 * 1024)))).toMatchObject({
      ...{ code: 'INVALID_ARGUMENT', violations: { text: expect.stringContaining('200 ms') } },
    });
    expect(await outcome(tenant, 'aaaa7')).toMatchObject({ blockedBy: 'hostile' });
  });

  it('needs exactly one stage', async () => {
    const tenant = await freshTenant();
    for (const stage of ['GUARDRAIL_STAGE_BOTH', 'GUARDRAIL_STAGE_UNSPECIFIED']) {
      expect(await violated(tried(tenant, 'x', { stage }))).toEqual(['stage']);
    }
    expect(await refusal(plane.call('Guardrails.Test', tenant.member.token, {}))).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it('is in no log and no event', async () => {
    const tenant = await freshTenant();
    await guardrail(tenant, { action: 'REDACT' });
    await outcome(tenant, 'Rosebud at the canary-4d1f0a9b7c');
    const request = { organizationId: tenant.id };
    const { events } = await plane.expect('Audit.List', tenant.owner.token, request);
    expect(events.map(({ action }: JsonResponse) => action)).not.toContain('Guardrails.Test');
    expect(plane.logs.join('')).toContain('Guardrails.Test');
    expect(plane.logs.join('') + JSON.stringify(events)).not.toContain('canary-4d1f0a9b7c');
  });
});
