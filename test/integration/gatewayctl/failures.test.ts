// A failing command: its exit code, and one sentence that says what to do and contains no secret.
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { createGatewayctl, type Gatewayctl, loggedIn } from '../../support/gatewayctl.ts';
import { freePort } from '../../support/process.ts';
import { createAuthority, type TestAuthority } from '../../support/tls.ts';

let gateway: TestGateway;
let authority: TestAuthority;
let tlsPort: number;
let owner: Gatewayctl;
let nobody: Gatewayctl;

beforeAll(async () => {
  authority = await createAuthority();
  gateway = await startGateway();
  const { certFile, keyFile } = await authority.issue({
    commonName: 'control-plane',
    names: ['DNS:control-plane.model-gateway.svc'],
  });
  const tls = await gateway.startControlPlane({
    GATEWAY_TLS_CERT_FILE: certFile,
    GATEWAY_TLS_KEY_FILE: keyFile,
  });
  tlsPort = tls.grpcPort;
  owner = await loggedIn(gateway.controlPlane.grpcPort, gateway.organization.ownerToken);
  nobody = createGatewayctl();
});
afterAll(async () => {
  owner.remove();
  nobody.remove();
  await gateway.close();
  authority.remove();
});

const ask = (server: string, options = '') =>
  nobody.run(`systems list --organization x --timeout 1s --server ${server} ${options}`, {
    env: { GATEWAYCTL_TOKEN: createCredential('operator') },
  });

