// The choices that a pod makes by annotations, decoded from a table like settings: all mistakes are reported at once.
import { injectName, prefix } from '../common/cluster-names.ts';
import { type LogLevel, logLevels } from '../common/logger.ts';
import { type Decoder, decodeSettings, integer, list, oneOf, type Setting, text } from '../common/settings.ts';
import { PodError } from './pod.ts';
import type { PortWishes } from './ports.ts';
import { shown } from './shown.ts';
import { sizeDecoders } from './size-decoders.ts';
import type { ChosenSizes, Sizes } from './sizes.ts';

/** forward: sends requests to the egress gateway. full: a whole proxy, for a cluster of one tenant. */
export const modes = ['forward', 'full'] as const;
export type Mode = (typeof modes)[number];

/** The cluster operator's defaults, for everything that a pod does not choose. */
export interface Defaults {
  /** The modes that pods may choose; the first is the default. */
  readonly modes: readonly Mode[];
  readonly resources: Sizes;
}

/** The choices in annotations; defaults and other sources replace undefined ones. */
export interface Choices {
  readonly mode: Mode;
  readonly keySecret: string;
  readonly tlsSecret: string;
  readonly proxySecret: string;
  readonly ports: PortWishes['ports'];
  readonly logLevel: LogLevel | undefined;
  readonly sizes: ChosenSizes;
  /** Names of containers whose environment stays unchanged. */
  readonly excluded: ReadonlySet<string>;
}

const objectName: Decoder<string> = (value) => {
  if (value.length <= 253 && /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(value)) return value;
  throw new Error(`must be the name of a Secret, not ${shown(value)}`);
};

/** The sidecar does not run as root, so it cannot open lower ports. */
const port = integer(1024, 65_535);

export const podAnnotations = {
  wish: {
    name: injectName,
    about:
      'enabled or true requests a sidecar in any namespace, disabled or false prevents one. A label of this name works too, but must not contradict the annotation.',
    decode: text,
    defaultText: 'as the namespace is labelled',
  },
  mode: {
    name: `${prefix}mode`,
    about:
      'forward sends requests to the egress gateway; full is a whole proxy, if GATEWAY_INJECTOR_MODES allows it. The default is the first of GATEWAY_INJECTOR_MODES.',
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
      'Full mode: Secret with proxy-token and ca.crt of the control plane, and redis-url with cache-key and record-keys if there is a Redis.',
    decode: objectName,
    default: 'model-gateway-proxy',
  },
  port: {
    name: `${prefix}port`,
    about: 'Port of the sidecar on loopback. The injector writes it if it moves the port.',
    decode: port,
    defaultText: '`15400`; where a container declares that, the first of 15401 to 15489 that none does',
  },
  adminPort: {
    name: `${prefix}admin-port`,
    about: 'Port of the sidecar’s probes and metrics. The injector writes it if it moves the port.',
    decode: port,
    defaultText: '`15490`; where a container declares that, as above',
  },
  logLevel: {
    name: `${prefix}log-level`,
    about: 'The sidecar’s GATEWAY_LOG_LEVEL.',
    decode: oneOf(logLevels),
  },
  ...sizeDecoders,
  excluded: {
    name: `${prefix}exclude-containers`,
    about: 'Containers that get no environment, separated by commas.',
    decode: list(text),
    default: '',
  },
} as const satisfies Record<string, Setting<unknown>>;

/** Characters of an annotation's value; enough for the names of many containers. */
const valueLengthMax = 4096;

type Annotations = Readonly<Record<string, string>>;

/** @throws PodError, or SettingsError that names every invalid value */
export function readChoices(annotations: Annotations, { modes: allowed }: Pick<Defaults, 'modes'>): Choices {
  refuseLong(annotations);
  const { port, adminPort, cpuRequest, cpuLimit, memoryRequest, memoryLimit, ...values } = decodeSettings(
    podAnnotations,
    annotations,
  );
  const mode = values.mode ?? allowed[0] ?? 'forward';
  if (!allowed.includes(mode)) {
    throw new PodError(`${podAnnotations.mode.name}: ${mode} is not allowed in this cluster`);
  }
  return {
    ...values,
    mode,
    ports: { port, adminPort },
    excluded: new Set(values.excluded),
    sizes: { cpuRequest, cpuLimit, memoryRequest, memoryLimit },
  };
}

function refuseLong(annotations: Annotations): void {
  const long = Object.entries(annotations).find(
    ([name, value]) => name.startsWith(prefix) && value.length > valueLengthMax,
  );
  if (long !== undefined) throw new PodError(`${long[0]}: is longer than ${valueLengthMax} characters`);
}
