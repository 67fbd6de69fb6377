// Policies of every pod: restricted Pod Security and more, so that an admission controller has nothing to add.
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { version } from '../../../common/version.ts';
import { restrictedViolations } from '../pod-security.ts';
import {
  containersOf,
  deploymentNamed,
  firstContainerOf,
  type KubernetesObject,
  nameOf,
  ofKind,
  type Policy,
  perContainer,
  perDeployment,
  podLabelsOf,
  podOf,
  selects,
} from './objects.ts';

const injector = (objects: readonly KubernetesObject[]) => deploymentNamed(objects, 'injector');
const container = (objects: readonly KubernetesObject[]) => firstContainerOf(injector(objects));

export const podPolicies: readonly Policy[] = [
  {
    name: 'pods keep the Pod Security Standard restricted',
    problems: (objects) => perDeployment(objects, (deployment) => restrictedViolations(podOf(deployment)).join()),
    breach: (objects) => Object.assign(container(objects).securityContext ?? {}, { privileged: true }),
  },
  {
    name: 'pods run as a numeric user that is not root, under the default seccomp profile',
    problems: (objects) =>
      perDeployment(objects, (deployment) => {
        const { runAsNonRoot, runAsUser, runAsGroup, seccompProfile } = podOf(deployment).securityContext ?? {};
        const isNobody = runAsNonRoot === true && Number(runAsUser) > 0 && Number(runAsGroup) > 0;
        return !(isNobody && seccompProfile?.type === 'RuntimeDefault') && 'may be root';
      }),
    breach: (objects) => Object.assign(podOf(injector(objects)).securityContext ?? {}, { runAsUser: 0 }),
  },
  {
    name: 'no container overrides the users of its pod',
    problems: (objects) =>
      perContainer(objects, ({ securityContext }) => {
        const { runAsUser, runAsNonRoot, seccompProfile, procMount } = securityContext ?? {};
        return [runAsUser, runAsNonRoot, seccompProfile, procMount].some(isSet) && 'overrides its pod';
      }),
    breach: (objects) => Object.assign(container(objects).securityContext ?? {}, { runAsUser: 1 }),
  },
  {
    name: 'no container has privileges, escalation or capabilities',
    problems: (objects) =>
      perContainer(objects, ({ securityContext }) => {
        const { privileged, allowPrivilegeEscalation, capabilities } = securityContext ?? {};
        const isDropped = capabilities?.drop?.includes('ALL') && capabilities.add === undefined;
        return !(privileged !== true && allowPrivilegeEscalation === false && isDropped) && 'is privileged';
      }),
    breach: (objects) => Object.assign(container(objects).securityContext ?? {}, { capabilities: {} }),
  },
  {
    name: 'root file systems are read-only',
    problems: (objects) =>
      perContainer(objects, ({ securityContext }) => securityContext?.readOnlyRootFilesystem !== true && 'can write'),
    breach: (objects) => Object.assign(container(objects), { securityContext: {} }),
  },
  {
    name: 'nothing of the host is shared',
    problems: (objects) =>
      perDeployment(objects, (deployment) => {
        const { hostNetwork, hostPID, hostIPC, hostUsers, shareProcessNamespace, volumes } = podOf(deployment);
        const hostPort = containersOf(deployment).some(({ ports }) => ports?.some((one) => isSet(one.hostPort)));
        const shared = [hostNetwork, hostPID, hostIPC, hostUsers, shareProcessNamespace].some(isSet);
        return (shared || hostPort || volumes?.some(({ hostPath }) => isSet(hostPath))) && 'shares the host';
      }),
    breach: (objects) => podOf(injector(objects)).volumes?.push({ name: 'host', hostPath: { path: '/' } }),
  },
  {
    name: 'volumes are Secrets, ConfigMaps, claims, projections or empty, and every mount has one',
    problems: (objects) =>
      perDeployment(objects, (deployment) => {
        const volumes = podOf(deployment).volumes ?? [];
        const names = volumes.map(({ name }) => name);
        const mounts = containersOf(deployment).flatMap(({ volumeMounts }) => volumeMounts ?? []);
        const strange = volumes.find(
          (one) => !(one.secret ?? one.configMap ?? one.persistentVolumeClaim ?? one.emptyDir ?? one.projected),
        );
        const dangling = mounts.find(({ name }) => !names.includes(name));
        return (strange ?? dangling) && `the volume ${(strange ?? dangling)?.name}`;
      }),
    breach: (objects) => podOf(injector(objects)).volumes?.splice(0),
  },
  {
    name: 'containers have requests and limits of processor time and memory',
    problems: (objects) =>
      perContainer(objects, ({ resources }) => {
        const { requests, limits } = resources ?? {};
        return [requests?.cpu, requests?.memory, limits?.cpu, limits?.memory].some((one) => !isSet(one)) && 'is not';
      }),
    breach: (objects) => Object.assign(container(objects).resources ?? {}, { limits: { cpu: '1' } }),
  },
  {
    name: 'containers have all three probes, and they call a declared port',
    problems: (objects) =>
      perContainer(objects, ({ startupProbe, livenessProbe, readinessProbe, ports }) => {
        const probes = [startupProbe, livenessProbe, readinessProbe];
        const requested = probes.map((probe) => probe?.httpGet?.port ?? probe?.tcpSocket?.port);
        return !requested.every((port) => ports?.some(({ name }) => name === port)) && 'a probe calls no declared port';
      }),
    breach: (objects) => Object.assign(container(objects), { readinessProbe: undefined }),
  },
  {
    name: 'on an admin port liveness calls /livez, and readiness /readyz',
    problems: (objects) =>
      perContainer(objects, ({ startupProbe, livenessProbe, readinessProbe, ports }) => {
        const admin = ports?.find(({ name = '' }) => /(?:^|-)admin$/.test(name))?.name;
        if (admin === undefined) return undefined;
        const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet);
        const requested = paths.map((get) => `${get?.path} of ${get?.port}`).join();
        return requested !== `/livez of ${admin},/livez of ${admin},/readyz of ${admin}` && requested;
      }),
    breach: (objects) =>
      Object.assign(container(objects).livenessProbe ?? {}, { httpGet: { path: '/readyz', port: 'admin' } }),
  },
  {
    name: 'images have a tag: ours the version of this repository, others a whole version',
    problems: (objects) =>
      perContainer(objects, ({ image = '' }) => {
        const [name = '', tag = 'latest'] = image.split(/:(?=[^/]*$)/);
        const isRight = name.includes('model-gateway/') ? tag === version : /^\d+\.\d+\.\d+/.test(tag);
        return !isRight && `the image ${image}`;
      }),
    breach: (objects) => Object.assign(container(objects), { image: 'model-gateway/proxy:latest' }),
  },
  {
    name: 'each pod has its own account, and neither mounts a token for the API server automatically',
    problems: (objects) =>
      perDeployment(objects, (deployment) => {
        const { automountServiceAccountToken, serviceAccountName } = podOf(deployment);
        const account = ofKind(objects, ServiceAccount.is).find((one) => nameOf(one) === serviceAccountName);
        const isOwn = serviceAccountName === nameOf(deployment);
        const tokens = [automountServiceAccountToken, account?.automountServiceAccountToken];
        return !(isOwn && tokens.every((mounted) => mounted === false)) && 'has or may have one';
      }),
    breach: (objects) => Object.assign(podOf(injector(objects)), { automountServiceAccountToken: undefined }),
  },
  {
    name: 'only the keeper mounts a token for the API server',
    problems: (objects) =>
      perDeployment(objects, (deployment) => {
        const { volumes = [] } = podOf(deployment);
        const tokens = (volumes ?? [])
          .filter(({ projected }) => projected?.sources?.some((one) => isSet(one.serviceAccountToken)))
          .map(({ name }) => name);
        const holders = containersOf(deployment)
          .filter(({ volumeMounts }) => volumeMounts?.some(({ name }) => tokens.includes(name)))
          .map(({ name }) => name);
        return holders.some((name) => name !== 'keeper') && holders.join();
      }),
    breach: (objects) => {
      const mounts = container(objects).volumeMounts;
      mounts?.push({ name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' });
    },
  },
  {
    name: 'an autoscaler sets the number of pods; without one the Deployment sets it',
    problems: (objects) =>
      perDeployment(objects, (deployment) => {
        const scaled = ofKind(objects, HorizontalPodAutoscaler.is).some(
          ({ spec }) => spec?.scaleTargetRef.name === nameOf(deployment),
        );
        return scaled === isSet(deployment.spec?.replicas) && 'replicas';
      }),
    breach: (objects) => Object.assign(injector(objects).spec ?? {}, { replicas: undefined }),
  },
  {
    name: 'an update removes no capacity and keeps a few earlier versions',
    problems: (objects) =>
      perDeployment(objects, ({ spec }) => {
        const { strategy, revisionHistoryLimit, replicas } = spec ?? {};
        const isSingle = replicas === 1;
        return !(isSingle || strategy?.rollingUpdate?.maxUnavailable === 0) || !isSet(revisionHistoryLimit)
          ? 'the strategy'
          : undefined;
      }),
    breach: (objects) => Object.assign(injector(objects).spec ?? {}, { strategy: { type: 'RollingUpdate' } }),
  },
  {
    name: 'several pods of a kind are spread over zones and nodes',
    problems: (objects) =>
      perDeployment(objects, (deployment) => {
        if (deployment.spec?.replicas === 1) return undefined;
        const spread = (podOf(deployment).topologySpreadConstraints ?? [])
          .filter((one) => selects(one.labelSelector ?? {}, podLabelsOf(deployment)))
          .map((one) => one.topologyKey);
        const wanted = ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'];
        return !wanted.every((key) => spread.includes(key)) && `spread over ${spread.join()}`;
      }),
    breach: (objects) => podOf(injector(objects)).topologySpreadConstraints?.pop(),
  },
];

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
