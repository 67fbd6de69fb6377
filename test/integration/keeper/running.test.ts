// A whole keeper: the hand-over to the injector, the filling of empty Secrets, the election between two keepers, and
// missing objects and rights.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { certificatesIn } from '../../../common/certificate-ends.ts';
import { decodeSizes } from '../../../common/hand-over.ts';
import type { JsonObject } from '../../../common/json.ts';
import { paths } from '../../../keeper/api/sources.ts';
import { authoritiesSecret, sidecarsCaSecret } from '../../../keeper/authority/keep.ts';
import { leavesOf } from '../../../keeper/authority/leaves.ts';
import { createKeeperScene, type KeeperScene, namespace, objectPaths, tenant } from '../../support/keepers.ts';
import { until } from '../../support/process.ts';
import { recordedObject, recordingOf } from '../../support/recorded-api.ts';
import { createAuthority } from '../../support/tls.ts';

let scene: KeeperScene;

beforeEach(async () => {
  scene = await createKeeperScene();
});
afterEach(() => scene.close());

const eventually = (what: string, is: () => boolean | Promise<boolean>) => until(is, { timeoutMs: 20_000, what });
const has = (name: string, key: string, ofNamespace?: string) => () =>
  (scene.secret(name, ofNamespace)[key] ?? '') !== '';

describe("the keeper's hand-over to the injector", () => {
  it('has the image of the PodTemplate, and the sizes that namespaces and LimitRanges declare', async () => {
    const one = await scene.startKeeper();
    await eventually('both files', () => {
      return [one.handed('sidecar-image'), one.handed('namespaces.json')].every((text) => text !== undefined);
    });
    expect(one.handed('sidecar-image')).toMatch(/^images\.example\/model-gateway\/proxy:[\w.]+\n$/);
    expect(decodeSizes(one.handed('namespaces.json') ?? '').get(tenant)).toMatchObject({
      annotations: { 'model-gateway.io/memory-limit': '300Mi' },
      limits: [
        { type: 'Container', max: { cpu: '500m', memory: '200Mi' } },
        { type: 'Pod', max: { cpu: '2' } },
      ],
    });
    await eventually('readiness', async () => (await one.readiness()) === 'ok\n');
  });

  it('gets another image by the watch', async () => {
    const template = structuredClone(recordedObject('pod-template')) as JsonObject;
    const [container] = (template as { template: { spec: { containers: { image: string }[] } } }).template.spec
      .containers;
    if (container !== undefined) container.image = 'images.example/model-gateway/proxy:10.0.0';
    const collection = objectPaths.podTemplate;
    api().on('WATCH', collection, { status: 200, lines: [{ type: 'MODIFIED', object: template }] });
    const one = await scene.startKeeper();
    await eventually('the other image', () => one.handed('sidecar-image')?.includes(':10.0.0') === true);
  });

  it('has the placeholder image when no other is named; the keeper then ends with advice', async () => {
    api().on('GET', objectPaths.podTemplate, recordingOf('pod-template-placeholder'));
    const one = await scene.startKeeper();
    expect(await one.keeper.refused).toMatch(/placeholder registry\.invalid\/model-gateway\/proxy\S*: name your own/);
    expect(one.handed('sidecar-image')).toContain('registry.invalid/');
    await eventually('the reason', async () => (await one.readiness()).includes('placeholder registry.invalid/'));
  });

  it('has no sizes without the right to read namespaces, which is no failure', async () => {
    api().on('GET', paths.namespaces, recordingOf('namespaces-forbidden'));
    api().on('GET', paths.limitRanges, recordingOf('namespaces-forbidden'));
    const one = await scene.startKeeper();
    await eventually('the sizes', () => one.handed('namespaces.json') !== undefined);
    expect(decodeSizes(one.handed('namespaces.json') ?? '').size).toBe(0);
    const metrics = await one.metrics();
    expect(metrics).toContain('gateway_keeper_task_failing{task="sizes"} 0');
    expect(metrics).not.toMatch(/^gateway_keeper_namespaces_left_out /m);
  });
});

