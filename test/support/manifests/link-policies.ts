// What one object says of another is so: selectors, Services, accounts, Secrets, autoscalers, issuers, webhooks.
import { Certificate } from '@kubernetes-models/cert-manager/cert-manager.io/v1/Certificate';
import { MutatingWebhookConfiguration } from 'kubernetes-models/admissionregistration.k8s.io/v1/MutatingWebhookConfiguration';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Service } from 'kubernetes-models/v1/Service';
import type { IVolume } from 'kubernetes-models/v1/Volume';
import {
  containersOf,
  deploymentNamed,
  deploymentsOf,
  firstContainerOf,
  type KubernetesObject,
  nameOf,
  ofKind,
  type Policy,
  perDeployment,
  podLabelsOf,
  podOf,
  selects,
} from './objects.ts';
import { secretsOf } from './secrets.ts';

export const linkPolicies: readonly Policy[] = [
  {
    name: 'a Deployment selects its own pods, and no other does',
    problems: (objects) =>
      perDeployment(objects, (deployment) => {
        const selector = deployment.spec?.selector ?? {};
        const selected = deploymentsOf(objects).filter((one) => selects(selector, podLabelsOf(one)));
        return selected.map(nameOf).join() !== nameOf(deployment) && `selects ${selected.map(nameOf).join()}`;
      }),
    breach: (objects) =>
      Object.assign(deploymentNamed(objects, 'injector').spec?.selector.matchLabels ?? {}, {
        other: 'label',
      }),
  },
  {
    name: 'a Service selects the pods of one Deployment, by ports that they name',
    problems: (objects) =>
      ofKind(objects, Service.is).flatMap((service) => {
        const pods = deploymentsOf(objects).filter((one) => {
          const selector = service.spec?.selector;
          return selector !== undefined && selects({ matchLabels: selector }, podLabelsOf(one));
        });
        const named = pods.flatMap(portNamesOf);
        const strange = service.spec?.ports?.filter(({ targetPort }) => !named.includes(String(targetPort)));
        const isRight = pods.length === 1 && strange?.length === 0;
        return isRight
          ? []
          : [`${nameOf(service)}: ${pods.length} Deployments, ports ${JSON.stringify(strange)}`];
      }),
    breach: (objects) =>
      Object.assign(containersOf(deploymentNamed(objects, 'injector'))[0]?.ports?.[0] ?? {}, { name: 'tls' }),
  },
  {
    name: 'what runs more than once has a disruption budget that lets one pod go',
    problems: (objects) =>
      perDeployment(objects, (deployment) => {
        if (deployment.spec?.replicas === 1) return undefined;
        const budgets = ofKind(objects, PodDisruptionBudget.is).filter(({ spec }) =>
          selects(spec?.selector ?? {}, podLabelsOf(deployment)),
        );
        return (
          !(budgets.length === 1 && budgets[0]?.spec?.maxUnavailable === 1) && `${budgets.length} budgets`
        );
      }),
    breach: (objects) =>
      Object.assign(ofKind(objects, PodDisruptionBudget.is)[0]?.spec ?? {}, { maxUnavailable: 0 }),
  },
  {
    name: 'an autoscaler has a Deployment, which asks for the processor time that it counts by',
    problems: (objects) =>
      ofKind(objects, HorizontalPodAutoscaler.is).flatMap(({ spec }) => {
        const target = deploymentsOf(objects).find((one) => nameOf(one) === spec?.scaleTargetRef.name);
        const isAsked = target && containersOf(target).every(({ resources }) => resources?.requests?.cpu);
        return isAsked && (spec?.minReplicas ?? 1) >= 2 ? [] : [`${spec?.scaleTargetRef.name}`];
      }),
    breach: (objects) =>
      Object.assign(ofKind(objects, HorizontalPodAutoscaler.is)[0]?.spec?.scaleTargetRef ?? {}, {
        name: 'gone',
      }),
  },
  {
    name: 'every Secret and key that a pod mounts or reads is made by somebody',
    problems: (objects) =>
      deploymentsOf(objects).flatMap((deployment) => {
        const secrets = secretsOf(objects);
        const volumes = (podOf(deployment).volumes ?? []).flatMap((volume) => secretKeysOf(volume, objects));
        const read = containersOf(deployment).flatMap(({ env }) =>
          (env ?? []).flatMap(({ valueFrom }) => {
            const { name = '', key } = valueFrom?.secretKeyRef ?? {};
            return key === undefined ? [] : [[name, key] as const];
          }),
        );
        return [...volumes, ...read]
          .filter(([name, key]) => !(secrets[name] ?? []).includes(key))
          .map((missing) => `${nameOf(deployment)}: ${missing.join('/')}`);
      }),
    breach: (objects) => {
      const [volume] = podOf(deploymentNamed(objects, 'injector')).volumes ?? [];
      Object.assign(volume?.secret ?? {}, { secretName: 'injector-tsl' });
    },
  },
  {
    name: 'claims that pods mount are there, and there are no ConfigMaps to miss',
    problems: (objects) =>
      perDeployment(objects, (deployment) => {
        const claims = objects.filter(({ kind }) => kind === 'PersistentVolumeClaim').map(nameOf);
        const dangling = (podOf(deployment).volumes ?? []).find(
          ({ persistentVolumeClaim, configMap }) =>
            configMap !== undefined ||
            (persistentVolumeClaim && !claims.includes(persistentVolumeClaim.claimName)),
        );
        const isFree = containersOf(deployment).every(
          ({ env, envFrom }) =>
            envFrom === undefined && !env?.some(({ valueFrom }) => valueFrom?.configMapKeyRef),
        );
        return dangling ? `the volume ${dangling.name}` : !isFree && 'a ConfigMap';
      }),
    breach: (objects) =>
      podOf(deploymentNamed(objects, 'injector')).volumes?.push({
        name: 'data',
        persistentVolumeClaim: { claimName: 'gone' },
      }),
  },
  {
    name: 'an issuer in the manifests signs every certificate, or in the whole installation for a tenant',
    problems: (objects) => {
      const issuers = new Set(objects.filter(({ kind }) => /Issuer$/.test(kind)).map(issuerKey));
      issuers.add('ClusterIssuer model-gateway-sidecars');
      return ofKind(objects, Certificate.is)
        .filter(({ spec }) => !issuers.has(`${spec?.issuerRef.kind} ${spec?.issuerRef.name}`))
        .map(nameOf);
    },
    breach: (objects) =>
      Object.assign(ofKind(objects, Certificate.is)[0]?.spec?.issuerRef ?? {}, { name: 'gone' }),
  },
  {
    name: 'webhooks ask a port of a Service, trusted by the certificate that its pods show',
    problems: (objects) =>
      ofKind(objects, MutatingWebhookConfiguration.is).flatMap(({ metadata, webhooks = [] }) => {
        const from = metadata.annotations?.['cert-manager.io/inject-ca-from'];
        const certificates = ofKind(objects, Certificate.is).map(
          (one) => `${one.metadata.namespace}/${nameOf(one)}`,
        );
        const isTrusted = from === undefined ? certificates.length === 0 : certificates.includes(from);
        const strange = webhooks.filter(({ clientConfig: { service } }) => {
          const found = ofKind(objects, Service.is).find((one) => nameOf(one) === service?.name);
          return !found?.spec?.ports?.some(({ port }) => port === service?.port);
        });
        return [...strange.map(({ name }) => name), ...(isTrusted ? [] : ['nobody says whom to trust'])];
      }),
    breach: (objects) =>
      Object.assign(objects.find(MutatingWebhookConfiguration.is)?.metadata?.annotations ?? {}, {
        'cert-manager.io/inject-ca-from': 'model-gateway/gone',
      }),
  },
  {
    name: 'the sidecar is of the egress gateway’s version',
    problems: (objects) => {
      const images = deploymentsOf(objects)
        .flatMap(containersOf)
        .flatMap(({ image, env }) => {
          const injected = env?.find(({ name }) => name === 'GATEWAY_INJECTOR_IMAGE')?.value;
          return [injected, ...(image?.startsWith('model-gateway/proxy') ? [image] : [])].filter(Boolean);
        });
      return new Set(images).size > 1 ? [images.join()] : [];
    },
    breach: (objects) =>
      Object.assign(firstContainerOf(deploymentNamed(objects, 'egress-gateway')), {
        image: 'model-gateway/proxy:0.0.9',
      }),
  },
  {
    name: 'no two objects have one name',
    problems: (objects) => {
      const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace} ${metadata.name}`);
      return names.filter((name, at) => names.indexOf(name) !== at);
    },
    breach: (objects) => objects.push(...objects.slice(0, 1)),
  },
  {
    name: 'no Secret is in the manifests',
    problems: (objects) => objects.filter(({ kind }) => kind === 'Secret').map(nameOf),
    breach: (objects) =>
      objects.push({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'control-plane' } }),
  },
  {
    name: 'nothing is allowed at the API server, since nothing asks it',
    problems: (objects) => objects.filter(({ apiVersion }) => apiVersion.startsWith('rbac')).map(nameOf),
    breach: (objects) =>
      objects.push({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'all' } }),
  },
];

function portNamesOf(deployment: Parameters<typeof containersOf>[0]): string[] {
  return containersOf(deployment).flatMap(({ ports }) => (ports ?? []).map(({ name }) => name ?? ''));
}

/** Secret and key. Where all of a Secret is mounted, that it has any. */
function secretKeysOf(
  { secret }: IVolume,
  objects: readonly KubernetesObject[],
): (readonly [string, string])[] {
  if (secret?.secretName === undefined) return [];
  const { secretName, items } = secret;
  const keys = items?.map(({ key }) => key) ?? [secretsOf(objects)[secretName]?.[0] ?? 'any'];
  return keys.map((key) => [secretName, key]);
}

function issuerKey({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.name}`;
}
