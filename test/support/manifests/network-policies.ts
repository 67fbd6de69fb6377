// Network policies: everything is forbidden by default; what is allowed exists and is allowed at both ends.
import { type INetworkPolicy, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import {
  containersOf,
  deploymentsOf,
  type KubernetesObject,
  type LabelSelector,
  nameOf,
  type OfKind,
  ofKind,
  type Policy,
  perDeployment,
  podLabelsOf,
  selects,
} from './objects.ts';

/** Programs that call addresses outside the cluster: providers, webhooks. */
const callers = ['control-plane', 'egress-gateway'];

const privateAddresses = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'];

export const networkPolicies: readonly Policy[] = [
  {
    name: 'namespaces with pods of ours enforce restricted Pod Security',
    problems: (objects) =>
      perDeployment(objects, ({ metadata }) => {
        const namespace = ofKind(objects, Namespace.is).find((one) => nameOf(one) === metadata?.namespace);
        const level = namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce'];
        return level !== 'restricted' && `its namespace enforces ${level}`;
      }),
    breach: (objects) => Object.assign(ofKind(objects, Namespace.is)[0]?.metadata ?? {}, { labels: {} }),
  },
  {
    name: 'namespaces with pods of ours deny all traffic that is not allowed by name',
    problems: (objects) =>
      perDeployment(objects, ({ metadata }) => {
        const denies = policiesOf(objects).some(
          ({ metadata: { namespace }, spec }) =>
            namespace === metadata?.namespace &&
            selectsAll(spec?.podSelector) &&
            spec?.policyTypes?.join() === 'Ingress,Egress' &&
            spec.ingress === undefined &&
            spec.egress === undefined,
        );
        return !denies && 'no policy denies the rest';
      }),
    breach: (objects) => {
      const deny = policiesOf(objects).find((one) => nameOf(one) === 'default-deny');
      Object.assign(deny?.spec ?? {}, { ingress: [{}] });
    },
  },
  {
    name: 'a network policy and each of its peers select existing pods',
    problems: (objects) =>
      policiesOf(objects).flatMap((policy) => {
        const peers = [
          ...(policy.spec?.ingress ?? []).flatMap(({ from }) => from ?? []),
          ...(policy.spec?.egress ?? []).flatMap(({ to }) => to ?? []),
        ];
        const own = peers.flatMap(({ podSelector, namespaceSelector }) =>
          podSelector === undefined || namespaceSelector !== undefined ? [] : [podSelector],
        );
        return [policy.spec?.podSelector, ...own]
          .filter((selector) => !selectsAll(selector) && podsOf(objects, selector).length === 0)
          .map((selector) => `${nameOf(policy)}: ${JSON.stringify(selector)}`);
      }),
    breach: (objects) =>
      Object.assign(policyNamed(objects, 'injector').spec?.podSelector?.matchLabels ?? {}, {
        'app.kubernetes.io/component': 'injektor',
      }),
  },
  {
    name: 'allowed ports are ports of the pods',
    problems: (objects) =>
      policiesOf(objects).flatMap((policy) => {
        const pods = podsOf(objects, policy.spec?.podSelector);
        const ports = (policy.spec?.ingress ?? []).flatMap((rule) => rule.ports ?? []);
        return ports
          .filter(({ port }) => !pods.every((pod) => portNames(pod).includes(String(port))))
          .map(({ port }) => `${nameOf(policy)}: ${port}`);
      }),
    breach: (objects) => {
      const [rule] = policyNamed(objects, 'injector').spec?.ingress ?? [];
      rule?.ports?.push({ protocol: 'TCP', port: 'grpc' });
    },
  },
  {
    name: 'every port of every pod is allowed to some peer',
    problems: (objects) =>
      deploymentsOf(objects).flatMap((deployment) => {
        const ports = policiesOf(objects)
          .filter(({ spec }) => selects(spec?.podSelector ?? {}, podLabelsOf(deployment)))
          .flatMap(({ spec }) => spec?.ingress ?? [])
          .flatMap((rule) => (rule.ports ?? []).map(({ port }) => String(port)));
        return portNames(deployment)
          .filter((name) => !ports.includes(name))
          .map((name) => `${nameOf(deployment)}: ${name}`);
      }),
    breach: (objects) => Object.assign(policyNamed(objects, 'monitoring').spec ?? {}, { ingress: [] }),
  },
  {
    name: 'traffic that may leave for a pod may enter it',
    problems: (objects) =>
      policiesOf(objects).flatMap((policy) => {
        const callers = podsOf(objects, policy.spec?.podSelector);
        return (policy.spec?.egress ?? []).flatMap(({ to = [], ports = [] }) => {
          const called = to.flatMap(({ podSelector }) => (podSelector ? podsOf(objects, podSelector) : []));
          return called
            .filter((pod) => !callers.every((caller) => letsIn(objects, pod, caller, ports)))
            .map((pod) => `${nameOf(policy)}: not let in by ${nameOf(pod)}`);
        });
      }),
    breach: (objects) => {
      const [rule] = policyNamed(objects, 'control-plane').spec?.ingress ?? [];
      Object.assign(rule ?? {}, { from: [] });
    },
  },
  {
    name: 'only pods that call providers and webhooks may leave the cluster, and only to public addresses',
    problems: (objects) =>
      policiesOf(objects).flatMap((policy) => {
        const blocks = (policy.spec?.egress ?? [])
          .flatMap(({ to }) => to ?? [])
          .flatMap(({ ipBlock }) => (ipBlock ? [ipBlock] : []))
          .filter(({ cidr }) => cidr.endsWith('/0'));
        const isOpen = (policy.spec?.egress ?? []).some(({ to, ports }) => to === undefined && ports === undefined);
        const who = podsOf(objects, policy.spec?.podSelector).map(nameOf);
        const isCaller = !selectsAll(policy.spec?.podSelector) && who.every((name) => callers.includes(name));
        const isPublic = blocks.every(
          ({ cidr, except = [] }) => cidr !== '0.0.0.0/0' || privateAddresses.every((one) => except.includes(one)),
        );
        const isKept = !isOpen && (blocks.length === 0 || (isCaller && isPublic));
        return isKept ? [] : [`${nameOf(policy)}: ${who.join()}`];
      }),
    breach: (objects) => policyNamed(objects, 'names').spec?.egress?.push({ to: [{ ipBlock: { cidr: '0.0.0.0/0' } }] }),
  },
];

function policiesOf(objects: readonly KubernetesObject[]): OfKind<INetworkPolicy>[] {
  return ofKind(objects, NetworkPolicy.is);
}

function policyNamed(objects: readonly KubernetesObject[], name: string): OfKind<INetworkPolicy> {
  const found = policiesOf(objects).find((one) => nameOf(one) === name);
  if (found === undefined) throw new Error(`no NetworkPolicy ${name}`);
  return found;
}

function selectsAll(selector: LabelSelector | undefined): boolean {
  return Object.keys(selector ?? {}).length === 0;
}

type Deployments = ReturnType<typeof deploymentsOf>;

function podsOf(objects: readonly KubernetesObject[], selector: LabelSelector | undefined): Deployments {
  return deploymentsOf(objects).filter((one) => selects(selector ?? {}, podLabelsOf(one)));
}

function portNames(deployment: Deployments[number]): string[] {
  return containersOf(deployment).flatMap(({ ports }) => (ports ?? []).map(({ name }) => name ?? ''));
}

function letsIn(
  objects: readonly KubernetesObject[],
  pod: Deployments[number],
  caller: Deployments[number],
  ports: readonly { readonly port?: number | string }[],
): boolean {
  const rules = policiesOf(objects)
    .filter(({ spec }) => selects(spec?.podSelector ?? {}, podLabelsOf(pod)))
    .flatMap(({ spec }) => spec?.ingress ?? [])
    .filter(({ from }) => from?.some(({ podSelector }) => podSelector && selects(podSelector, podLabelsOf(caller))));
  return ports.every(({ port }) => rules.some((rule) => rule.ports?.some((one) => one.port === port)));
}
