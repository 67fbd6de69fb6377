// Threads: none can be started, as at a container's limit on processes, or all threads that read files hang, as with a
// network file system that is away. Requests that need no thread are served, nothing is lost, and programs recover when
// threads are available.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, copyFileSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot, until } from '../support/process.ts';
import { metric, readiness } from '../support/telemetry.ts';
import { createAuthority, type TestAuthority } from '../support/tls.ts';
import { ask, limit, type Program, recorded, startMs, startWorld, type World } from './world.ts';

/** Root is exempt from the limit. */
const asNobody =
  process.getuid?.() === 0
    ? [
        ...['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', '--inh-caps=-all'],
        ...['--pdeathsig', 'KILL'],
      ]
    : [];

let world: World;
let proxy: Program;
let key: string;
beforeAll(async () => {
  world = await startWorld({ options: { within: asNobody } });
  proxy = await world.startProxy({}, { within: asNobody });
  key = (await world.organization.createKey()).value;
}, startMs);
afterAll(() => world?.close());

/** The pattern's worst case for this text needs a worker; in fact it costs little. */
const long = { messages: [{ role: 'user', content: 'b'.repeat(60_000) }] };

it(
  'a control plane that can start no thread refuses new guardrails and does everything else',
  async () => {
    const { controlPlane, organization } = world;
    const create = () =>
      organization.api.call('Guardrails/Create', {
        ...{ organizationId: organization.id, name: 'words', stage: 'GUARDRAIL_STAGE_OUTPUT' },
        ...{ action: 'GUARDRAIL_ACTION_OBSERVE', check: { words: { phrases: ['darjeeling'] } } },
      });
    const before = limit(controlPlane, 'nproc', 1);
    await expect(create()).rejects.toThrow('no thread can be started');
    await organization.createKey();
    expect(await readiness(controlPlane)).toBe('ok');
    limit(controlPlane, 'nproc', before);
    await create();
  },
  startMs,
);

it(
  'large bodies that need a worker are refused, all else is served, and workers start when they can',
  async () => {
    const large = { messages: [{ role: 'user', content: 'é'.repeat(200_000) }] };
    const before = limit(proxy, 'nproc', 1);
    expect(await ask(proxy, key, large)).toBe('503 overloaded');
    expect(await ask(proxy, key)).toBe('200');
    expect(await readiness(proxy)).toBe('ok');
    limit(proxy, 'nproc', before);
    expect(await ask(proxy, key, large)).toBe('200');
  },
  startMs,
);

it(
  'texts that need a worker are refused, all else is served, and workers start when they can',
  async () => {
    const { api, id } = world.organization;
    expect(await ask(proxy, key)).toBe('200');
    const before = limit(proxy, 'nproc', 1);
    await api.call('Guardrails/Create', {
      ...{ organizationId: id, name: 'costly', stage: 'GUARDRAIL_STAGE_INPUT' },
      ...{ action: 'GUARDRAIL_ACTION_BLOCK', check: { pattern: { patterns: ['(.*a){20}'] } } },
    });
    const decided = (decision: string) => metric(proxy, 'gateway_guardrail_decisions_total', { decision });
    // The one worker that was started in advance is busy; the next one cannot be started.
    const outcomes = new Set<string>();
    const lost = () => proxy.lines().filter(({ msg }) => msg.startsWith('a worker of guardrails cannot be started'));
    await until(
      async () => {
        for (const outcome of await Promise.all(Array.from({ length: 3 }, () => ask(proxy, key, long))))
          outcomes.add(outcome);
        return (await decided('pass')) > 0 && lost().length > 0;
      },
      { what: 'a worker that could not be started', timeoutMs: 60_000 },
    );
    expect([...outcomes].filter((outcome) => !['200', '503 guardrail_unavailable'].includes(outcome))).toEqual([]);
    expect(await ask(proxy, key)).toBe('200');
    expect(await readiness(proxy)).toBe('ok');
    expect(JSON.stringify(lost()[0])).toContain('ERR_WORKER_INIT_FAILED');
    limit(proxy, 'nproc', before);
    await until(async () => (await ask(proxy, key, long)) === '200', { timeoutMs: 60_000 });
  },
  startMs,
);

describe('files that hang', () => {
  // As many files as Node has threads for files.
  const settings = {
    GATEWAY_TLS_CERT_FILE: 'tls.crt',
    GATEWAY_TLS_KEY_FILE: 'tls.key',
    GATEWAY_TLS_CLIENT_CA_FILE: 'ca.crt',
    GATEWAY_CATALOG_FILE: 'models.json',
  };
  let authority: TestAuthority;
  let folder: string;
  let reader: Program;

  beforeAll(async () => {
    authority = await createAuthority();
    folder = mkdtempSync(join(tmpdir(), 'gateway-hanging-'));
    const { certFile, keyFile } = await authority.issue({ commonName: 'gateway' });
    copyFileSync(certFile, join(folder, 'tls.crt'));
    copyFileSync(keyFile, join(folder, 'tls.key'));
    copyFileSync(authority.caFile, join(folder, 'ca.crt'));
    copyFileSync(join(projectRoot, 'catalog/models.json'), join(folder, 'models.json'));
    const paths = Object.entries(settings).map(([name, file]) => [name, join(folder, file)]);
    reader = await world.startProxy({ ...Object.fromEntries(paths), GATEWAY_TLS_LISTEN: '127.0.0.1:0' });
  }, startMs);
  afterAll(() => {
    authority?.remove();
    rmSync(folder, { recursive: true });
  });

  const files = Object.values(settings);
  const logged = () => reader.lines().filter(({ msg }) => msg === 'request').length;

  /** Replaces the files by pipes, on which every open blocks. */
  async function hang(): Promise<void> {
    for (const file of files) {
      const path = join(folder, file);
      renameSync(path, `${path}.kept`);
      execFileSync('mkfifo', [path]);
    }
    await until(
      async () => {
        const before = logged();
        expect(await ask(reader, key)).toBe('200');
        await sleep(1_000);
        return logged() === before;
      },
      { what: 'the threads to hang' },
    );
  }

  function comeBack(): void {
    for (const file of files) {
      const path = join(folder, file);
      // Blocked readers get the end of the pipe.
      const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      renameSync(`${path}.kept`, path);
      closeSync(writer);
    }
  }

  it(
    'delay the log and nothing else',
    async () => {
      const { organization } = world;
      const before = await recorded(organization);
      await hang();
      const [ofHanging, sent] = [logged(), 5];
      for (let count = 0; count < sent; count++) expect(await ask(reader, key)).toBe('200');
      expect(await readiness(reader)).toBe('ok');
      await until(async () => (await recorded(organization)) >= before + sent);
      expect(logged()).toBe(ofHanging);
      comeBack();
      await until(() => logged() > ofHanging + sent, { what: 'the log to continue' });
      expect(await metric(reader, 'gateway_log_lines_lost_total')).toBe(0);
    },
    startMs,
  );

  it(
    'do not prevent a program from ending',
    async () => {
      await hang();
      const begun = performance.now();
      await reader.child.stop();
      // After this time the test would have killed it.
      expect(performance.now() - begun).toBeLessThan(4_500);
    },
    startMs,
  );
});
