// Read-only file systems: both planes run where only their own folders are writable, as in the manifests. A program
// reports at its start what it cannot do without a folder, continues with the rest, and uses the folder without a
// restart once it is writable.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredential } from '../../common/credential.ts';
import { createSealKey } from '../../common/seal.ts';
import { type Child, startNode, until } from '../support/process.ts';
import { inOwnMounts } from '../support/small-disk.ts';
import { createBudget, makeDear } from '../support/spending.ts';
import { readiness } from '../support/telemetry.ts';
import { ask, type Program, recorded, startMs, startProgram, startWorld, type World } from './world.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gw-read-only-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Everything is read-only, including /tmp, except for one folder. */
const allReadOnly = 'mount -t tmpfs tmpfs "$0" && mount -o remount,bind,ro /';

/** Remounts as the owner of the program's namespace, the only one that has the folder. */
function remount({ pid }: Pick<Child, 'pid'>, how: 'ro' | 'rw'): void {
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--preserve-credentials'];
  const mount = ['mount', '-o', `remount,${how}`, folder];
  execFileSync('nsenter', ['--target', String(pid), '--mount', ...asRoot, '--', ...mount]);
}

describe('with only their own folders writable', () => {
  let world: World;
  let proxy: Program;
  beforeAll(async () => {
    const within = inOwnMounts(allReadOnly, folder);
    world = await startWorld({
      env: {
        GATEWAY_DATABASE_URL: `sqlite:${join(folder, 'gateway.db')}`,
      },
      options: { within },
    });
    proxy = await world.startProxy({ GATEWAY_JOURNAL_DIR: folder }, { within });
  }, startMs);
  afterAll(() => world?.close());

  it('both planes serve, and the proxy keeps its journal', async () => {
    const { organization } = world;
    await makeDear(organization);
    const { id, value: key } = await organization.createKey();
    await createBudget(organization, { kind: 'VIRTUAL_KEY', id }, { amountUsd: '50' });
    expect(await ask(proxy, key)).toBe('200');
    const journals = () =>
      readdirSync(join(`/proc/${proxy.child.pid}/root`, folder)).filter((name) => name.endsWith('.journal'));
    expect(journals()).toHaveLength(1);
    expect(await readiness(world.controlPlane)).toBe('ok');
    await until(async () => (await recorded(organization)) === 1);
  });
});

describe('with a read-only folder at the start', () => {
  const anyPort = '127.0.0.1:0';
  const readOnly = 'mount -t tmpfs -o ro tmpfs "$0"';
  const usual = {
    ...{ GATEWAY_LISTEN: anyPort, GATEWAY_ADMIN_LISTEN: anyPort, GATEWAY_GRPC_LISTEN: anyPort },
    ...{ GATEWAY_HTTP_LISTEN: anyPort, GATEWAY_DATABASE_URL: 'sqlite::memory:' },
    ...{ GATEWAY_CONTROL_PLANE: '127.0.0.1:1', GATEWAY_PROXY_TOKEN: createCredential('proxy') },
    GATEWAY_MASTER_KEY: createSealKey(),
  };

  it.each(['proxy', 'control-plane'])(
    'a %s without its log file or journal starts, and opens them when it can',
    async (name) => {
      const [file, journal] = [join(folder, 'log'), join(folder, 'journal')];
      const env = {
        ...usual,
        GATEWAY_LOG_FILE: file,
        ...(name === 'proxy' && { GATEWAY_JOURNAL_DIR: journal }),
      };
      const { child, adminUrl } = await startProgram(`${name}/main.ts`, env, {
        within: inOwnMounts(readOnly, folder),
      });
      expect((await fetch(`${adminUrl}/livez`)).status).toBe(200);
      expect(child.stdout()).toContain('the log file cannot be opened: standard output has the log until it can');
      remount(child, 'rw');
      const there = join(`/proc/${child.pid}/root`, file);
      await until(() => existsSync(there), { what: 'the log file' });
      expect(await child.stop()).toBe(0);
      expect(child.stdout()).toContain('the log file is open again');
    },
    startMs,
  );

  it(
    'a control plane without its database ends and names it',
    async () => {
      const path = join(folder, 'gateway.db');
      const env = { ...usual, GATEWAY_DATABASE_URL: `sqlite:${path}` };
      const child = startNode(['control-plane/main.ts'], { env, within: inOwnMounts(readOnly, folder) });
      expect(await child.exited).toBe(1);
      expect(child.stderr()).toMatch(new RegExp(`the database file ${path} cannot be opened or made: .*read-only`));
      expect(child.stderr()).not.toContain('    at ');
    },
    startMs,
  );
});
