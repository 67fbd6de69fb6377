// Rows of requests, from real requests at a proxy to what operators see: found by request id, in lists, followed, and
// explained; floods of refusals counted exactly; members and other organizations apart.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passedMax } from '../../../proxy/requests/refusal-sampler.ts';
import { chatRequest } from '../../support/gateway.ts';
import { type Gatewayctl, loggedIn, type Operated, startOperated } from '../../support/gatewayctl.ts';
import { until } from '../../support/process.ts';

let operated: Operated;
let owner: Gatewayctl;

beforeAll(async () => {
  operated = await startOperated();
  ({ owner } = operated);
});
afterAll(() => operated.close());

async function send(key: string, fields: object = {}, headers: Record<string, string> = {}) {
  const url = `${operated.gateway.proxy.url}/v1/chat/completions`;
  const response = await fetch(url, chatRequest(key, fields, headers));
  await response.text();
  return { status: response.status, id: response.headers.get('x-request-id') ?? '' };
}

function found(id: string, by = owner) {
  return until(
    async () => ((await by.run(['requests', 'get', id])).code === 0 ? by.json(['requests', 'get', id]) : 0),
    {
      what: `the row of ${id}`,
    },
  );
}

/** The gateway refuses it before it calls a provider. */
const malformed = { model: '/gpt-4o' };
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('a served request', () => {
  it('has a row with who, where, how much and how long', async () => {
    await owner.expect('systems create checkout');
    const key = (await owner.expect('keys create shop --system checkout')).trim();
    const headers = {
      'user-agent': 'shop/1.2 (Linux)',
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      'session-id': 'session-7',
    };
    const { status, id } = await send(key, {}, headers);
    expect(status).toBe(200);
    const { request, explanation } = await found(id);
    expect(request).toMatchObject({
      ...{ result: 'REQUEST_RESULT_OK', keyName: 'shop', aiSystemName: 'checkout' },
      source: {
        ...{ method: 'POST', path: '/v1/chat/completions', clientFormat: 'chat_completions' },
        ...{ userAgent: 'shop/1.2 (Linux)', model: 'gpt-provider/gpt-4o-mini', provider: 'gpt-provider' },
        ...{ directKey: false, streamed: false },
      },
      facts: { requestId: id, traceId, session: 'session-7', status: 200, attempts: 1, represents: 1 },
    });
    const { tokens, costNanoUsd, durationMs, firstByteMs } = request.facts;
    expect(Number(tokens.prompt)).toBeGreaterThan(0);
    expect(Number(costNanoUsd)).toBeGreaterThan(0);
    expect(durationMs).toBeGreaterThanOrEqual(firstByteMs);
    expect(explanation).toMatchObject({ cause: 'the request was served', remedy: 'REQUEST_REMEDY_NONE' });
    expect((await found(request.id)).request.facts.requestId).toBe(id);
  });

  it('is in lists by its filters, newest first, without those that do not fit', async () => {
    const key = (await owner.expect('keys create lists')).trim();
    const ids = [];
    for (let sent = 0; sent < 3; sent++) ids.unshift((await send(key)).id);
    const refused = (await send(key, malformed)).id;
    await found(refused);
    const listed = async (...options: string[]) =>
      (await owner.json(['requests', 'list', '--key', 'lists', ...options])).requests.map(
        (row: { facts: { requestId: string } }) => row.facts.requestId,
      );
    expect(await listed()).toEqual([refused, ...ids]);
    expect(await listed('--status', 'refused', '--last', '1h')).toEqual([refused]);
    expect(await listed('--status', 'ok', '--model', 'gpt-provider/gpt-4o-mini')).toEqual(ids);
    expect(await listed('--error', 'invalid_request', '--limit', '1')).toEqual([refused]);
    expect(await listed('--provider', 'gpt-provider', '--status', 'failed')).toEqual([]);
    const { api, id } = operated.gateway.organization;
    const wrong = { organizationId: id, model: 'x\u0000', pageSize: 501, followToken: 'none' };
    await expect(api.call('Requests/List', wrong)).rejects.toThrow('page_size');
    await expect(api.call('Requests/List', { ...wrong, pageSize: 1, followToken: '' })).rejects.toThrow();
    const table = await owner.expect('requests list --key lists --status refused');
    expect(table).toMatch(new RegExp(`400 +refused +lists .*invalid_request.* ${refused}$`, 'm'));
  });

  it('comes while the list is followed, once', async () => {
    const key = (await owner.expect('keys create followed')).trim();
    const tailing = owner.expect('requests tail --key followed --count 3 --json');
    const ids = new Set<string>();
    const sending = (async () => {
      for (let sent = 0; sent < 3; sent++) ids.add((await send(key)).id);
    })();
    await sending;
    const lines = (await tailing).trim().split('\n');
    expect(new Set(lines.map((line) => JSON.parse(line).facts.requestId))).toEqual(ids);
  });
});

