// Settings of sidecars and of the egress gateway to which they send: forward mode, the attached key, the listener with
// TLS. Also checks which of them, and of the other settings, contradict each other.
import { X509Certificate } from 'node:crypto';
import { isLoopbackHost } from '../common/addresses.ts';
import {
  type Decoder,
  type decodeSettings,
  type ListenAddress,
  list,
  listenAddress,
  type Setting,
  text,
  url,
} from '../common/settings.ts';
import { attachableKey } from './access/attached-key.ts';
import { podContainer } from './port-in-use.ts';

const egress = url(['https:', 'http:']);

/** The origin of an egress gateway. */
const egressUrl: Decoder<string> = (value) => {
  const { origin, protocol, hostname, pathname } = new URL(egress(value));
  if (pathname !== '/') throw new Error('must have no path, such as https://egress-gateway:8443');
  if (protocol === 'http:' && !isLoopbackHost(hostname.replace(/^\[|\]$/g, '')))
    throw new Error('must begin with https:// off loopback: the virtual key travels on this connection');
  return origin;
};

const authorities: Decoder<string> = (value) => {
  try {
    new X509Certificate(value);
  } catch {
    throw new Error('must be one or more certificates in PEM');
  }
  return value;
};

export const sidecarSettings = {
  tlsListen: {
    name: 'GATEWAY_TLS_LISTEN',
    about: 'A second traffic listener, with TLS, for sidecars: 0.0.0.0:8443 in an egress gateway. TLS 1.2 and newer.',
    decode: listenAddress,
  },
  tlsCertFile: {
    name: 'GATEWAY_TLS_CERT_FILE',
    about: 'PEM file of the certificate of GATEWAY_TLS_LISTEN; reloaded when it changes.',
    decode: text,
  },
  tlsKeyFile: {
    name: 'GATEWAY_TLS_KEY_FILE',
    about: "PEM file of that certificate's private key.",
    decode: text,
  },
  tlsClientCaFile: {
    name: 'GATEWAY_TLS_CLIENT_CA_FILE',
    about:
      'PEM file of the authorities that sign client certificates; with it every caller of GATEWAY_TLS_LISTEN needs one. Reloaded when it changes.',
    decode: text,
  },
  forwardTo: {
    name: 'GATEWAY_FORWARD_TO',
    about:
      'URL of an egress gateway: every request is sent there, and this proxy needs no Redis, no control plane and no provider key. https://host:port, or http:// to loopback.',
    decode: egressUrl,
  },
  forwardCa: {
    name: 'GATEWAY_FORWARD_CA',
    about:
      "PEM of the authorities that sign the egress gateway's certificate; without it the system's. A file is reloaded when it changes.",
    decode: authorities,
    secret: true,
  },
  forwardCertFile: {
    name: 'GATEWAY_FORWARD_CERT_FILE',
    about: 'PEM file of the client certificate shown to the egress gateway; reloaded when it changes.',
    decode: text,
  },
  forwardKeyFile: {
    name: 'GATEWAY_FORWARD_KEY_FILE',
    about: "PEM file of that certificate's private key.",
    decode: text,
  },
  podContainers: {
    name: 'GATEWAY_POD_CONTAINERS',
    about:
      'In a sidecar: the other containers of the pod with their user, container:user, separated by commas; named if one of them has a port of the sidecar’s. Set by the injector.',
    decode: list(podContainer),
  },
  attachKey: {
    name: 'GATEWAY_ATTACH_KEY',
    about:
      'A virtual key for requests without one, so that the application holds no credential; a file is reloaded when it changes. On loopback only: anyone who reaches the port uses the key.',
    decode: attachableKey,
    secret: true,
  },
} as const satisfies Record<string, Setting<unknown>>;

type SidecarSettings = ReturnType<typeof decodeSettings<typeof sidecarSettings>> & {
  readonly listen: ListenAddress;
};

