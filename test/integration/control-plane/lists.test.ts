// Behaviour that all resources share: pages of lists, and names.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bootstrap,
  type Called,
  createKey,
  createTenant,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';

let plane: OperatorsPlane;
let platform: Someone;
let acme: TestTenant;
let owner: string;

beforeAll(async () => {
  plane = await startOperatorsPlane();
  platform = await bootstrap(plane);
  acme = await createTenant(plane, platform, 'acme');
  owner = acme.owner.token;
});
afterAll(() => plane.close());

function violations(called: Called): Record<string, string> {
  if ('response' in called) throw new Error('it was accepted');
  return Object.fromEntries(called.detail.violations.map((v) => [v.field, v.description]));
}

describe('lists of resources', () => {
  it('come in pages that neither repeat nor skip', async () => {
    const tenant = await createTenant(plane, platform, freshName('org'));
    const made: string[] = [];
    for (let i = 0; i < 7; i++) {
      const request = { organizationId: tenant.id, name: `system ${i}` };
      made.push((await plane.expect('AiSystems.Create', tenant.owner.token, request)).id);
    }
    const seen: string[] = [];
    let pageToken = '';
    do {
      const request = { organizationId: tenant.id, pageSize: 3, pageToken };
      const page = await plane.expect('AiSystems.List', tenant.owner.token, request);
      expect(page.aiSystems.length).toBeLessThanOrEqual(3);
      seen.push(...page.aiSystems.map((system: JsonResponse) => system.id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual(made);
  });

  it.each([
    ['page_size', { pageSize: 0 }],
    ['page_size', { pageSize: 501 }],
    ['page_token', { pageToken: 'what?' }],
    ['page_token', { pageToken: 'bm9wZQ' }],
  ])('refuse a wrong %s: %j', async (field, wrong) => {
    const called = await plane.call('AiSystems.List', owner, { organizationId: acme.id, ...wrong });
    expect(Object.keys(violations(called))).toEqual([field]);
  });

  it('end a page early rather than exceed the size of a message', async () => {
    const tenant = await createTenant(plane, platform, freshName('org'));
    const entries = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`k${i}`, '€'.repeat(512)]));
    const globs = Array.from({ length: 100 }, (_, i) => `studio-ai/${i}-${'x'.repeat(290)}`);
    for (let i = 0; i < 60; i++) {
      await createKey(plane, tenant, { metadata: { entries }, allowedModels: { globs } });
    }
    let pages = 0;
    let keys = 0;
    let pageToken = '';
    do {
      const request = { organizationId: tenant.id, pageSize: 500, pageToken };
      const page = await plane.expect('VirtualKeys.List', tenant.owner.token, request);
      pages++;
      keys += page.virtualKeys.length;
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(keys).toBe(60);
    expect(pages).toBeGreaterThan(1);
  });
});

describe('names of resources', () => {
  it.each(['', '   ', 'x'.repeat(129), 'a\u0000b', 'a\nb', 'a\u202eb', 'a\u200bb'])('refuse %j', async (name) => {
    const called = await plane.call('AiSystems.Create', owner, { organizationId: acme.id, name });
    expect(violations(called)).toEqual({ name: 'must be 1 to 128 visible characters' });
  });

  it('accept 128 characters of any script', async () => {
    const name = '𝔘'.repeat(128);
    expect((await plane.expect('AiSystems.Create', owner, { organizationId: acme.id, name })).name).toBe(name);
  });
});
