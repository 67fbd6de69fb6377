// Issuers, invitations and sessions of the console on the command line.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gatewayctl, type Operated, startOperated } from '../../support/gatewayctl.ts';

let operated: Operated;
let owner: Gatewayctl;

beforeAll(async () => {
  operated = await startOperated();
  ({ owner } = operated);
});
afterAll(() => operated.close());

describe('gatewayctl', () => {
  it('adds an issuer with its secret from standard input and its roles in order, and shows it without the secret', async () => {
    const url = 'https://login.example.com/tenant';
    const roles = ['--role', 'groups=admins:admin', '--role', 'https://x/dept=a=b:member'];
    const line = ['issuers', 'create', 'okta', '--url', url, '--client-id', 'gateway', '--secret-file', '-', ...roles];
    const made = await owner.json(line, { input: 'a-secret-of-the-client\n' });
    expect(made).toMatchObject({
      ...{
        name: 'okta',
        url,
        clientId: 'gateway',
        hasSecret: true,
        unknownPerson: 'UNKNOWN_PERSON_REFUSE',
        enabled: true,
      },
      roles: [
        { claim: 'groups', value: 'admins', role: 'ROLE_ADMIN' },
        { claim: 'https://x/dept', value: 'a=b', role: 'ROLE_MEMBER' },
      ],
    });
    expect(JSON.stringify(made)).not.toContain('a-secret');
    const changed = await owner.json([
      'issuers',
      'update',
      'okta',
      '--role',
      'groups=all:member',
      '--unknown-person',
      'member',
    ]);
    expect(changed).toMatchObject({
      ...{ roles: [{ claim: 'groups', value: 'all', role: 'ROLE_MEMBER' }] },
      ...{ unknownPerson: 'UNKNOWN_PERSON_MEMBER', hasSecret: true },
    });
    expect(await owner.expect(['issuers', 'list'])).toMatch(/^okta +\S+ +https:/m);
    await owner.expect(['issuers', 'delete', 'okta', '--yes']);
  });

  it('refuses a role that no claim may give', async () => {
    const line = [
      'issuers',
      'create',
      'x',
      '--url',
      'https://login.example.com',
      '--client-id',
      'x',
      '--role',
      'a=b:owner',
    ];
    expect((await owner.run(line)).err).toContain('claim=value:admin or claim=value:member');
  });

  it('prints the value of an invitation alone, and lists open ones', async () => {
    const value = await owner.expect(['invitations', 'create', 'mo@example.com', '--role', 'member']);
    expect(value).toMatch(/^gw-inv-\w{49}\n$/);
    expect(await owner.expect(['invitations', 'list'])).toMatch(/^mo@example\.com +\S+ +member/m);
  });

  it('says that links are made by a gateway of one process alone, and lists sessions', async () => {
    expect((await owner.run(['console'])).err).toContain('npm start');
    expect(await owner.json(['sessions', 'list', '--everybody'])).toMatchObject({ sessions: [] });
  });
});
