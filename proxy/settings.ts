// Every setting of the proxy with its default and its reason; docs/configuration.md is rendered from this table.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { totalmem } from 'node:os';
import { catalogSettings } from '../catalog/settings.ts';
import { callerMistakes, callerSettings } from '../common/caller-settings.ts';
import { parseJson } from '../common/json.ts';
import { logLevels } from '../common/logger.ts';
import { parseVerifyingKeys } from '../common/record-signature.ts';
import { parseSealKeys } from '../common/seal.ts';
import {
  bytes,
  cidr,
  type Decoder,
  decodeSettings,
  duration,
  flag,
  integer,
  list,
  listenAddress,
  oneOf,
  type Setting,
  SettingsError,
  secret,
  settingFile,
  text,
} from '../common/settings.ts';
import { vendorSettings } from '../common/vendor-settings.ts';
import { windowDefault } from '../guardrails/window.ts';
import { type CapabilityRow, parseCapabilityRows } from './catalog/capabilities.ts';
import { type ClientFormatName, clientFormatNames } from './formats/client-format.ts';
import { networkSettings } from './network-settings.ts';
import { redisPrefix, redisTarget } from './redis/target.ts';
import { sidecarMistakes, sidecarSettings } from './sidecar-settings.ts';
import { timeSettings } from './time-settings.ts';

const capabilityRows: Decoder<readonly CapabilityRow[]> = (path) =>
  path === '' ? [] : parseCapabilityRows(parseJson(readFileSync(path, 'utf8')), path);

const formatList = list(oneOf(clientFormatNames));

const servedFormats: Decoder<ReadonlySet<ClientFormatName>> = (value) => {
  const names = new Set(formatList(value));
  if (names.size === 0) throw new Error(`must name one of ${clientFormatNames.join(', ')}`);
  return names;
};

