// The control plane as a process: commands, exit codes, and messages that say what to do. The program is the bundle that
// is shipped; programs.test.ts starts it from source as well.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isWellFormedCredential } from '../../../common/credential.ts';
import { parseSigningKey, parseVerifyingKeys } from '../../../common/record-signature.ts';
import { createSealKey, parseSealKeys } from '../../../common/seal.ts';
import { programOf } from '../../support/gateway.ts';
import { type Child, startNode, until } from '../../support/process.ts';

let main: string;
let directory: string;
let env: Record<string, string>;
const children: Child[] = [];

beforeAll(async () => {
  main = await programOf('control-plane/main.ts');
});
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-process-'));
  env = {
    GATEWAY_DATABASE_URL: `sqlite:${join(directory, 'test.db')}`,
    GATEWAY_MASTER_KEY: createSealKey(),
    GATEWAY_GRPC_LISTEN: '127.0.0.1:0',
    GATEWAY_HTTP_LISTEN: '127.0.0.1:0',
    GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
  };
});
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.stop()));
  rmSync(directory, { recursive: true });
});

function start(extra: Record<string, string> = {}, ...command: string[]): Child {
  const child = startNode([main, ...command], { env: { ...env, ...extra } });
  children.push(child);
  return child;
}

describe('the control plane as a process', () => {
  it('serves until SIGTERM and exits with 0', async () => {
    const child = start();
    const line = await until(() =>
      child
        .stdout()
        .split('\n')
        .find((text) => text.includes('"ready"')),
    );
    const { http_port: port } = JSON.parse(line);
    const response = await fetch(`http://127.0.0.1:${port}/gateway.v1.Organizations/List`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(401);
    expect(await child.stop()).toBe(0);
    expect(child.stdout()).toContain('"stopped"');
    expect(child.stderr()).toBe('');
  });

  it('exits with 64 and reports every mistake in its settings', async () => {
    const child = start({ GATEWAY_MASTER_KEY: '', GATEWAY_DATABASE_URL: 'x', GATEWAY_GRPC_LISTEN: 'y' });
    expect(await child.exited).toBe(64);
    for (const name of ['GATEWAY_MASTER_KEY', 'GATEWAY_DATABASE_URL', 'GATEWAY_GRPC_LISTEN']) {
      expect(child.stderr()).toContain(name);
    }
    expect(child.stderr()).not.toContain('    at ');
  });

  it('exits with 64 and lists the commands for an unknown one', async () => {
    const child = start({}, 'new-everything');
    expect(await child.exited).toBe(64);
    expect(child.stderr()).toContain('new-master-key');
  });

  it.each(['GATEWAY_GRPC_LISTEN', 'GATEWAY_HTTP_LISTEN', 'GATEWAY_ADMIN_LISTEN'])(
    'exits with 1 and one line when the port of %s is in use',
    async (setting) => {
      const taken = await occupy();
      try {
        const child = start({ [setting]: `127.0.0.1:${portOf(taken)}` });
        expect(await child.exited).toBe(1);
        expect(child.stderr().trim().split('\n')).toHaveLength(1);
        expect(child.stderr()).toContain('already in use');
        expect(child.stderr()).toContain(setting);
      } finally {
        taken.close();
      }
    },
  );

  it('exits with 1 and one line when the database cannot be reached', async () => {
    const taken = await occupy();
    const port = portOf(taken);
    taken.close();
    const child = start({ GATEWAY_DATABASE_URL: `postgres://user:canary@127.0.0.1:${port}/db` });
    expect(await child.exited).toBe(1);
    expect(child.stderr().trim().split('\n')).toHaveLength(1);
    expect(child.stderr()).toContain('GATEWAY_DATABASE_URL');
    expect(child.stderr() + child.stdout()).not.toContain('canary');
  });

  it('prints a master key and a bootstrap token, one value each', async () => {
    const key = start({}, 'new-master-key');
    const token = start({}, 'new-bootstrap-token');
    expect([await key.exited, await token.exited]).toEqual([0, 0]);
    expect(parseSealKeys(key.stdout()).keys).toHaveLength(1);
    expect(isWellFormedCredential('bootstrap', token.stdout().trim())).toBe(true);
  });

  it('prints a key that signs records, and its public half without any other setting', async () => {
    const made = start({}, 'new-record-key');
    expect(await made.exited).toBe(0);
    const pem = made.stdout();
    const file = join(directory, 'record-signing-key.pem');
    writeFileSync(file, pem);
    for (const given of [{ GATEWAY_RECORD_SIGNING_KEY: pem }, { GATEWAY_RECORD_SIGNING_KEY_FILE: file }]) {
      const child = startNode([main, 'record-public-key'], { env: given });
      children.push(child);
      expect(await child.exited).toBe(0);
      expect(parseVerifyingKeys(child.stdout()).map(({ id }) => id)).toEqual([parseSigningKey(pem).id]);
    }
  });

  it.each<[string, Record<string, string>]>([
    ['is not set', {}],
    ['cannot be used', { GATEWAY_RECORD_SIGNING_KEY: 'canary' }],
    ['is in a file that does not exist', { GATEWAY_RECORD_SIGNING_KEY_FILE: '/nowhere/key.pem' }],
  ])('exits with 64 and names the setting when the key for the requested public key %s', async (_what, given) => {
    const child = start(given, 'record-public-key');
    expect(await child.exited).toBe(64);
    expect(child.stderr()).toContain('GATEWAY_RECORD_SIGNING_KEY');
    expect(child.stderr()).not.toContain('canary');
    expect(child.stdout()).toBe('');
  });

  it('verifies the audit log, and reports one that was tampered with', async () => {
    const intact = start({}, 'verify-audit');
    expect(await intact.exited).toBe(0);
    expect(intact.stdout()).toContain('the audit log is intact: 0 events');
    expect(await start({}, 'reseal').exited).toBe(0);
    const database = new DatabaseSync(join(directory, 'test.db'));
    database.exec(`update audit_events set actor_id = 'somebody'`);
    database.close();
    const broken = start({}, 'verify-audit');
    expect(await broken.exited).toBe(1);
    expect(broken.stderr()).toContain('tampered with at revision 1: its content was changed');
  });

  it('reseals provider secrets and reports how many', async () => {
    const child = start({ GATEWAY_MASTER_KEY: `${createSealKey()},${env.GATEWAY_MASTER_KEY}` }, 'reseal');
    expect(await child.exited).toBe(0);
    expect(child.stdout()).toContain('0 provider secrets are sealed under the newest master key');
  });
});

async function occupy(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
