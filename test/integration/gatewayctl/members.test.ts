// The command line in the hands of a member: their own keys, usage, limits and tokens, without a right to look up other
// people.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatRequest } from '../../support/gateway.ts';
import { createGatewayctl, type Gatewayctl, loggedIn, type Operated, startOperated } from '../../support/gatewayctl.ts';
import { until } from '../../support/process.ts';

let operated: Operated;
let owner: Gatewayctl;
let member: Gatewayctl;
let memberId: string;
let grpcPort: number;

beforeAll(async () => {
  operated = await startOperated();
  ({ owner } = operated);
  ({ grpcPort } = operated.gateway.controlPlane);
  memberId = (await owner.json(['people', 'create', 'Mo Member', '--role', 'member'])).id;
  const token = await owner.expect(['operator-tokens', 'create', 'laptop', '--person', 'Mo Member']);
  member = await loggedIn(grpcPort, token.trim());
});
afterAll(async () => {
  member.remove();
  await operated.close();
});

const personal = () => ({ kind: 'KEY_SCOPE_KIND_PERSON', id: memberId });

describe('a member with gatewayctl', () => {
  it.each([
    ['without naming a person', ['keys', 'create', 'mine']],
    ['as me', ['keys', 'create', 'mine too', '--person', 'me']],
    ['by their name', ['keys', 'create', 'mine by name', '--person', 'Mo Member']],
  ])('creates their own key %s, and it works', async (_how, line) => {
    const { code, out, err } = await member.run(line);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^scope kind +person$/m) });
    expect((await member.json(['keys', 'get', line[2] ?? ''])).scope).toEqual(personal());
    const { url } = operated.gateway.proxy;
    expect((await fetch(`${url}/v1/chat/completions`, chatRequest(out.trim()))).status).toBe(200);
  });

  it('lists, shows, rotates and revokes their own keys by name', async () => {
    await member.expect('keys create journey --ends-in 30d --metadata team=web');
    await owner.expect('keys create of-all');
    expect(await member.expect('keys list')).not.toContain('of-all');
    expect(await member.expect('keys list --person me --status active')).toMatch(/^journey .* active /m);
    expect(await member.expect('keys get journey')).toMatch(/^metadata +team=web$/m);
    expect(await member.expect('keys rotate journey --grace 1h --yes')).toMatch(/^sk-svc-\w+\n$/);
    await member.expect('keys revoke journey --yes');
    expect(await member.expect('keys get journey')).toMatch(/^status +revoked$/m);
  });

  it('sees their own usage, limits and person', async () => {
    await owner.expect(['limits', 'create', 'requests-per-minute', '--count', '600', '--person', 'Mo Member']);
    expect(await member.expect('limits list --person me')).toMatch(/requests-per-minute +person/);
    expect(await member.expect('people get me')).toMatch(/^name +Mo Member$/m);
    await until(
      async () => (await member.json('usage totals --by person --person me')).totals[0]?.personId === memberId,
      { what: 'the usage to be in the ledger' },
    );
    expect((await member.run('usage totals --by key')).code).toBe(0);
    expect((await member.run('budgets windows')).code).toBe(0);
  });

  it('creates, lists and revokes their own tokens', async () => {
    const token = await member.expect('operator-tokens create spare --person me --days 1');
    const spare = createGatewayctl();
    await spare.expect(`context add local --server 127.0.0.1:${grpcPort}`);
    expect((await spare.run('login', { input: token })).err).toContain('as Mo Member (member)');
    spare.remove();
    const { operatorTokens } = await member.json(['operator-tokens', 'list', '--person', 'Mo Member']);
    const { id } = operatorTokens.find(({ name }: { name: string }) => name === 'spare');
    await member.expect(`operator-tokens revoke ${id} --yes`);
  });

  it('cannot name another person, which is reported before anything is sent', async () => {
    const { code, err } = await member.run('keys create theirs --person owner');
    expect([code, err]).toEqual([2, expect.stringContaining('you are "Mo Member", or me')]);
  });

  it('cannot create a key of the organization', async () => {
    const path = operated.file(
      'scope.json',
      JSON.stringify({
        scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: operated.gateway.organization.id },
      }),
    );
    const { code, err } = await member.run(['keys', 'create', 'wide', '--file', path]);
    expect([code, err]).toEqual([1, expect.stringContaining('scoped to themself only')]);
  });
});

describe('the name "me"', () => {
  it('is the caller, in any role', async () => {
    await owner.expect('keys create of-me --person me');
    const { ownerId } = operated.gateway.organization;
    expect((await owner.json('keys get of-me')).scope).toEqual({
      kind: 'KEY_SCOPE_KIND_PERSON',
      id: ownerId,
    });
    expect((await operated.platform.json('people get me')).role).toBe('ROLE_PLATFORM_OPERATOR');
  });

  it("is no default for those who manage the organization: their keys are the organization's", async () => {
    await owner.expect('keys create of-acme');
    expect((await owner.json('keys get of-acme')).scope.kind).toBe('KEY_SCOPE_KIND_ORGANIZATION');
  });
});

describe('the name of a revoked key', () => {
  it('still names it, until another key has the name', async () => {
    await owner.expect('keys create renamed');
    const { id } = await owner.json('keys get renamed');
    await owner.expect('keys revoke renamed --yes');
    expect(await owner.json('keys get renamed')).toMatchObject({ id, status: 'KEY_STATUS_REVOKED' });
    await owner.expect('keys create renamed');
    const now = await owner.json('keys get renamed');
    expect(now.status).toBe('KEY_STATUS_ACTIVE');
    expect(now.id).not.toBe(id);
  });
});