describe('a keeper that is the authority', () => {
  it('fills empty Secrets with certificates that their authorities have signed, and the webhooks with the authority', async () => {
    const one = await scene.startKeeper();
    await eventually('all certificates', () => {
      return [...leavesOf(namespace).map(({ secret }) => secret)].every((name) => has(name, 'tls.crt')());
    });
    await eventually('the tenant’s', has('model-gateway-sidecar-tls', 'tls.crt', tenant));
    await eventually('the sidecars’ authority', has(sidecarsCaSecret, 'ca.crt'));
    for (const { secret, dnsNames } of leavesOf(namespace)) {
      const data = scene.secret(secret);
      expect(believes(data['ca.crt'], data['tls.crt']), secret).toBe(true);
      expect(new X509Certificate(data['tls.crt'] ?? '').subjectAltName).toContain(`DNS:${dnsNames[0]}`);
    }
    const [ofTenant, sidecarsCa] = [scene.secret('model-gateway-sidecar-tls', tenant), scene.secret(sidecarsCaSecret)];
    expect(believes(sidecarsCa['ca.crt'], ofTenant['tls.crt'])).toBe(true);
    // A tenant's certificate is valid at one listener only: it is not a proxy's.
    expect(believes(scene.secret('control-plane-tls')['ca.crt'], ofTenant['tls.crt'])).toBe(false);
    await eventually('the webhooks', () => api().to('PATCH', objectPaths.webhook).length > 0);
    const written = JSON.stringify(api().to('PATCH', objectPaths.webhook).at(-1)?.body);
    expect(written).toContain(Buffer.from(scene.secret('injector-tls')['ca.crt'] ?? '').toString('base64'));
    const metrics = await one.metrics();
    for (const { secret } of leavesOf(namespace))
      expect(metrics).toMatch(new RegExp(`gateway_certificate_not_after_seconds\\{use="${secret}"\\} \\d`));
  });

  it('issues nothing when Secrets name an authority whose key is missing, and logs it', async () => {
    const made = await createAuthority('made by hand');
    try {
      api().remember(paths.secret(namespace, 'control-plane-tls'), byHand(readFileSync(made.caFile, 'utf8')));
      const one = await scene.startKeeper();
      const isFailing = async () =>
        (await one.metrics()).includes('gateway_keeper_task_failing{task="certificates"} 1');
      await eventually('the failure', isFailing);
      expect(scene.lines.join('')).toContain('names an authority whose key is not here');
      expect(scene.secret(authoritiesSecret)).toEqual({});
    } finally {
      made.remove();
    }
  });
});

describe('two keepers', () => {
  it('share one lease: one acts, and the other takes over as soon as the first releases it', async () => {
    const first = await scene.startKeeper();
    const isLeader = async (one: typeof first) => (await one.metrics()).includes('gateway_keeper_leader 1');
    await eventually('the first to act', () => isLeader(first));
    const second = await scene.startKeeper({ GATEWAY_KEEPER_IDENTITY: 'keeper-b' });
    await eventually('the second to have looked', async () => (await second.readiness()) === 'ok\n');
    expect(await isLeader(second)).toBe(false);
    await first.close();
    await eventually('the second to act', () => isLeader(second));
  });
});

describe('a Deployment that is deleted', () => {
  it('is followed by the deletion of the webhooks as soon as the watch reports it', async () => {
    api().on('WATCH', objectPaths.deployment, recordingOf('watch-deployment-deleted'));
    await scene.startKeeper();
    await eventually('the end of the webhooks', () => api().to('DELETE', objectPaths.webhook).length > 0);
  });
});

describe('a keeper that ends', () => {
  it('deletes the webhooks when its Deployment was deleted', async () => {
    const one = await scene.startKeeper();
    await eventually('readiness', async () => (await one.readiness()) === 'ok\n');
    expect(api().to('DELETE', objectPaths.webhook)).toEqual([]);
    api().on('GET', objectPaths.deployment, recordingOf('deployment-absent'));
    await one.close();
    expect(api().to('DELETE', objectPaths.webhook).length).toBeGreaterThan(0);
  });

  it('keeps the webhooks when it is only replaced', async () => {
    const one = await scene.startKeeper();
    await eventually('readiness', async () => (await one.readiness()) === 'ok\n');
    await one.close();
    expect(api().to('DELETE', objectPaths.webhook)).toEqual([]);
  });

  it('ends in time when the API server is away', async () => {
    const one = await scene.startKeeper();
    await eventually('readiness', async () => (await one.readiness()) === 'ok\n');
    api().setOpen(false);
    const began = performance.now();
    await one.close();
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  it('ends within its grace when the API server accepts requests and never responds', async () => {
    const one = await scene.startKeeper({}, 300);
    await eventually('readiness', async () => (await one.readiness()) === 'ok\n');
    const looks = () => api().to('GET', objectPaths.webhook).length;
    api().fallSilent();
    const before = looks();
    await eventually('a look under way', () => looks() > before);
    const began = performance.now();
    await one.close();
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(scene.lines.join('')).toContain('the last look at the webhook configuration failed');
  });
});

function api() {
  return scene.api;
}

function believes(bundle = '', certificate = ''): boolean {
  const leaf = new X509Certificate(certificate);
  return certificatesIn(bundle).some((one) => leaf.checkIssued(one) && leaf.verify(one.publicKey));
}

/** A Secret with a foreign authority. */
function byHand(ca: string) {
  const body = { ...recordedObject('secret-empty'), data: { 'ca.crt': Buffer.from(ca).toString('base64') } };
  return { status: 200, body };
}
