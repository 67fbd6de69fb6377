// References between objects are valid: selectors, Services, accounts, Secrets, autoscalers, issuers, webhooks.
import { Certificate } from '@kubernetes-models/cert-manager/cert-manager.io/v1/Certificate';
import { MutatingWebhookConfiguration } from 'kubernetes-models/admissionregistration.k8s.io/v1/MutatingWebhookConfiguration';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ClusterRole } from 'kubernetes-models/rbac.authorization.k8s.io/v1/ClusterRole';
import { ClusterRoleBinding } from 'kubernetes-models/rbac.authorization.k8s.io/v1/ClusterRoleBinding';
import { Role } from 'kubernetes-models/rbac.authorization.k8s.io/v1/Role';
import { RoleBinding } from 'kubernetes-models/rbac.authorization.k8s.io/v1/RoleBinding';
import { PodTemplate } from 'kubernetes-models/v1/PodTemplate';
import { Secret } from 'kubernetes-models/v1/Secret';
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
        return isRight ? [] : [`${nameOf(service)}: ${pods.length} Deployments, ports ${JSON.stringify(strange)}`];
      }),
    breach: (objects) =>
      Object.assign(containersOf(deploymentNamed(objects, 'injector'))[0]?.ports?.[0] ?? {}, { name: 'tls' }),
  },
  {
    name: 'a Deployment of several pods has a disruption budget that allows one disruption',
    problems: (objects) =>
      perDeployment(objects, (deployment) => {
        if (deployment.spec?.replicas === 1) return undefined;
        const budgets = ofKind(objects, PodDisruptionBudget.is).filter(({ spec }) =>
          selects(spec?.selector ?? {}, podLabelsOf(deployment)),
        );
        return !(budgets.length === 1 && budgets[0]?.spec?.maxUnavailable === 1) && `${budgets.length} budgets`;
      }),
    breach: (objects) => Object.assign(ofKind(objects, PodDisruptionBudget.is)[0]?.spec ?? {}, { maxUnavailable: 0 }),
  },
  {
    name: 'an autoscaler has a Deployment whose containers request processor time',
    problems: (objects) =>
      ofKind(objects, HorizontalPodAutoscaler.is).flatMap(({ spec }) => {
        const target = deploymentsOf(objects).find((one) => nameOf(one) === spec?.scaleTargetRef.name);
        const isEnabled = target && containersOf(target).every(({ resources }) => resources?.requests?.cpu);
        return isEnabled && (spec?.minReplicas ?? 1) >= 2 ? [] : [`${spec?.scaleTargetRef.name}`];
      }),
    breach: (objects) =>
      Object.assign(ofKind(objects, HorizontalPodAutoscaler.is)[0]?.spec?.scaleTargetRef ?? {}, {
        name: 'gone',
      }),
  },
  {
    name: 'every Secret and key that a pod mounts or reads has an origin',
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
    name: 'claims that pods mount exist, and no pod uses a ConfigMap',
    problems: (objects) =>
      perDeployment(objects, (deployment) => {
        const claims = objects.filter(({ kind }) => kind === 'PersistentVolumeClaim').map(nameOf);
        const dangling = (podOf(deployment).volumes ?? []).find(
          ({ persistentVolumeClaim, configMap }) =>
            configMap !== undefined || (persistentVolumeClaim && !claims.includes(persistentVolumeClaim.claimName)),
        );
        const isFree = containersOf(deployment).every(
          ({ env, envFrom }) => envFrom === undefined && !env?.some(({ valueFrom }) => valueFrom?.configMapKeyRef),
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
    name: 'an issuer in the manifests signs every certificate; for a tenant it is in the whole installation',
    problems: (objects) => {
      const issuers = new Set(objects.filter(({ kind }) => /Issuer$/.test(kind)).map(issuerKey));
      issuers.add('ClusterIssuer model-gateway-sidecars');
      return ofKind(objects, Certificate.is)
        .filter(({ spec }) => !issuers.has(`${spec?.issuerRef.kind} ${spec?.issuerRef.name}`))
        .map(nameOf);
    },
    breach: (objects) => Object.assign(ofKind(objects, Certificate.is)[0]?.spec?.issuerRef ?? {}, { name: 'gone' }),
  },
  {
    name: 'webhooks call a port of a Service and trust the authority that a keeper beside its pods writes',
    problems: (objects) =>
      ofKind(objects, MutatingWebhookConfiguration.is).flatMap(({ webhooks = [] }) => {
        const kept = containersOf(deploymentNamed(objects, 'injector')).find(({ name }) => name === 'keeper');
        const isTrusted = kept?.env?.some(({ name }) => /^GATEWAY_KEEPER_(CA_FILE|AUTHORITY)$/.test(name));
        const strange = webhooks.filter(({ clientConfig: { service } }) => {
          const found = ofKind(objects, Service.is).find((one) => nameOf(one) === service?.name);
          return !found?.spec?.ports?.some(({ port }) => port === service?.port);
        });
        return [...strange.map(({ name }) => name), ...(isTrusted ? [] : ['no keeper writes the authority'])];
      }),
    breach: (objects) => podOf(deploymentNamed(objects, 'injector')).containers.pop(),
  },
  {
    name: 'the sidecar is of the egress gateway’s version',
    problems: (objects) => {
      const run = deploymentsOf(objects).flatMap(containersOf);
      const injected = ofKind(objects, PodTemplate.is).flatMap(({ template }) => template?.spec?.containers ?? []);
      const images = [...run, ...injected]
        .map(({ image = '' }) => image)
        .filter((image) => image.includes('model-gateway/proxy'));
      return new Set(images).size > 1 ? [images.join()] : [];
    },
    breach: (objects) =>
      Object.assign(firstContainerOf(deploymentNamed(objects, 'egress-gateway')), {
        image: 'registry.invalid/model-gateway/proxy:0.0.9',
      }),
  },
  {
    name: 'no two objects have the same name',
    problems: (objects) => {
      const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace} ${metadata.name}`);
      return names.filter((name, at) => names.indexOf(name) !== at);
    },
    breach: (objects) => objects.push(...objects.slice(0, 1)),
  },
  {
    name: 'Secrets in the manifests are empty and of no type, so that applying them removes nothing',
    problems: (objects) =>
      ofKind(objects, Secret.is)
        .filter(({ data, stringData, type }) => (data ?? stringData ?? type) !== undefined)
        .map(nameOf),
    breach: (objects) =>
      objects.push({
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'control-plane' } },
        ...{ data: { 'master-key': '' } },
      }),
  },
  {
    name: 'a right at the API server names its object, creates nothing, and is bound to the keeper’s account',
    problems: (objects) => {
      const roles = [...ofKind(objects, Role.is), ...ofKind(objects, ClusterRole.is)];
      const bindings = [...ofKind(objects, RoleBinding.is), ...ofKind(objects, ClusterRoleBinding.is)];
      const wide = roles.filter(({ rules = [] }) => (rules ?? []).some((rule) => !isNarrow(rule)));
      const strange = bindings.filter(
        ({ subjects = [] }) =>
          !(subjects ?? []).every(
            ({ kind, name, namespace }) => `${kind} ${namespace}/${name}` === 'ServiceAccount model-gateway/injector',
          ),
      );
      const loose = bindings.filter(
        ({ roleRef }) => !roles.some((role) => role.kind === roleRef.kind && nameOf(role) === roleRef.name),
      );
      return [...wide, ...strange, ...loose].map(nameOf);
    },
    breach: (objects) => {
      const [role] = ofKind(objects, Role.is);
      role?.rules?.[0]?.verbs.push('create');
    },
  },
];

interface Rule {
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Except for the right to read namespaces, which is optional. */
function isNarrow({ resources = [], resourceNames = [], verbs }: Rule): boolean {
  const isNamed = resourceNames.length > 0 && verbs.every((verb) => namedVerbs.includes(verb));
  const isReading = resources.join() === 'namespaces,limitranges' && verbs.join() === 'list,watch';
  return isNamed || isReading;
}

const namedVerbs = ['get', 'watch', 'patch', 'delete'];

function portNamesOf(deployment: Parameters<typeof containersOf>[0]): string[] {
  return containersOf(deployment).flatMap(({ ports }) => (ports ?? []).map(({ name }) => name ?? ''));
}

/** Secret and key. If a whole Secret is mounted, it must have any key. */
function secretKeysOf({ secret }: IVolume, objects: readonly KubernetesObject[]): (readonly [string, string])[] {
  if (secret?.secretName === undefined) return [];
  const { secretName, items } = secret;
  const keys = items?.map(({ key }) => key) ?? [secretsOf(objects)[secretName]?.[0] ?? 'any'];
  return keys.map((key) => [secretName, key]);
}

function issuerKey({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.name}`;
}