describe('a refused request', () => {
  it('says which budget, guardrail, allow-list or state refused it, and who can change that', async () => {
    const refused = async (name: string, fields: object = {}) => {
      const key = (await owner.expect(['keys', 'create', name])).trim();
      return { key, refuse: async () => (await found((await send(key, fields)).id)).explanation };
    };
    const spent = await refused('spent');
    await owner.expect('limits create budget --usd 0.000001 --period day --key spent');
    expect(await spent.refuse()).toMatchObject({
      remedy: 'REQUEST_REMEDY_ADMIN',
      decidedBy: 'the budget of $0.000001 a day of the virtual key spent',
    });
    const key = (await owner.expect('keys create narrow --allow gpt-provider/gpt-4o')).trim();
    expect((await found((await send(key)).id)).explanation).toMatchObject({
      cause: 'an allow-list does not contain the model',
      decidedBy: 'the allow-list of the virtual key narrow',
    });
    const bare = await found((await send(key, { model: 'gpt-4o-mini' })).id);
    expect(bare.request.source).toMatchObject({ model: 'gpt-provider/gpt-4o-mini', modelSent: 'gpt-4o-mini' });
    expect(bare.explanation.decidedBy).toBe('the allow-list of the virtual key narrow');
    const shown = await owner.expect(['requests', 'get', bare.request.id]);
    expect(shown).toMatch(/^explanation cause +an allow-list does not contain the model$/m);
    expect(shown).toMatch(/^explanation remedy +admin$/m);
    expect(shown).not.toMatch(/ (-|unspecified)$/m);
    await owner.expect('guardrails create no-fruit --stage input --action block --words persimmon');
    const { id } = await send(key, {
      model: 'gpt-provider/gpt-4o',
      messages: [{ role: 'user', content: 'persimmon' }],
    });
    const blocked = await found(id);
    expect(blocked.explanation).toMatchObject({ decidedBy: 'the guardrail no-fruit' });
    expect(JSON.stringify(blocked)).not.toContain('persimmon');
    await owner.expect('guardrails delete no-fruit --yes');
    await send(key, { model: 'gpt-provider/gpt-4o' });
    await owner.expect('keys update narrow --active false');
    const inactive = await until(async () => {
      const sent = await send(key, { model: 'gpt-provider/gpt-4o' });
      return sent.status === 403 && sent;
    });
    expect((await found(inactive.id)).explanation).toMatchObject({
      decidedBy: 'the virtual key narrow, which is inactive',
    });
  });

  it('of a flood is counted exactly, by few rows', async () => {
    const key = (await owner.expect('keys create flooding')).trim();
    const count = 60;
    await Promise.all(Array.from({ length: count }, () => send(key, malformed)));
    const rows = await until(
      async () => {
        const { requests } = await owner.json('requests list --key flooding');
        const sum = requests.reduce(
          (all: number, row: { facts: { represents: number } }) => all + row.facts.represents,
          0,
        );
        return sum >= count && requests;
      },
      { what: 'the end of the interval', timeoutMs: 20_000 },
    );
    expect(rows.length).toBeLessThanOrEqual(2 * (passedMax + 1));
    expect(rows.reduce((all: number, row: { facts: { represents: number } }) => all + row.facts.represents, 0)).toBe(
      count,
    );
  });

  it('by a vendor has its words without what looks like a key, and nothing of the request', async () => {
    const key = (await owner.expect('keys create vendor')).trim();
    const secret = 'sk-proj-Ab3dEf6hIj9lMn2pQr5tUv8x';
    operated.gateway.simulator.script({ status: 500, error: { message: `the key ${secret} made our server fail` } });
    const failed = await found((await send(key)).id);
    expect(failed.request.facts.errorMessage).toBe('status 500: the key [hidden] made our server fail');
    expect(failed.request.result).toBe('REQUEST_RESULT_FAILED');
    const text = 'Hello from a person whose name is Ada Lovelace';
    operated.gateway.simulator.script({ status: 429, error: { message: `too much: ${text}` } });
    const repeated = await found((await send(key, { messages: [{ role: 'user', content: text }] })).id);
    expect(JSON.stringify(repeated)).not.toContain('Lovelace');
    expect(repeated.explanation).toMatchObject({ remedy: 'REQUEST_REMEDY_WAIT' });
  });
});

describe('rows of requests', () => {
  it('are seen by members only of their own keys, and by no other organization', async () => {
    await owner.expect('people create Mo --role member');
    const token = (await owner.expect('operator-tokens create laptop --person Mo')).trim();
    const member = await loggedIn(operated.gateway.controlPlane.grpcPort, token);
    const own = (await owner.expect('keys create of-mo --person Mo')).trim();
    const others = (await owner.expect('keys create of-others')).trim();
    const [ofMember, ofOthers] = [(await send(own)).id, (await send(others)).id];
    await found(ofMember);
    await found(ofOthers);
    const { request } = await found(ofMember, member);
    expect(request.source).not.toHaveProperty('providerKeyId');
    expect((await member.run(['requests', 'get', ofOthers])).err).toContain('no such id');
    const listed = (await member.json('requests list')).requests;
    expect(listed.map((row: { facts: { requestId: string } }) => row.facts.requestId)).toEqual([ofMember]);
    const other = await operated.gateway.createOrganization('other');
    const stranger = await loggedIn(operated.gateway.controlPlane.grpcPort, other.ownerToken);
    expect((await stranger.run(['requests', 'get', ofMember])).code).not.toBe(0);
    expect((await stranger.json('requests list')).requests).toEqual([]);
    member.remove();
    stranger.remove();
  });

  it('are not made for an organization that turned them off', async () => {
    const quiet = await operated.gateway.createOrganization('quiet');
    await quiet.api.call('Organizations/UpdateSettings', {
      id: quiet.id,
      settings: { requests: { retentionDays: 0 } },
    });
    const { value } = await quiet.createKey();
    await send(value);
    const loud = await send((await owner.expect('keys create loud')).trim());
    await found(loud.id);
    const { requests } = await quiet.api.call('Requests/List', { organizationId: quiet.id });
    expect(requests ?? []).toEqual([]);
  });

  it('that wait are reported when a proxy stops', async () => {
    const key = (await owner.expect('keys create stopping')).trim();
    const proxy = await operated.gateway.startProxy();
    const response = await fetch(`${proxy.url}/v1/chat/completions`, chatRequest(key));
    await response.text();
    await proxy.drain();
    const { requests } = await owner.json('requests list --key stopping');
    expect(requests).toHaveLength(1);
  });
});