describe('no connection', () => {
  it('to a port on which nothing listens is reported', async () => {
    const server = `127.0.0.1:${await freePort()}`;
    const { code, err } = await ask(server);
    expect(code).toBe(3);
    expect(err).toBe(
      `gatewayctl: no connection to ${server}: nothing listens there; check the address and whether the control plane runs\n`,
    );
  });

  it('to an unknown name is reported', async () => {
    expect(await ask('gateway.invalid:50051', '--plaintext')).toMatchObject({
      code: 3,
      err: expect.stringContaining('no address is known for this name'),
    });
  });

  it('to a server that never responds is reported', async () => {
    const sockets: Socket[] = [];
    const server = await listening((socket) => sockets.push(socket));
    const { code, err } = await ask(`127.0.0.1:${portOf(server)}`);
    expect([code, err]).toEqual([3, expect.stringContaining('nothing responds there')]);
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('with TLS to a server without TLS is reported', async () => {
    const { code, err } = await ask(`127.0.0.1:${gateway.controlPlane.grpcPort}`, '--tls');
    expect([code, err]).toEqual([
      3,
      expect.stringMatching(/does not speak TLS there.*--plaintext|ended the connection/),
    ]);
  });

  it('without TLS to a server with TLS is reported', async () => {
    const { code, err } = await ask(`127.0.0.1:${tlsPort}`);
    expect([code, err]).toEqual([3, expect.stringContaining('if it speaks TLS, give --tls or --ca-file')]);
  });

  it('to a server whose authority is not trusted is reported', async () => {
    const { code, err } = await ask(`127.0.0.1:${tlsPort}`, '--tls');
    expect([code, err]).toEqual([3, expect.stringContaining('give its authority with --ca-file')]);
  });

  it('to a server whose certificate is for another name, until that name is given', async () => {
    const { code, err } = await ask(`127.0.0.1:${tlsPort}`, `--ca-file ${authority.caFile}`);
    expect([code, err]).toEqual([3, expect.stringContaining('give one of them with --server-name')]);
    const named = `--ca-file ${authority.caFile} --server-name control-plane.model-gateway.svc`;
    const first = createGatewayctl();
    const { code: done, err: output } = await first.run(
      ['bootstrap', 'Peter', '--server', `127.0.0.1:${tlsPort}`, ...named.split(' ')],
      { input: gateway.secrets.bootstrapToken },
    );
    expect([done, output]).toEqual([0, expect.stringContaining('as Peter (platform-operator)')]);
    expect(await first.expect('context show')).toMatch(/^transport +TLS, authorities .*, server name control-plane/m);
    expect(await first.expect('organizations list')).toBe('');
    const again = await first.run('bootstrap Peter', { input: gateway.secrets.bootstrapToken });
    expect([again.code, again.out]).toEqual([4, '']);
    first.remove();
  });

  it('with an invalid file of authorities is reported', async () => {
    const { code, err } = await ask(`127.0.0.1:${tlsPort}`, '--ca-file no-such-file');
    expect([code, err]).toEqual([2, expect.stringContaining('no-such-file')]);
  });
});

describe('no token', () => {
  const server = () => `127.0.0.1:${gateway.controlPlane.grpcPort}`;

  it('is reported with the login command', async () => {
    const { code, err } = await nobody.run(`keys list --server ${server()}`);
    expect([code, err]).toEqual([4, `gatewayctl: there is no token for ${server()}; run: gatewayctl login\n`]);
  });

  it('that the server accepts is reported with the login command', async () => {
    const { code, err } = await ask(server());
    expect([code, err]).toEqual([4, `gatewayctl: ${server()} does not accept the token; run: gatewayctl login\n`]);
  });

  it.each(['virtualKey', 'proxy', 'bootstrap'] as const)(
    'but a %s credential is refused and sent to no server',
    async (kind) => {
      const value = createCredential(kind);
      const { code, err } = await nobody.run('keys list --server 192.0.2.1:1', {
        env: { GATEWAYCTL_TOKEN: value },
      });
      expect([code, err]).toEqual([2, expect.stringContaining('GATEWAYCTL_TOKEN is another kind of credential')]);
      expect(err).not.toContain(value);
    },
  );

  it('is stored by login before the server accepts it', async () => {
    await nobody.expect(`context add local --server ${server()}`);
    const { code } = await nobody.run('login', { input: createCredential('operator') });
    expect(code).toBe(4);
    expect(await nobody.expect('context list')).toContain('not logged in');
    expect(readFileSync(nobody.env.GATEWAYCTL_CONFIG, 'utf8')).not.toContain('gw-op-');
    await nobody.expect('context remove local');
  });

  it('of the context is sent to another server', async () => {
    const { code, err } = await owner.run('keys list --server 127.0.0.1:1');
    expect([code, err]).toEqual([4, expect.stringContaining('there is no token for 127.0.0.1:1')]);
  });
});

describe('a refusal by the server', () => {
  it('for a role that does not allow the call names who can help', async () => {
    const { code, err } = await owner.run('proxy-tokens list');
    expect([code, err]).toEqual([1, expect.stringContaining('ask a person whose role allows it')]);
  });

  it('for an id that does not exist is reported', async () => {
    const { code, err } = await owner.run('keys get 01890000-0000-7000-8000-000000000000');
    expect([code, err]).toEqual([1, expect.stringContaining('the server refused: no such')]);
  });

  it('of values names their options', async () => {
    const { code, err } = await owner.run('limits create budget --usd 5');
    expect(code).toBe(1);
    expect(err).toMatch(
      /^gatewayctl: the server refused: --period must be one of day, week, month, total, hour, quarter\n$/,
    );
  });

  it('for a name that is in use, or an outdated revision, states what to do', async () => {
    await owner.expect('systems create taken');
    expect(await owner.run('systems create taken')).toMatchObject({
      code: 1,
      err: expect.stringContaining('choose another one'),
    });
    const stale = await owner.run('systems update taken --active false --if-revision 1');
    expect([stale.code, stale.err]).toEqual([1, expect.stringContaining('look at it again')]);
  });
});

describe('a mistake on the command line', () => {
  it.each([
    [
      'keys get no-such-key',
      'there is no key "no-such-key"; gatewayctl keys list --include-revoked shows those there are',
    ],
    ['limits create budget --usd 1 --count 2x --period day', '--count must be a whole number'],
    ['keys create x --ends-in 5parsecs', '--ends-in must be a duration'],
    ['keys update 01890000-0000-7000-8000-000000000000', 'nothing would change'],
    ['keys create x --system a --person b', '--system excludes --person; keep one of them'],
    ['keys create x --metadata nothing', '--metadata must be name=value'],
    ['keys create x --file no-such-file', 'the file no-such-file cannot be read (ENOENT)'],
    ['keys list --limit 0', '--limit must be a whole number from 1'],
    ['keys list --context elsewhere', 'there is no context "elsewhere"'],
    ['keys list --timeout soon', '--timeout must be a duration'],
    ['keys list --server nowhere', 'the server must be host:port'],
    ['keys list --server 127.0.0.1:1 --tls --plaintext', '--plaintext excludes --tls'],
    ['guardrails create two --stage input --action block --secrets --words a', 'must not be given beside'],
    ['usage export --last 1d --from 2026-01-01', '--last excludes --from'],
  ])('with %s exits with 2 and one sentence', async (line, sentence) => {
    const { code, out, err } = await owner.run(line);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(sentence);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  it('in a file names all wrong fields', async () => {
    const { code, err } = await owner.run('keys create x --file -', { input: '{"active":"yes","nmae":"x"}' });
    expect([code, err]).toEqual([2, 'gatewayctl: active must be true or false; nmae is not a field of this request\n']);
    const broken = await owner.run('keys create x --file -', { input: `{"secret":"${'hush'.repeat(3)}"` });
    expect(broken.err).toBe('gatewayctl: standard input is not JSON\n');
  });

  it('with an ambiguous name requests an id', async () => {
    const platform = await loggedIn(gateway.controlPlane.grpcPort, gateway.secrets.platformToken);
    for (const _ of ['first', 'second']) await platform.expect('proxy-tokens create twin');
    const { code, err } = await platform.run('proxy-tokens revoke twin --yes');
    const [, first = ''] = /"twin" is the name of 2; give an id: (\S+), \S+\n/.exec(err) ?? [];
    expect(code).toBe(2);
    await platform.expect(`proxy-tokens revoke ${first} --yes`);
    // A revoked token does not count for its name.
    await platform.expect('proxy-tokens revoke twin --yes');
    platform.remove();
  });

  it('with a credential in it is reported without the credential', async () => {
    const value = createCredential('operator');
    for (const line of [`keys ${value}`, `keys list ${value}`, `${value}`, `keys get ${value}`, `login --${value}`]) {
      const { code, out, err } = await owner.run(line);
      expect(code).toBe(2);
      expect(out + err).not.toContain(value);
    }
  });
});

describe('a change that cannot be undone', () => {
  it('is confirmed on a terminal, and otherwise not made', async () => {
    await owner.expect('keys create precious');
    const kept = await owner.run('keys revoke precious', { inputs: ['n'] });
    expect(kept).toMatchObject({ code: 1, err: 'gatewayctl: not confirmed; nothing was done\n' });
    expect(kept.requested).toEqual([
      'Revoke the key precious? Its callers are refused at once, and it stays revoked. [y/N] ',
    ]);
    expect(await owner.expect('keys list')).toContain('precious');
    expect((await owner.run('keys revoke precious', { inputs: ['y'] })).code).toBe(0);
    expect(await owner.expect('keys list')).not.toContain('precious');
  });

  it('needs --yes without a terminal', async () => {
    await owner.expect('systems create kept');
    const { code, err } = await owner.run('systems delete kept');
    expect([code, err]).toEqual([2, expect.stringContaining('needs --yes')]);
    expect(await owner.expect('systems list')).toContain('kept');
  });
});

describe('the configuration of gatewayctl', () => {
  it('is readable by its owner alone, and refused when others may read it', async () => {
    const path = owner.env.GATEWAYCTL_CONFIG;
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    chmodSync(path, 0o640);
    const { code, err } = await owner.run('keys list');
    expect([code, err]).toEqual([
      2,
      `gatewayctl: others may read ${path}, which contains tokens; run: chmod 600 ${path}\n`,
    ]);
    chmodSync(path, 0o600);
    expect((await owner.run('keys list')).code).toBe(0);
  });

  it.each([
    ['{', 'it is not JSON'],
    ['{"contexts":{"a":{}}}', 'it has no server'],
    ['{"contexts":{"a":{"server":"h:1","transport":{"kind":"carrier-pigeon"}}}}', 'neither plaintext nor tls'],
    ['{"contexts":{"a":{"server":"h"}}}', 'must be host:port'],
  ])('that contains %s is not used', async (text, why) => {
    const other = createGatewayctl();
    mkdirSync(dirname(other.env.GATEWAYCTL_CONFIG), { recursive: true });
    writeFileSync(other.env.GATEWAYCTL_CONFIG, text, { mode: 0o600 });
    const { code, err } = await other.run('keys list');
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
    other.remove();
  });
});

function listening(onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onConnection);
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return address.port;
}
