// Every container's environment lets its program start: known names, valid values, mounted files, declared ports, and a
// grace that fits the pod's.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IContainer } from 'kubernetes-models/v1/Container';
import { createCredential } from '../../../common/credential.ts';
import { createSigningKey, parseSigningKey, publicPemOf } from '../../../common/record-signature.ts';
import { createSealKey } from '../../../common/seal.ts';
import { duration, type Setting } from '../../../common/settings.ts';
import { controlPlaneSettings, readControlPlaneSettings } from '../../../control-plane/settings.ts';
import { drainGraceMs } from '../../../injector/app.ts';
import { injectorSettings, readInjectorSettings } from '../../../injector/settings.ts';
import { drainGraceMs as keeperDrainMs } from '../../../keeper/app.ts';
import { keeperSettings, readKeeperSettings } from '../../../keeper/settings.ts';
import { proxySettings, readProxySettings } from '../../../proxy/settings.ts';
import {
  deploymentNamed,
  firstContainerOf,
  type KubernetesObject,
  type Policy,
  perContainer,
  podOf,
} from './objects.ts';
import { secretsOf } from './secrets.ts';

interface Program {
  readonly settings: Readonly<Record<string, Setting<unknown>>>;
  /** @throws SettingsError */
  read(env: NodeJS.ProcessEnv): unknown;
  /** Time that it needs after the signal to end. */
  drainMs(env: NodeJS.ProcessEnv): number;
}

const graceSetting = (env: NodeJS.ProcessEnv) => duration(env.GATEWAY_DRAIN_GRACE ?? 'not set');

const programs: Readonly<Record<string, Program>> = {
  proxy: { settings: proxySettings, read: readProxySettings, drainMs: graceSetting },
  'control-plane': { settings: controlPlaneSettings, read: readControlPlaneSettings, drainMs: graceSetting },
  injector: { settings: injectorSettings, read: readInjectorSettings, drainMs: () => drainGraceMs },
  keeper: { settings: keeperSettings, read: readKeeperSettings, drainMs: () => keeperDrainMs },
};

/** Before the drain, so that all clients notice; after it, to close open connections. */
const beforeAndAfterSeconds = 5;

/** By the name of the setting; obviously fake values. */
const secretValues: Readonly<Record<string, () => string>> = {
  GATEWAY_DATABASE_URL: () => 'postgres://user@database/gateway',
  GATEWAY_MASTER_KEY: createSealKey,
  GATEWAY_BOOTSTRAP_TOKEN: () => createCredential('bootstrap'),
  GATEWAY_CACHE_KEY: createSealKey,
  GATEWAY_RECORD_SIGNING_KEY: createSigningKey,
  GATEWAY_RECORD_KEYS: () => publicPemOf(parseSigningKey(createSigningKey())),
  REDIS_URL: () => 'redis://redis:6379',
};

const injector = (objects: readonly KubernetesObject[]) => firstContainerOf(deploymentNamed(objects, 'injector'));
const gateway = (objects: readonly KubernetesObject[]) => firstContainerOf(deploymentNamed(objects, 'egress-gateway'));

