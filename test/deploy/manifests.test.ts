// Every object of every overlay against the schemas; the programs of the overlays; webhooks, autoscaler and figures.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Certificate } from '@kubernetes-models/cert-manager/cert-manager.io/v1/Certificate';
import { MutatingWebhookConfiguration } from 'kubernetes-models/admissionregistration.k8s.io/v1/MutatingWebhookConfiguration';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Role } from 'kubernetes-models/rbac.authorization.k8s.io/v1/Role';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { describe, expect, test } from 'vitest';
import { version } from '../../common/version.ts';
import { leaseName } from '../../keeper/app.ts';
import { authoritiesSecret, sidecarsCaSecret } from '../../keeper/authority/keep.ts';
import { leavesOf, tenantLeaf } from '../../keeper/authority/leaves.ts';
import { podTemplateName } from '../../keeper/image.ts';
import { injectorService, webhookName } from '../../keeper/webhook.ts';
import { renderingNames } from '../../scripts/render.ts';
import { validateObject } from '../support/kubernetes-schemas.ts';
import {
  deploymentNamed,
  deploymentsOf,
  firstContainerOf,
  nameOf,
  objectsOf,
  ofKind,
} from '../support/manifests/objects.ts';
import { operatorSecrets, plainSecrets } from '../support/manifests/secrets.ts';

describe.each(renderingNames)('%s', (rendering) => {
  const objects = objectsOf(rendering);

  test.each(objects.map((object) => [object.kind, object.metadata.name, object] as const))(
    '%s %s is valid',
    (_kind, _name, object) => {
      expect(validateObject(object)).toEqual([]);
    },
  );

  test('every object has a namespace or is of cluster scope', () => {
    const ofCluster = /^(Namespace|Cluster\w+|MutatingWebhookConfiguration)$/;
    const homeless = objects.filter(
      ({ kind, metadata }) => ofCluster.test(kind) === (metadata.namespace !== undefined),
    );
    expect(homeless.map(nameOf)).toEqual([]);
  });

  test('every object has the part-of label of the gateway', () => {
    const strangers = objects.filter(
      ({ kind, metadata }) =>
        metadata.labels?.['app.kubernetes.io/part-of'] !== 'model-gateway' && kind !== 'Namespace',
    );
    expect(strangers.map(nameOf)).toEqual([]);
  });
});

test('each overlay runs the expected programs', () => {
  const programs = Object.fromEntries(
    renderingNames.map((name) => [name, deploymentsOf(objectsOf(name)).map(nameOf).sort()]),
  );
  expect(programs).toEqual({
    'egress-gateway': ['control-plane', 'egress-gateway'],
    sidecar: ['control-plane', 'egress-gateway', 'injector'],
    'sidecar-plain-certificates': ['control-plane', 'egress-gateway', 'injector'],
    'sidecar-full-mode': ['control-plane', 'egress-gateway', 'injector'],
    demo: ['control-plane', 'egress-gateway', 'redis', 'simulator'],
    tenant: [],
    'tenant-plain-certificates': [],
  });
});

test('the demo and plain certificates do not use cert-manager', () => {
  for (const name of ['demo', 'sidecar-plain-certificates', 'tenant-plain-certificates'] as const) {
    expect(JSON.stringify(objectsOf(name))).not.toContain('cert-manager');
  }
});

test('only the full-mode overlay allows pods full mode and admits their sidecars', () => {
  const whoMay = (name: 'sidecar' | 'sidecar-full-mode') => {
    const objects = objectsOf(name);
    const env = firstContainerOf(deploymentNamed(objects, 'injector')).env ?? [];
    const modes = env.find((one) => one.name === 'GATEWAY_INJECTOR_MODES')?.value;
    return [modes, JSON.stringify(objects).includes('model-gateway.io/full-mode')];
  };
  expect(whoMay('sidecar')).toEqual(['forward', false]);
  expect(whoMay('sidecar-full-mode')).toEqual(['forward,full', true]);
});

test("the demo’s secrets are made by the control plane's image of this version", () => {
  const script = readFileSync(join(import.meta.dirname, '../../deploy/overlays/demo/secrets.sh'), 'utf8');
  expect(script).toContain(`image=model-gateway/control-plane:${version}\n`);
});

