// docs/runbook.md: every command is run during an outage of its kind, and finds what the page promises; names in
// clusters are compared with the manifests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Store } from '../../control-plane/store/store.ts';
import { freshSqlite, type StoreDatabase } from '../support/databases.ts';
import { chatBody, startGateway, type TestGateway, type TestProxy } from '../support/gateway.ts';
import { type Gatewayctl, loggedIn } from '../support/gatewayctl.ts';
import { storeDelivery } from '../support/notice-rows.ts';
import { MovableClock } from '../support/operators.ts';
import { projectRoot, until } from '../support/process.ts';
import { commandsOf, openShell, runbook } from '../support/runbook.ts';
import { recordEvents, usageEvent } from '../support/usage-events.ts';
import { billScenes } from './runbook/bills.ts';
import { killedScene, planeScenes } from './runbook/planes.ts';
import { requestScenes } from './runbook/requests.ts';
import type { Scene, World } from './runbook/scenes.ts';

/** The scene of killed proxies moves the clock, so it is the last. */
const scenes: Readonly<Record<string, Scene>> = {
  ...requestScenes,
  ...billScenes,
  ...planeScenes,
  ...killedScene,
};
const ofClusters = ['injector'];
/** These scenes have their own control plane and have collected its lines. */
const ofOwnPlane = ['control-plane-failing', 'audit-log'];

const clock = new MovableClock();
const shell = openShell();
let database: StoreDatabase;
let store: Store;
let gateway: TestGateway;
/** Proxies of the scenes. */
const proxies: TestProxy[] = [];
let platform: Gatewayctl;

beforeAll(async () => {
  database = await freshSqlite();
  const started = await startGateway({ databaseUrl: database.url, clock });
  const startProxy: TestGateway['startProxy'] = async (env) => {
    const proxy = await started.startProxy(env);
    proxies.push(proxy);
    return proxy;
  };
  gateway = { ...started, startProxy };
  store = await database.open();
  platform = await loggedIn(gateway.controlPlane.grpcPort, gateway.secrets.platformToken);
});
afterAll(async () => {
  platform.remove();
  shell.remove();
  // Some have usage that they can report to nobody, and wait for seconds: all at the same time.
  await Promise.all(proxies.map((proxy) => proxy.drain()));
  await gateway.close();
  await database.drop();
});

async function openWorld(name: string): Promise<World> {
  const organization = await gateway.createOrganization(name);
  const key = await organization.createKey();
  const from = gateway.logs.length;
  return {
    ...{ gateway, organization, key, clock, shell, platform },
    owner: await loggedIn(gateway.controlPlane.grpcPort, organization.ownerToken),
    lines: () => gateway.logs.slice(from),
    ask: async ({ url = gateway.proxy.url, path = '/v1/chat/completions', value = key.value, ...sent } = {}) => {
      const { method = 'POST', fields } = sent;
      const headers = {
        authorization: `Bearer ${value}`,
        'content-type': 'application/json',
        ...sent.headers,
      };
      const body = method === 'POST' && { body: chatBody(fields) };
      const response = await fetch(url + path, { method, headers, ...body });
      await response.arrayBuffer();
      return response.status;
    },
    logged: (pattern) =>
      until(() => gateway.logs.slice(from).some((line) => pattern.test(line)), {
        ...{ what: `a line like ${pattern}`, timeoutMs: 20_000 },
      }),
    record: (usage) => recordEvents(store, [usageEvent({ organization_id: organization.id, ...usage })]),
    notify: async (webhookId, organizationId) => {
      const created_at = Date.now() - 4 * 86_400_000;
      const row = { webhook_id: webhookId, organization_id: organizationId, attempts: 11, created_at };
      await storeDelivery(store, row);
    },
  };
}

it('every section of the runbook has a planted outage for its commands', () => {
  expect([...commandsOf.keys()].toSorted()).toEqual([...Object.keys(scenes), ...ofClusters].toSorted());
  for (const [section, { finds }] of Object.entries(scenes))
    expect([section, finds.length]).toEqual([section, commandsOf.get(section)?.length]);
});

/** Index of the first command that did not print its match; -1 if each did. */
function missing({ finds }: Scene, printed: readonly string[]): number {
  return finds.findIndex((finding, nth) => finding !== undefined && !finding.test(printed[nth] ?? ''));
}

describe.each(Object.entries(scenes))('the outage of %s', (section, scene) => {
  it('is found by the commands of the runbook', async () => {
    gateway.simulator.reset();
    const world = await openWorld(section);
    const end = await scene.plant(world);
    try {
      shell.collect('egress-gateway', world.lines());
      if (!ofOwnPlane.includes(section)) shell.collect('control-plane', world.lines());
      const by = scene.as === 'platform' ? platform : world.owner;
      let printed = await shell.run(section, by, scene.found ?? {});
      for (let again = 0; scene.looksOnly && again < 3 && missing(scene, printed) >= 0; again++)
        printed = await shell.run(section, by, scene.found ?? {});
      const nth = missing(scene, printed);
      if (nth >= 0) expect(printed[nth], commandsOf.get(section)?.[nth]).toMatch(scene.finds[nth] ?? /./);
      await scene.after?.(world);
    } finally {
      await end?.();
      world.owner.remove();
    }
  });
});

describe('names in the runbook', () => {
  const manifests = ['egress-gateway', 'sidecar'].flatMap((name) =>
    parseAllDocuments(readFileSync(join(projectRoot, `deploy/rendered/${name}.yaml`), 'utf8')).map(
      (document) => document.toJS() as { kind: string; metadata: { name: string; labels?: Record<string, string> } },
    ),
  );
  const names = (kind: string) =>
    manifests.flatMap((one) => (one.kind.toLowerCase() === kind.toLowerCase() ? one.metadata.name : []));

  it('of cluster objects are in the manifests', () => {
    const deployments = [...runbook.matchAll(/(?:logs|scale|restart) deploy\/([a-z-]+)/g)].map(([, name]) => name);
    expect(deployments.length).toBeGreaterThan(1);
    for (const name of deployments) expect(names('Deployment')).toContain(name);
    for (const [, name] of runbook.matchAll(/\bhpa ([a-z-]+)/g))
      expect(names('HorizontalPodAutoscaler')).toContain(name);
    for (const [, name] of runbook.matchAll(/mutatingwebhookconfiguration ([a-z-]+)/g))
      expect(names('MutatingWebhookConfiguration')).toContain(name);
    for (const [, namespace] of runbook.matchAll(/kubectl -n ([a-z-]+)/g))
      expect(names('Namespace')).toContain(namespace);
    const components = manifests.flatMap(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] ?? []);
    for (const [, name] of runbook.matchAll(/^logs ([a-z-]+)/gm)) expect(components).toContain(name);
  });

  it('of metrics are metrics', () => {
    const known = readFileSync(join(projectRoot, 'docs/metrics.md'), 'utf8');
    for (const [, name = ''] of runbook.matchAll(/`(gateway_[a-z_]+)/g)) expect(known).toContain(`\`${name}\``);
  });
});