export const proxySettings = {
  listen: {
    name: 'GATEWAY_LISTEN',
    about: 'Traffic listener. A sidecar stays on loopback; an egress gateway listens on 0.0.0.0:8080.',
    decode: listenAddress,
    default: '127.0.0.1:8080',
  },
  adminListen: {
    name: 'GATEWAY_ADMIN_LISTEN',
    about: 'Listener for /metrics, /livez and /readyz; never the traffic port.',
    decode: listenAddress,
    default: '127.0.0.1:9090',
  },
  ...callerSettings,
  ...sidecarSettings,
  controlPlane: {
    name: 'GATEWAY_CONTROL_PLANE',
    about:
      "host:port of the control plane's gRPC listener: one name for all replicas, or several IP addresses separated by commas.",
    decode: list(text),
    default: '127.0.0.1:50051',
  },
  proxyToken: {
    name: 'GATEWAY_PROXY_TOKEN',
    about: "This proxy's credential (gw-proxy-…) at the control plane. Not needed with a client certificate.",
    decode: secret,
    secret: true,
  },
  controlPlaneTls: {
    name: 'GATEWAY_CONTROL_PLANE_TLS',
    about: 'true speaks TLS to the control plane. Needed off loopback: provider keys travel on this connection.',
    decode: flag,
    default: 'false',
  },
  controlPlanePlaintext: {
    name: 'GATEWAY_CONTROL_PLANE_PLAINTEXT',
    about: 'true allows plaintext off loopback, where a mesh encrypts on its own.',
    decode: flag,
    default: 'false',
  },
  controlPlaneName: {
    name: 'GATEWAY_CONTROL_PLANE_NAME',
    about:
      "The name in the control plane's certificate. Needed with TLS where GATEWAY_CONTROL_PLANE gives IP addresses, which have no name to check.",
    decode: text,
  },
  controlPlaneCaFile: {
    name: 'GATEWAY_CONTROL_PLANE_CA_FILE',
    about: "PEM file of the authorities that sign the control plane's certificate; without it the system's.",
    decode: text,
  },
  controlPlaneCertFile: {
    name: 'GATEWAY_CONTROL_PLANE_CERT_FILE',
    about: "PEM file of this proxy's client certificate, for mutual TLS; reloaded when it changes.",
    decode: text,
  },
  controlPlaneKeyFile: {
    name: 'GATEWAY_CONTROL_PLANE_KEY_FILE',
    about: "PEM file of the client certificate's private key.",
    decode: text,
  },
  redis: {
    name: 'REDIS_URL',
    about:
      'Records and rates shared by proxies: redis:// or rediss:// (TLS); redis-cluster:// or several nodes separated by commas for a Cluster; redis-sentinel://. Without it records are kept in memory only, and each proxy counts rates for itself.',
    decode: redisTarget,
    secret: true,
  },
  redisPrefix: {
    name: 'GATEWAY_REDIS_PREFIX',
    about:
      'Before every name in Redis, such as acme: – so that an account of the server may be confined to the names of one organization (ACL). The same for all proxies that share records and rates.',
    decode: redisPrefix,
  },
  cacheKey: {
    name: 'GATEWAY_CACHE_KEY',
    about:
      'Seals the values in Redis: 32 bytes in base64, newest first where there are two. Needed with REDIS_URL, the same for all proxies.',
    decode: parseSealKeys,
    secret: true,
  },
  responseCacheBytesMax: {
    name: 'GATEWAY_RESPONSE_CACHE_BYTES_MAX',
    about:
      'Bytes that the cached responses of one organization may have in Redis, for routes that cache them. At the limit further ones are not stored until others expire. Requests above 256 KiB and responses above 1 MiB are never stored.',
    decode: bytes,
    default: '64MiB',
  },
  recordKeys: {
    name: 'GATEWAY_RECORD_KEYS',
    about:
      'Public keys of the records that the control plane signs, in PEM, one after the other; a file is read again when it changes. Nothing else is accepted, in Redis or from the control plane. Without it the proxy takes the keys that the control plane names, and one that starts while there is no control plane serves nothing from Redis.',
    decode: parseVerifyingKeys,
    secret: true,
  },
  journalDir: {
    name: 'GATEWAY_JOURNAL_DIR',
    about:
      'Folder of this pod alone (an emptyDir) in which the proxy records reservations of budgets and usage, so that after a crash the next process reports them at once. Without it a crash leaves money unconfirmed.',
    decode: text,
  },
  maxStale: {
    name: 'GATEWAY_ACCESS_MAX_STALE',
    about:
      'How long cached records serve while the control plane cannot be reached: the bound on a revocation in that case.',
    decode: duration,
    default: '1h',
  },
  clientFormats: {
    name: 'GATEWAY_CLIENT_FORMATS',
    about:
      'Formats of clients that the proxy serves, separated by commas. The routes of the others are 404 route_not_found, as unknown paths are.',
    decode: servedFormats,
    default: clientFormatNames.join(','),
  },
  ...vendorSettings,
  ...catalogSettings,
  capabilities: {
    name: 'GATEWAY_TRAITS_FILE',
    about:
      'JSON file of rows in the form of catalog/traits.json: model capabilities, if the shipped table is wrong or behind.',
    decode: capabilityRows,
    default: '',
  },
  ...networkSettings,
  inFlightMax: {
    name: 'GATEWAY_IN_FLIGHT_MAX',
    about: 'Requests at a time; above it 503 overloaded. Nothing queues.',
    decode: integer(1, 1_000_000),
    default: '4096',
  },
  organizationShare: {
    name: 'GATEWAY_ORGANIZATION_SHARE',
    about:
      'Percent of the concurrent requests, the buffered bytes and the responses being read on that one organization may use while it is alone. The more others use, the less it may use; one of its keys may use at most four fifths of its part. 100 if the gateway serves one organization.',
    decode: integer(1, 100),
    default: '25',
  },
  readOnMax: {
    name: 'GATEWAY_READ_ON_MAX',
    about:
      'Concurrent responses that are read on for their usage after their caller left. A response without room is cancelled and charged its reservation.',
    decode: integer(0, 1_000_000),
    default: '1000',
  },
  backgroundMax: {
    name: 'GATEWAY_BACKGROUND_MAX',
    about:
      'Responses at a time that a vendor generates in the background (`background: true`) and that the proxy reads until it can settle them, for an hour at most; above it 503 overloaded. GATEWAY_ORGANIZATION_SHARE holds for them too.',
    decode: integer(0, 1_000_000),
    default: '1000',
  },
  bufferedBytesMax: {
    name: 'GATEWAY_BUFFERED_BYTES_MAX',
    about: 'Bytes of all requests and responses in memory, as received. Processing them takes a multiple of that.',
    decode: bytes,
    default: String(Math.floor((process.constrainedMemory() || totalmem()) / 8)),
    defaultText: 'an eighth of the memory the process may use',
  },
  headerBytesMax: {
    name: 'GATEWAY_HEADER_BYTES_MAX',
    about: 'Request line and headers; above it 431.',
    decode: bytes,
    default: '16KiB',
  },
  bodyBytesMax: {
    name: 'GATEWAY_BODY_BYTES_MAX',
    about:
      'Request body; above it 413. Room for images sent as data. One key’s share of GATEWAY_BUFFERED_BYTES_MAX bounds it too.',
    decode: bytes,
    default: '32MiB',
  },
  jsonDepthMax: {
    name: 'GATEWAY_JSON_DEPTH_MAX',
    about: 'Nesting of the request body; above it 400, before anything parses it.',
    decode: integer(8, 1000),
    default: '64',
  },
  jsonStructuralMax: {
    name: 'GATEWAY_JSON_STRUCTURAL_MAX',
    about:
      'Brackets, braces, commas and colons outside strings in the request body; above it 400. Bounds the time of one parse.',
    decode: integer(1000, 10_000_000),
    default: '250000',
  },
  responseBytesMax: {
    name: 'GATEWAY_ANSWER_BYTES_MAX',
    about: "A provider's response that is not a stream; above it 502.",
    decode: bytes,
    default: '64MiB',
  },
  eventBytesMax: {
    name: 'GATEWAY_EVENT_BYTES_MAX',
    about: "One event of a provider's stream; above it the stream ends with an error.",
    decode: bytes,
    default: '4MiB',
  },
  imagesMax: {
    name: 'GATEWAY_IMAGES_MAX',
    about: 'Images named by URL in one request that the gateway fetches, for providers that take bytes only.',
    decode: integer(0, 1000),
    default: '16',
  },
  imageBytesMax: {
    name: 'GATEWAY_IMAGE_BYTES_MAX',
    about: 'All images of one request that the gateway fetches, together.',
    decode: bytes,
    default: '20MiB',
  },
  imageTimeout: {
    name: 'GATEWAY_IMAGE_TIMEOUT',
    about: 'For fetching all images of one request; above it 400.',
    decode: duration,
    default: '10s',
  },
  outputTokensDefault: {
    name: 'GATEWAY_DEFAULT_OUTPUT_TOKENS',
    about:
      'Output tokens that a request without a maximum takes from limits on tokens per minute, until its usage is known; less if the model’s maximum is lower.',
    decode: integer(1, 10_000_000),
    default: '8192',
  },
  guardrailWindow: {
    name: 'GATEWAY_GUARDRAIL_WINDOW',
    about:
      'Characters of a stream that are held back if a guardrail applies to it: no part of a match of up to this length leaves.',
    decode: integer(64, 8192),
    default: String(windowDefault),
  },
  guardrailAddresses: {
    name: 'GATEWAY_GUARDRAIL_ADDRESSES',
    about:
      'CIDR blocks that services of guardrails may have besides public addresses, for services in the cluster; their names must be whole, their certificates valid. Metadata addresses are never reached.',
    decode: list(cidr),
    default: '',
  },
  ...timeSettings,
  drainGrace: {
    name: 'GATEWAY_DRAIN_GRACE',
    about:
      "How long requests may continue after SIGTERM. As long as a request may take; a sidecar sets its pod's grace less 5 s.",
    decode: duration,
    default: '620s',
  },
  logLevel: {
    name: 'GATEWAY_LOG_LEVEL',
    about: 'info writes one line a request.',
    decode: oneOf(logLevels),
    default: 'info',
  },
  logFile: {
    name: 'GATEWAY_LOG_FILE',
    about: 'A file for the log; without it standard output.',
    decode: text,
  },
} as const satisfies Record<string, Setting<unknown>>;