/** One message for each contradiction, for the operator who has to correct it. */
export function sidecarMistakes(settings: SidecarSettings, env: NodeJS.ProcessEnv): string[] {
  const isForwarding = settings.forwardTo !== undefined;
  return [
    ...(isForwarding ? forwardMistakes(env) : fullMistakes(settings)),
    ...pairMistakes(settings),
    ...attachMistakes(settings),
  ];
}

/**
 * Settings that a forwarding proxy does not use, although the operator may believe that it does. Secrets among them
 * must not even reach it.
 */
const notForwarding = [
  ...['REDIS_URL', 'REDIS_URL_FILE', 'GATEWAY_CACHE_KEY', 'GATEWAY_CACHE_KEY_FILE', 'GATEWAY_REDIS_PREFIX'],
  ...['GATEWAY_RECORD_KEYS', 'GATEWAY_RECORD_KEYS_FILE'],
  ...['GATEWAY_PROXY_TOKEN', 'GATEWAY_PROXY_TOKEN_FILE', 'GATEWAY_CONTROL_PLANE'],
  ...['GATEWAY_CONTROL_PLANE_TLS', 'GATEWAY_CONTROL_PLANE_PLAINTEXT', 'GATEWAY_CONTROL_PLANE_CA_FILE'],
  ...['GATEWAY_CONTROL_PLANE_CERT_FILE', 'GATEWAY_CONTROL_PLANE_KEY_FILE', 'GATEWAY_CONTROL_PLANE_NAME'],
  ...['GATEWAY_TLS_LISTEN', 'GATEWAY_TLS_CERT_FILE', 'GATEWAY_TLS_KEY_FILE', 'GATEWAY_TLS_CLIENT_CA_FILE'],
  ...['GATEWAY_TRUSTED_PROXIES', 'GATEWAY_PROXY_PROTOCOL', 'GATEWAY_CLIENT_FORMATS'],
];

function forwardMistakes(env: NodeJS.ProcessEnv): string[] {
  return notForwarding
    .filter((name) => (env[name] ?? '') !== '')
    .map((name) => `${name}: has no use beside GATEWAY_FORWARD_TO; it belongs to the egress gateway`);
}

function fullMistakes(settings: SidecarSettings): string[] {
  const { forwardCa, forwardCertFile, tlsListen, tlsCertFile, tlsClientCaFile } = settings;
  const mistakes: string[] = [];
  if (forwardCa !== undefined || forwardCertFile !== undefined)
    mistakes.push('GATEWAY_FORWARD_TO: is needed with the other settings of GATEWAY_FORWARD_…');
  if (tlsListen !== undefined && tlsCertFile === undefined)
    mistakes.push('GATEWAY_TLS_CERT_FILE: is needed with GATEWAY_TLS_LISTEN');
  if (tlsListen === undefined && (tlsCertFile !== undefined || tlsClientCaFile !== undefined))
    mistakes.push('GATEWAY_TLS_LISTEN: is needed with the other settings of GATEWAY_TLS_…');
  return mistakes;
}

function pairMistakes(settings: SidecarSettings): string[] {
  const pairs = [
    ['tlsCertFile', 'tlsKeyFile'],
    ['forwardCertFile', 'forwardKeyFile'],
  ] as const;
  return pairs
    .filter(([certificate, key]) => (settings[certificate] === undefined) !== (settings[key] === undefined))
    .map(
      ([certificate, key]) => `${sidecarSettings[certificate].name}: goes together with ${sidecarSettings[key].name}`,
    );
}

function attachMistakes({ attachKey, listen, tlsListen }: SidecarSettings): string[] {
  if (attachKey === undefined) return [];
  const mistakes: string[] = [];
  const why = 'beside GATEWAY_ATTACH_KEY: anyone who reaches the port could use the key';
  if (!isLoopbackHost(listen.host)) mistakes.push(`GATEWAY_LISTEN: must be on loopback ${why}`);
  if (tlsListen !== undefined) mistakes.push(`GATEWAY_TLS_LISTEN: cannot be set ${why}`);
  return mistakes;
}
