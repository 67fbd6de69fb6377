// What a pod chooses by its annotations, read from a table as settings are: every mistake at once, unknown names refused.
import { type LogLevel, logLevels } from '../common/logger.ts';
import {
  type Decoder,
  decodeSettings,
  integer,
  list,
  oneOf,
  type Setting,
  text,
} from '../common/settings.ts';
import { injectAnnotation, injectedAnnotation, notInjectedAnnotation, prefix } from './labels.ts';
import { PodError } from './pod.ts';
import { cpuQuantity, memoryQuantity, type Quantity } from './quantity.ts';
import { shown } from './shown.ts';

/** forward: to the egress gateway. full: a whole proxy, for a cluster of one tenant. */
export const modes = ['forward', 'full'] as const;
export type Mode = (typeof modes)[number];

export interface Resources {
  readonly cpuRequest: Quantity;
  readonly cpuLimit: Quantity;
  readonly memoryRequest: Quantity;
  readonly memoryLimit: Quantity;
}

/** Of the cluster's operator, where a pod chooses nothing. */
export interface Defaults {
  /** Those that pods may choose; the first is the default. */
  readonly modes: readonly Mode[];
  readonly resources: Resources;
}

export interface Choices {
  readonly mode: Mode;
  readonly keySecret: string;
  readonly tlsSecret: string;
  readonly proxySecret: string;
  /** Traffic, on loopback. */
  readonly port: number;
  /** Probes and metrics, on the pod's address. */
  readonly adminPort: number;
  readonly logLevel: LogLevel | undefined;
  readonly resources: Resources;
  /** Names of containers whose environment is left alone. */
  readonly excluded: ReadonlySet<string>;
}

const objectName: Decoder<string> = (value) => {
  if (value.length <= 253 && /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(value)) return value;
  throw new Error(`must be the name of a Secret, not ${shown(value)}`);
};

/** The sidecar may open no other: it is no root. */
const port = integer(1024, 65_535);

export const podAnnotations = {
  wish: {
    name: injectAnnotation,
    about: 'true asks for a sidecar in any namespace, false for none.',
    decode: oneOf(['true', 'false']),
    default: 'true',
    defaultText: 'as the namespace is labelled',
  },
  mode: {
    name: `${prefix}mode`,
    about:
      'forward sends requests to the egress gateway; full is a whole proxy, where GATEWAY_INJECTOR_MODES allows it. The default is the first of GATEWAY_INJECTOR_MODES.',
    decode: oneOf(modes),
  },
  keySecret: {
    name: `${prefix}key-secret`,
    about: 'Secret with the virtual key, under virtual-key.',
    decode: objectName,
    default: 'model-gateway-key',
  },
  tlsSecret: {
    name: `${prefix}tls-secret`,
    about: 'Secret with the client certificate for the egress gateway, under tls.crt and tls.key.',
    decode: objectName,
    default: 'model-gateway-sidecar-tls',
  },
  proxySecret: {
    name: `${prefix}proxy-secret`,
    about:
      'Full mode: Secret with proxy-token and ca.crt of the control plane, and redis-url with cache-key where there is a Redis.',
    decode: objectName,
    default: 'model-gateway-proxy',
  },
  port: {
    name: `${prefix}port`,
    about: 'Port of the sidecar on loopback.',
    decode: port,
    default: '8080',
  },
  adminPort: {
    name: `${prefix}admin-port`,
    about: 'Port of the sidecar’s probes and metrics.',
    decode: port,
    default: '9090',
  },
  logLevel: {
    name: `${prefix}log-level`,
    about: 'The sidecar’s GATEWAY_LOG_LEVEL.',
    decode: oneOf(logLevels),
  },
  cpuRequest: {
    name: `${prefix}cpu-request`,
    about: 'In place of GATEWAY_INJECTOR_CPU_REQUEST.',
    decode: cpuQuantity,
  },
  cpuLimit: {
    name: `${prefix}cpu-limit`,
    about: 'In place of GATEWAY_INJECTOR_CPU_LIMIT.',
    decode: cpuQuantity,
  },
  memoryRequest: {
    name: `${prefix}memory-request`,
    about: 'In place of GATEWAY_INJECTOR_MEMORY_REQUEST.',
    decode: memoryQuantity,
  },
  memoryLimit: {
    name: `${prefix}memory-limit`,
    about: 'In place of GATEWAY_INJECTOR_MEMORY_LIMIT.',
    decode: memoryQuantity,
  },
  excluded: {
    name: `${prefix}exclude-containers`,
    about: 'Containers that get no environment, separated by commas.',
    decode: list(text),
    default: '',
  },
} as const satisfies Record<string, Setting<unknown>>;