describe('certificates by cert-manager', () => {
  const objects = objectsOf('sidecar');
  const certificates = ofKind(objects, Certificate.is);
  const leaves = certificates.filter(({ spec }) => !spec?.isCA);
  const internal = leaves.filter(({ spec }) => spec?.issuerRef.name === 'model-gateway-internal');

  test('are issued for every Secret that plain.sh makes', () => {
    expect(leaves.map(({ spec }) => spec?.secretName).sort()).toEqual(Object.keys(plainSecrets).sort());
    expect(Object.keys(operatorSecrets).filter((name) => name in plainSecrets)).toEqual([]);
  });

  test('contain the names of the Services whose pods present them', () => {
    const shown = {
      'control-plane': 'control-plane-tls',
      'egress-gateway': 'egress-gateway-tls',
      injector: 'injector-tls',
    };
    for (const service of ofKind(objects, Service.is)) {
      const component = service.spec?.selector?.['app.kubernetes.io/component'] ?? '';
      const secret = Object.entries(shown).find(([name]) => name === component)?.[1];
      const certificate = certificates.find(({ spec }) => spec?.secretName === secret);
      expect(certificate?.spec?.dnsNames).toContain(`${nameOf(service)}.model-gateway.svc`);
      expect(certificate?.spec?.usages).toEqual(['digital signature', 'server auth']);
    }
  });

  test('of the namespace’s own authority: only one has the name of proxies and the usage of clients', () => {
    const env = firstContainerOf(deploymentNamed(objects, 'control-plane')).env ?? [];
    const proxies = env.find(({ name }) => name === 'GATEWAY_PROXY_CERTIFICATES')?.value ?? '';
    const named = internal.filter(({ spec }) => spec?.dnsNames?.includes(proxies));
    expect(named.map(nameOf)).toEqual(['egress-gateway-client-tls']);
    expect(internal.filter(({ spec }) => spec?.usages?.includes('client auth'))).toEqual(named);
  });

  test('of sidecars are signed by a separate authority that any namespace may use', () => {
    const [sidecar] = ofKind(objectsOf('tenant'), Certificate.is);
    expect(sidecar?.spec?.issuerRef).toEqual({ kind: 'ClusterIssuer', name: 'model-gateway-sidecars' });
    expect(sidecar?.spec?.usages).toEqual(['digital signature', 'client auth']);
    const [known] = leaves.filter(({ spec }) => spec?.secretName === 'sidecars-ca');
    expect(known?.spec?.issuerRef).toEqual(sidecar?.spec?.issuerRef);
    // The pair that brings the authority into this namespace is no client's and no server's certificate.
    expect(known?.spec?.usages).toEqual(['digital signature', 'code signing']);
  });
});

describe('certificates by the keeper', () => {
  const ofNamespace = leavesOf('model-gateway');

  test('have the Secrets, names and usages that are requested from cert-manager', () => {
    const requested = [...ofKind(objectsOf('sidecar'), Certificate.is), ...ofKind(objectsOf('tenant'), Certificate.is)];
    for (const leaf of [...ofNamespace, tenantLeaf('model-gateway')]) {
      const spec = requested.find((one) => one.spec?.secretName === leaf.secret)?.spec;
      expect([spec?.dnsNames, spec?.ipAddresses ?? []], leaf.secret).toEqual([leaf.dnsNames, leaf.addresses]);
      expect(spec?.usages).toEqual(['digital signature', `${leaf.usage} auth`]);
      expect(spec?.issuerRef.name).toBe(`model-gateway-${leaf.authority}`);
    }
  });

  test('have their Secrets in the manifests, and a role for each of them', () => {
    const objects = objectsOf('sidecar-plain-certificates');
    const wanted = [authoritiesSecret, ...ofNamespace.map(({ secret }) => secret), sidecarsCaSecret].sort();
    expect(ofKind(objects, Secret.is).map(nameOf).sort()).toEqual(wanted);
    const role = ofKind(objects, Role.is).find((one) => nameOf(one) === 'keeper-certificates');
    expect([...(role?.rules?.[0]?.resourceNames ?? [])].sort()).toEqual(wanted);
    const [tenant] = ofKind(objectsOf('tenant-plain-certificates'), Secret.is);
    expect(tenant && nameOf(tenant)).toBe(tenantLeaf('model-gateway').secret);
  });
});

test('every name that the keeper looks up is in the manifests', () => {
  const objects = objectsOf('sidecar');
  const names = (kind: string) => objects.filter((one) => one.kind === kind).map(nameOf);
  expect(names('MutatingWebhookConfiguration')).toEqual([webhookName]);
  expect(names('PodTemplate')).toEqual([podTemplateName]);
  expect(names('Lease')).toEqual([leaseName]);
  expect(names('Service')).toContain(injectorService);
  expect(names('Deployment')).toContain(injectorService);
});

