// Every setting of the injector with its default and reason; docs/configuration.md is rendered from this table.
import { logLevels } from '../common/logger.ts';
import {
  type Decoder,
  decodeSettings,
  hostAndPort,
  list,
  listenAddress,
  oneOf,
  type Setting,
  SettingsError,
  text,
  url,
} from '../common/settings.ts';
import { sidecarImage } from '../common/sidecar-image.ts';
import { modes } from './choices.ts';
import { cpuQuantity, memoryQuantity } from './quantity.ts';
import { aboveLimit } from './sizes.ts';

const httpsUrl = url(['https:']);

const origin: Decoder<string> = (value) => {
  const parsed = new URL(httpsUrl(value));
  if (parsed.pathname === '/') return parsed.origin;
  throw new Error(`must have no path, such as https://egress-gateway:8443, not "${value}"`);
};

const modeList: Decoder<readonly (typeof modes)[number][]> = (value) => {
  const allowed = list(oneOf(modes))(value);
  if (allowed.length === 0) throw new Error(`must name at least one of ${modes.join(', ')}`);
  return allowed;
};

export const injectorSettings = {
  listen: {
    name: 'GATEWAY_INJECTOR_LISTEN',
    about: 'Listener for the API server: POST /inject, always over TLS. In a cluster 0.0.0.0:8443.',
    decode: listenAddress,
    default: '127.0.0.1:8443',
  },
  adminListen: {
    name: 'GATEWAY_ADMIN_LISTEN',
    about: 'Listener for /metrics, /livez and /readyz; never the traffic port.',
    decode: listenAddress,
    default: '127.0.0.1:9092',
  },
  tlsCertFile: {
    name: 'GATEWAY_TLS_CERT_FILE',
    about: 'PEM file of the certificate chain; read again when it changes. Required: the API server speaks TLS only.',
    decode: text,
  },
  tlsKeyFile: {
    name: 'GATEWAY_TLS_KEY_FILE',
    about: 'PEM file of the certificate’s private key. Required.',
    decode: text,
  },
  image: {
    name: 'GATEWAY_INJECTOR_IMAGE',
    about:
      'Image of the sidecar, with its tag or digest: the proxy’s, of the same version as the egress gateway. Required without GATEWAY_INJECTOR_HANDED_DIR.',
    decode: sidecarImage,
  },
  handedDir: {
    name: 'GATEWAY_INJECTOR_HANDED_DIR',
    about:
      'Folder in which the keeper writes the sidecar’s image and the sizes that namespaces allow; read again when they change. Without an image the injector is not ready.',
    decode: text,
  },
  modes: {
    name: 'GATEWAY_INJECTOR_MODES',
    about:
      'Modes that pods may choose, separated by commas; the first is the default. full hands a proxy’s identity to the pod’s namespace: only in a cluster of one tenant.',
    decode: modeList,
    default: 'forward',
  },
  egressUrl: {
    name: 'GATEWAY_INJECTOR_EGRESS_URL',
    about: 'Where sidecars forward to: https://host:port.',
    decode: origin,
    default: 'https://egress-gateway.model-gateway.svc:8443',
  },
  egressCaFile: {
    name: 'GATEWAY_INJECTOR_EGRESS_CA_FILE',
    about:
      'PEM file of the authorities that sign the egress gateway’s certificate, given to sidecars as text; read again when it changes. Without it the system’s.',
    decode: text,
  },
  controlPlane: {
    name: 'GATEWAY_INJECTOR_CONTROL_PLANE',
    about: 'host:port of the control plane’s gRPC listener, for sidecars in full mode.',
    decode: hostAndPort,
    default: 'control-plane.model-gateway.svc:50051',
  },
  cpuRequest: {
    name: 'GATEWAY_INJECTOR_CPU_REQUEST',
    about: 'Processor time that a sidecar requests, unless its pod sets another.',
    decode: cpuQuantity,
    default: '50m',
  },
  cpuLimit: {
    name: 'GATEWAY_INJECTOR_CPU_LIMIT',
    about: 'Processor time that a sidecar gets at most. Far above the request: starting takes more than serving.',
    decode: cpuQuantity,
    default: '1',
  },
  memoryRequest: {
    name: 'GATEWAY_INJECTOR_MEMORY_REQUEST',
    about: 'Memory that a sidecar requests. One that forwards takes 110 MiB when it is idle.',
    decode: memoryQuantity,
    default: '128Mi',
  },
  memoryLimit: {
    name: 'GATEWAY_INJECTOR_MEMORY_LIMIT',
    about:
      'Memory that a sidecar gets at most. One that forwards took 190 MiB with 64 streams in flight; one in full mode needs twice this.',
    decode: memoryQuantity,
    default: '256Mi',
  },
  logLevel: {
    name: 'GATEWAY_LOG_LEVEL',
    about: 'info writes one line a review.',
    decode: oneOf(logLevels),
    default: 'info',
  },
} as const satisfies Record<string, Setting<unknown>>;

type Decoded = ReturnType<typeof decode>;

/** The parameter of startInjector. */
export type InjectorSettings = Decoded & {
  readonly [Key in 'tlsCertFile' | 'tlsKeyFile']: NonNullable<Decoded[Key]>;
};

const required = ['tlsCertFile', 'tlsKeyFile'] as const;

/** @throws SettingsError that names every mistake */
export function readInjectorSettings(env: NodeJS.ProcessEnv): InjectorSettings {
  const mistakes = required
    .map((key) => injectorSettings[key].name)
    .filter((name) => !env[name])
    .map((name) => `${name}: is required`);
  try {
    const values = decode(env);
    const above = aboveLimit(values);
    if (above !== undefined) mistakes.push(`${injectorSettings[above.of].name}: ${above.why}`);
    const { tlsCertFile, tlsKeyFile, image, handedDir } = values;
    if (image === undefined && handedDir === undefined)
      mistakes.push(`${injectorSettings.image.name}: is required without ${injectorSettings.handedDir.name}`);
    const isWhole = tlsCertFile !== undefined && tlsKeyFile !== undefined;
    if (isWhole && mistakes.length === 0) return { ...values, tlsCertFile, tlsKeyFile };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    mistakes.push(...error.mistakes);
  }
  throw new SettingsError(mistakes);
}

function decode(env: NodeJS.ProcessEnv) {
  return decodeSettings(injectorSettings, env);
}