export const settingPolicies: readonly Policy[] = [
  {
    name: 'the environment names only settings that the program has',
    problems: (objects) =>
      perContainer(objects, (container) => {
        const known = Object.values(programOf(container)?.settings ?? {}).flatMap(({ name, secret }) =>
          secret ? [name, `${name}_FILE`] : [name],
        );
        const unknown = (container.env ?? []).filter(({ name }) => !known.includes(name));
        return programOf(container) && unknown.map(({ name }) => name).join();
      }),
    breach: (objects) => injector(objects).env?.push({ name: 'GATEWAY_INJECTOR_MODE', value: 'forward' }),
  },
  {
    name: 'the program starts with its environment',
    problems: (objects) =>
      perContainer(objects, (container) => {
        const folder = mkdtempSync(join(tmpdir(), 'gateway-env-'));
        try {
          programOf(container)?.read(environmentOf(container, folder));
          return undefined;
        } catch (error) {
          return String(error);
        } finally {
          rmSync(folder, { recursive: true });
        }
      }),
    breach: (objects) => {
      const env = gateway(objects).env ?? [];
      env.splice(
        env.findIndex(({ name }) => name === 'GATEWAY_TLS_KEY_FILE'),
        1,
      );
    },
  },
  {
    name: 'files that settings name are mounted from a Secret that contains them',
    problems: (objects) =>
      perContainer(objects, (container, deployment) => {
        const files = (container.env ?? []).filter(({ name }) => name.endsWith('_FILE'));
        const missing = files.find(({ value = '' }) => {
          const mount = container.volumeMounts?.find((one) => value.startsWith(`${one.mountPath}/`));
          const volume = podOf(deployment).volumes?.find(({ name }) => name === mount?.name);
          const { secretName = '', items } = volume?.secret ?? {};
          const key = value.slice((mount?.mountPath.length ?? 0) + 1);
          const isPicked = items === undefined || items.some((one) => one.path === key);
          return !(mount?.readOnly && isPicked && secretsOf(objects)[secretName]?.includes(key));
        });
        return missing && `${missing.name}=${missing.value}`;
      }),
    breach: (objects) => {
      const file = injector(objects).env?.find(({ name }) => name === 'GATEWAY_TLS_CERT_FILE');
      Object.assign(file ?? {}, { value: '/var/run/model-gateway/tls/cert.pem' });
    },
  },
  {
    name: 'a container declares the ports that its program listens on, all of them on every address',
    problems: (objects) =>
      perContainer(objects, (container) => {
        const listeners = (container.env ?? []).filter(({ name }) => name.endsWith('_LISTEN'));
        const wanted = listeners.map(({ value }) => value).sort();
        const declared = (container.ports ?? []).map(({ containerPort }) => `0.0.0.0:${containerPort}`).sort();
        const isOurs = programOf(container) !== undefined;
        return isOurs && wanted.join() !== declared.join() && `${wanted.join()} and ${declared.join()}`;
      }),
    breach: (objects) => Object.assign(injector(objects).ports?.[0] ?? {}, { containerPort: 443 }),
  },
  {
    name: 'a pod may take as long to end as preStop, the drain and 5 s after it',
    problems: (objects) =>
      perContainer(objects, (container, deployment) => {
        const program = programOf(container);
        if (program === undefined) return undefined;
        const drainSeconds = program.drainMs(plainEnvironmentOf(container)) / 1000;
        const sleeps = container.lifecycle?.preStop?.sleep?.seconds;
        const grace = podOf(deployment).terminationGracePeriodSeconds;
        const isRight = sleeps === beforeAndAfterSeconds && grace === sleeps + drainSeconds + beforeAndAfterSeconds;
        return !isRight && `${sleeps} s, ${drainSeconds} s and ${grace} s`;
      }),
    breach: (objects) =>
      Object.assign(podOf(deploymentNamed(objects, 'egress-gateway')), { terminationGracePeriodSeconds: 30 }),
  },
];

/** Undefined for foreign containers. @throws Error at an unknown program of ours */
function programOf({ name, image, command }: IContainer): Program | undefined {
  if (image?.startsWith('model-gateway/simulator') || !image?.includes('model-gateway/')) return undefined;
  const [, program = ''] = /^\/app\/([\w-]+)\/bin\/main\.mjs$/.exec(command?.[1] ?? '') ?? [];
  const found = programs[program];
  if (found === undefined) throw new Error(`${name}: no program in ${command?.join(' ')}`);
  return found;
}

function plainEnvironmentOf({ env }: IContainer): NodeJS.ProcessEnv {
  return Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
}

/** With fake secrets, in files of the folder where the setting names a file. */
function environmentOf(container: IContainer, folder: string): NodeJS.ProcessEnv {
  const env = (container.env ?? []).map(({ name, value }) => {
    const secret = secretValues[name.replace(/_FILE$/, '')];
    if (secret === undefined || !name.endsWith('_FILE')) return [name, value ?? secret?.()];
    const file = join(folder, name);
    writeFileSync(file, secret());
    return [name, file];
  });
  return Object.fromEntries(env);
}
