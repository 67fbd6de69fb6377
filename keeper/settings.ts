// Every setting of the keeper with its default and reason; docs/configuration.md is rendered from this table.
import { hostname } from 'node:os';
import { logLevels } from '../common/logger.ts';
import {
  type Decoder,
  decodeSettings,
  duration,
  flag,
  list,
  listenAddress,
  oneOf,
  type Setting,
  SettingsError,
  text,
  url,
} from '../common/settings.ts';

const httpsUrl = url(['https:']);

const namespace: Decoder<string> = (value) => {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(value)) return value;
  throw new Error(`must be the name of a namespace, not "${value}"`);
};

const account = '/var/run/secrets/kubernetes.io/serviceaccount';

export const keeperSettings = {
  api: {
    name: 'GATEWAY_KEEPER_API',
    about: 'URL of the API server.',
    decode: httpsUrl,
    default: 'https://kubernetes.default.svc',
  },
  apiCaFile: {
    name: 'GATEWAY_KEEPER_API_CA_FILE',
    about: 'PEM file of the authorities that sign its certificate; read again when it changes.',
    decode: text,
    default: `${account}/ca.crt`,
  },
  tokenFile: {
    name: 'GATEWAY_KEEPER_TOKEN_FILE',
    about: 'File with the token of the keeper’s account; read again when it changes.',
    decode: text,
    default: `${account}/token`,
  },
  namespace: {
    name: 'GATEWAY_KEEPER_NAMESPACE',
    about: 'The gateway’s own namespace, in which the keeper’s Lease, PodTemplate, Deployment and Secrets are.',
    decode: namespace,
    default: 'model-gateway',
  },
  identity: {
    name: 'GATEWAY_KEEPER_IDENTITY',
    about: 'Identifies this keeper in the Lease: the pod’s name.',
    decode: text,
    defaultText: 'the host’s name',
  },
  handedDir: {
    name: 'GATEWAY_KEEPER_HANDED_DIR',
    about:
      'Folder that the injector reads (GATEWAY_INJECTOR_HANDED_DIR): the keeper writes the sidecar’s image and sizes of namespaces there. Required.',
    decode: text,
  },
  caFile: {
    name: 'GATEWAY_KEEPER_CA_FILE',
    about:
      'PEM file of the authority that signs the injector’s certificate, for the API server; read again when it changes. If cert-manager makes certificates.',
    decode: text,
  },
  authority: {
    name: 'GATEWAY_KEEPER_AUTHORITY',
    about:
      'true: the keeper is the authority. It makes and renews the certificates of the gateway, in the Secrets of the manifests. Instead of GATEWAY_KEEPER_CA_FILE.',
    decode: flag,
    default: 'false',
  },
  certificateLife: {
    name: 'GATEWAY_KEEPER_CERTIFICATE_LIFE',
    about: 'How long a certificate of the keeper’s is valid; it is renewed at two thirds of that.',
    decode: duration,
    default: '90d',
  },
  authorityLife: {
    name: 'GATEWAY_KEEPER_AUTHORITY_LIFE',
    about:
      'How long an authority of the keeper’s is valid. The next one is published at two thirds of that, and signs from five sixths on. A pod keeps the authority that it was injected with, so it may live as long as the time between.',
    decode: duration,
    default: '3650d',
  },
  tenants: {
    name: 'GATEWAY_KEEPER_TENANTS',
    about:
      'Namespaces of apps whose sidecars get their certificates from the keeper, separated by commas; in addition to those with the label model-gateway.io/inject, if the keeper may read namespaces.',
    decode: list(namespace),
    default: '',
  },
  adminListen: {
    name: 'GATEWAY_ADMIN_LISTEN',
    about: 'Listener for /metrics, /livez and /readyz.',
    decode: listenAddress,
    default: '127.0.0.1:9093',
  },
  logLevel: {
    name: 'GATEWAY_LOG_LEVEL',
    about: 'info writes one line a change that the keeper makes.',
    decode: oneOf(logLevels),
    default: 'info',
  },
} as const satisfies Record<string, Setting<unknown>>;

type Decoded = ReturnType<typeof decodeSettings<typeof keeperSettings>>;

/** The parameter of startKeeper. */
export type KeeperSettings = Decoded & {
  readonly [Key in 'handedDir' | 'identity']: NonNullable<Decoded[Key]>;
};

/** @throws SettingsError that names every mistake */
export function readKeeperSettings(env: NodeJS.ProcessEnv): KeeperSettings {
  const values = decodeSettings(keeperSettings, env);
  const { handedDir, identity = hostname() } = values;
  const mistakes = mistakesOf(values);
  if (handedDir === undefined || mistakes.length > 0) throw new SettingsError(mistakes);
  return { ...values, handedDir, identity };
}

function mistakesOf({ handedDir, caFile, authority, certificateLife, authorityLife, tenants }: Decoded): string[] {
  const { handedDir: handed, caFile: ca, authority: own, certificateLife: life } = keeperSettings;
  return [
    ...(handedDir === undefined ? [`${handed.name}: is required`] : []),
    ...(caFile === undefined && !authority ? [`${ca.name}: is required without ${own.name}`] : []),
    ...(caFile !== undefined && authority ? [`${ca.name}: has no use beside ${own.name}`] : []),
    ...(tenants.length > 0 && !authority ? [`${keeperSettings.tenants.name}: needs ${own.name}`] : []),
    // Otherwise a certificate could outlive the overlap of two authorities.
    ...(certificateLife * 12 > authorityLife
      ? [`${life.name}: must be at most a twelfth of ${keeperSettings.authorityLife.name}`]
      : []),
  ];
}