export type ProxySettings = ReturnType<typeof readProxySettings>;

/** @throws SettingsError that names every mistake */
export function readProxySettings(env: NodeJS.ProcessEnv) {
  const settings = decodeSettings(proxySettings, env);
  const { redis, cacheKey, controlPlaneCertFile: certificate, controlPlaneKeyFile: key } = settings;
  const mistakes = [...sidecarMistakes(settings, env), ...callerMistakes(settings)];
  if (redis !== undefined && cacheKey === undefined) {
    mistakes.push('GATEWAY_CACHE_KEY: is needed with REDIS_URL: records are sealed before they leave the proxy');
  }
  if ((certificate === undefined) !== (key === undefined)) {
    mistakes.push('GATEWAY_CONTROL_PLANE_CERT_FILE: goes together with GATEWAY_CONTROL_PLANE_KEY_FILE');
  }
  if (settings.controlPlaneTls && settings.controlPlaneName === undefined && settings.controlPlane.some(isAddress)) {
    mistakes.push(
      'GATEWAY_CONTROL_PLANE: is an IP address, and TLS checks names; give a name instead, or beside it GATEWAY_CONTROL_PLANE_NAME, the one in the certificate',
    );
  }
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return {
    ...settings,
    /** The files from which they are read again. */
    forwardCaFile: settingFile(sidecarSettings.forwardCa, env),
    attachKeyFile: settingFile(sidecarSettings.attachKey, env),
    recordKeysFile: settingFile(proxySettings.recordKeys, env),
  };
}

function isAddress(hostAndPort: string): boolean {
  return isIP(hostAndPort.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')) !== 0;
}