describe('the webhooks of the injector', () => {
  const [configuration] = ofKind(objectsOf('sidecar'), MutatingWebhookConfiguration.is);
  const webhooks = configuration?.webhooks ?? [];
  const [byNamespace, byPod, byUnknownWord] = webhooks;

  test('are called only when pods are created, and may prevent the creation', () => {
    expect(webhooks.map(({ name }) => name)).toEqual([
      'namespaces.injector.model-gateway.io',
      'pods.injector.model-gateway.io',
      'labels.injector.model-gateway.io',
    ]);
    for (const webhook of webhooks) {
      const isOrdinary = webhook !== byUnknownWord;
      const path = isOrdinary ? '/inject' : '/inject/unknown-word';
      expect(webhook).toMatchObject({
        admissionReviewVersions: ['v1'],
        clientConfig: { service: { namespace: 'model-gateway', name: 'injector', port: 443, path } },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        reinvocationPolicy: isOrdinary ? 'IfNeeded' : 'Never',
        timeoutSeconds: 5,
      });
      expect(webhook.clientConfig).not.toHaveProperty('caBundle');
      expect(webhook.rules).toEqual([
        {
          operations: ['CREATE'],
          apiGroups: [''],
          apiVersions: ['v1'],
          resources: ['pods'],
          scope: 'Namespaced',
        },
      ]);
    }
  });

  test('select no namespace twice, and never the gateway’s own or kube-system', () => {
    const key = 'model-gateway.io/inject';
    const own = {
      ...{ key: 'kubernetes.io/metadata.name', operator: 'NotIn' },
      values: ['kube-system', 'model-gateway'],
    };
    const on = ['enabled', 'true'];
    const expressions = (webhook: typeof byPod) => webhook?.namespaceSelector?.matchExpressions;
    expect(expressions(byNamespace)).toEqual([{ key, operator: 'In', values: on }, own]);
    expect(expressions(byPod)).toEqual([{ key, operator: 'NotIn', values: on }, own]);
    expect(expressions(byUnknownWord)).toEqual([
      { key, operator: 'Exists' },
      { key, operator: 'NotIn', values: [...on, 'disabled', 'false'] },
      own,
    ]);
  });

  test('have conditions that exclude each other for a pod with two matching selectors', () => {
    const words =
      "[object.metadata.?labels[?'model-gateway.io/inject'], object.metadata.?annotations[?'model-gateway.io/inject']]";
    const saysMore = `${words} .exists(word, word.hasValue() && !(word.value() in ['disabled', 'false']))`;
    const saysNothing = `${words} .all(word, !word.hasValue())`;
    const conditions = (webhook: typeof byPod) => webhook?.matchConditions?.map(({ expression }) => expression);
    expect(conditions(byNamespace)).toEqual([`${saysMore} || ${saysNothing}`]);
    expect(conditions(byPod)).toEqual([saysMore]);
    expect(conditions(byUnknownWord)).toEqual([saysNothing]);
  });
});

describe('the figures of the egress gateway', () => {
  const objects = objectsOf('egress-gateway');
  const { env, resources } = firstContainerOf(deploymentNamed(objects, 'egress-gateway'));
  const inFlightMax = Number(env?.find(({ name }) => name === 'GATEWAY_IN_FLIGHT_MAX')?.value);
  const [autoscaler] = ofKind(objects, HorizontalPodAutoscaler.is);
  const target = Number(autoscaler?.spec?.metrics?.[0]?.pods?.target.averageValue);

  test('leave one pod room for the load of two pods at their target, and as much again', () => {
    expect(autoscaler?.spec?.metrics?.[0]?.pods?.metric.name).toBe('gateway_in_flight_requests');
    expect(target * 4).toBe(inFlightMax);
    expect(autoscaler?.spec?.minReplicas).toBe(2);
  });

  test('give memory for an idle process, all concurrent requests and all buffered bytes', () => {
    // MiB, from bench/results: idle 116, up to 99 KiB an open stream.
    const needed = (streams: number) => 116 + (streams * 99) / 1024;
    expect(resources?.limits?.memory).toBe('1Gi');
    expect(needed(inFlightMax) + 1024 / 4).toBeLessThan(1024);
    expect(resources?.requests?.memory).toBe('512Mi');
    expect(2 * needed(target)).toBeLessThan(512);
  });

  test('remove pods no faster than requests end', () => {
    expect(autoscaler?.spec?.behavior?.scaleDown?.stabilizationWindowSeconds).toBe(600);
  });
});