/** Of an annotation; names of many containers fit in. */
const valueLengthMax = 4096;

const known = new Set([
  ...[injectedAnnotation, notInjectedAnnotation],
  ...Object.values(podAnnotations).map(({ name }) => name),
]);

type Annotations = Readonly<Record<string, string>>;

/** Whether the pod's author wants no sidecar. @throws SettingsError */
export function isOptedOut(annotations: Annotations): boolean {
  return decodeSettings({ wish: podAnnotations.wish }, annotations).wish === 'false';
}

/** @throws PodError, or SettingsError that names every value that cannot be used */
export function readChoices(annotations: Annotations, defaults: Defaults): Choices {
  refuseUnknown(annotations);
  const values = decodeSettings(podAnnotations, annotations);
  const [firstMode = 'forward'] = defaults.modes;
  const choices = {
    ...values,
    mode: values.mode ?? firstMode,
    excluded: new Set(values.excluded),
    resources: {
      cpuRequest: values.cpuRequest ?? defaults.resources.cpuRequest,
      cpuLimit: values.cpuLimit ?? defaults.resources.cpuLimit,
      memoryRequest: values.memoryRequest ?? defaults.resources.memoryRequest,
      memoryLimit: values.memoryLimit ?? defaults.resources.memoryLimit,
    },
  };
  const contradiction = contradictionIn(choices, defaults);
  if (contradiction !== undefined) throw new PodError(contradiction);
  return choices;
}

function refuseUnknown(annotations: Annotations): void {
  const ours = Object.entries(annotations).filter(([name]) => name.startsWith(prefix));
  const unknown = ours.find(([name]) => !known.has(name));
  if (unknown !== undefined) throw new PodError(`there is no annotation ${shown(unknown[0])}`);
  const long = ours.find(([, value]) => value.length > valueLengthMax);
  if (long !== undefined) throw new PodError(`${long[0]}: is longer than ${valueLengthMax} characters`);
}

function contradictionIn(
  { mode, port, adminPort, resources }: Choices,
  defaults: Defaults,
): string | undefined {
  if (!defaults.modes.includes(mode)) {
    return `${podAnnotations.mode.name}: ${mode} is not allowed in this cluster`;
  }
  if (port === adminPort) {
    return `${podAnnotations.port.name} and ${podAnnotations.adminPort.name}: both are ${port}`;
  }
  const above = aboveLimit(resources);
  return above && `${podAnnotations[above.of].name}: ${above.why}`;
}

export interface AboveLimit {
  readonly of: 'cpuRequest' | 'memoryRequest';
  readonly why: string;
}

/** A request above its limit, which the API server would refuse for a reason that names no annotation. */
export function aboveLimit(resources: Resources): AboveLimit | undefined {
  const { cpuRequest, cpuLimit, memoryRequest, memoryLimit } = resources;
  const why = (request: Quantity, limit: Quantity) => `${request.text} is more than the limit ${limit.text}`;
  if (cpuRequest.amount > cpuLimit.amount) return { of: 'cpuRequest', why: why(cpuRequest, cpuLimit) };
  if (memoryRequest.amount > memoryLimit.amount) {
    return { of: 'memoryRequest', why: why(memoryRequest, memoryLimit) };
  }
  return undefined;
}
