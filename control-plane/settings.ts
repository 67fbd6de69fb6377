// Every setting of the control plane with its default and its reason; docs/configuration.md is rendered from this
// table.

import { catalogSettings } from '../catalog/settings.ts';
import { isLoopbackHost } from '../common/addresses.ts';
import { ed25519PrivateKey } from '../common/audit-anchor.ts';
import { callerMistakes, callerSettings } from '../common/caller-settings.ts';
import { isWellFormedCredential } from '../common/credential.ts';
import { logLevels } from '../common/logger.ts';
import { privateUpstream } from '../common/private-upstreams.ts';
import { parseSigningKey } from '../common/record-signature.ts';
import { parseSealKeys } from '../common/seal.ts';
import { Secret } from '../common/secret.ts';
import {
  cidr,
  type Decoder,
  decodeSettings,
  duration,
  flag,
  list,
  listenAddress,
  oneOf,
  type Setting,
  SettingsError,
  settingFile,
  text,
} from '../common/settings.ts';
import { isUuid } from '../common/uuid.ts';
import { vendorSettings } from '../common/vendor-settings.ts';
import { consoleMistakes, consoleSettings } from './console/settings.ts';
import type { CertificateProxy } from './rpc/authentication.ts';

const databaseUrl: Decoder<Secret> = (value) => {
  if (/^(sqlite:.|postgres(ql)?:\/\/.)/.test(value)) return new Secret(value);
  // The message never contains the value, because it may contain a password.
  throw new Error('must be postgres://… or sqlite:<file>');
};

const bootstrapToken: Decoder<Secret> = (value) => {
  if (isWellFormedCredential('bootstrap', value)) return new Secret(value);
  throw new Error('is malformed; make one with `node control-plane/main.ts new-bootstrap-token`');
};

const hostName: Decoder<string> = (value) => {
  if (/^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+)$/.test(value)) return value.toLowerCase();
  throw new Error(`must be a host without port, such as gateway.example.com, not "${value}"`);
};

const certificateProxy: Decoder<CertificateProxy> = (value) => {
  const match = /^([^=\s]+)(?:=(.*))?$/.exec(value);
  const [, name, organizationId] = match ?? [];
  if (name !== undefined && (organizationId === undefined || isUuid(organizationId))) {
    return { id: name, organizationId };
  }
  throw new Error(`must be a name of a certificate, or name=organization-id, not "${value}"`);
};

const usageKept: Decoder<number> = (value) => {
  const keptMs = duration(value);
  if (keptMs >= duration('40d')) return keptMs;
  throw new Error(`must be at least 40d, not "${value}"`);
};

const verifyEvery: Decoder<number> = (value) => {
  const everyMs = duration(value);
  if (everyMs >= duration('10s') && everyMs <= duration('12h')) return everyMs;
  throw new Error(`must be from 10s to 12h, not "${value}"`);
};

const organizationId: Decoder<string> = (value) => {
  if (isUuid(value)) return value;
  throw new Error(`must be the id of an organization, not "${value}"`);
};

export const controlPlaneSettings = {
  grpcListen: {
    name: 'GATEWAY_GRPC_LISTEN',
    about: 'Listener for gRPC: operators and proxies. Off loopback it needs TLS.',
    decode: listenAddress,
    default: '127.0.0.1:50051',
  },
  httpListen: {
    name: 'GATEWAY_HTTP_LISTEN',
    about: 'Listener for the operators’ methods as JSON over HTTP. Off loopback it needs TLS.',
    decode: listenAddress,
    default: '127.0.0.1:8081',
  },
  adminListen: {
    name: 'GATEWAY_ADMIN_LISTEN',
    about:
      'Listener for /metrics, /livez and /readyz; never a traffic port. Not the proxy’s 9090: both run side by side.',
    decode: listenAddress,
    default: '127.0.0.1:9091',
  },
  ...callerSettings,
  databaseUrl: {
    name: 'GATEWAY_DATABASE_URL',
    about:
      'The database: postgres://… for several replicas, sqlite:<file> for one process. Required; DATABASE_URL is read if this is not set.',
    decode: databaseUrl,
    secret: true,
  },
  changesKept: {
    name: 'GATEWAY_CHANGES_KEPT',
    about:
      'How long the change feed reaches back. More than any proxy’s GATEWAY_ACCESS_MAX_STALE; a proxy that was away longer resolves everything again.',
    decode: duration,
    default: '7d',
  },
  usageKept: {
    name: 'GATEWAY_USAGE_KEPT',
    about:
      'How long every single request is kept for export: at least 40d, because proxies may report that late. Sums by hour are kept for five years, or for this long if it is longer.',
    decode: usageKept,
    default: '400d',
  },
  masterKey: {
    name: 'GATEWAY_MASTER_KEY',
    about:
      'Seals provider secrets: 32 bytes in base64 or hexadecimal, newest first where there are several. Required; make one with `new-master-key`, rotate with `reseal`.',
    decode: parseSealKeys,
    secret: true,
  },
  recordSigningKey: {
    name: 'GATEWAY_RECORD_SIGNING_KEY',
    about:
      'Signs the records that proxies keep in Redis: an Ed25519 private key in PEM; a file is read again when it changes. Make one with `new-record-key`; proxies get its public key (`record-public-key`) as GATEWAY_RECORD_KEYS. Without it the key is derived from the newest master key.',
    decode: parseSigningKey,
    secret: true,
  },
  bootstrapToken: {
    name: 'GATEWAY_BOOTSTRAP_TOKEN',
    about:
      'Creates the first platform operator, once, and is worthless from then on. Make one with `new-bootstrap-token`; remove it after use.',
    decode: bootstrapToken,
    secret: true,
  },
  tlsCertFile: {
    name: 'GATEWAY_TLS_CERT_FILE',
    about: 'PEM file of the certificate chain of both listeners; read again when it changes. Without it plaintext.',
    decode: text,
  },
  tlsKeyFile: {
    name: 'GATEWAY_TLS_KEY_FILE',
    about: 'PEM file of the certificate’s private key.',
    decode: text,
  },
  tlsClientCaFile: {
    name: 'GATEWAY_TLS_CLIENT_CA_FILE',
    about: 'PEM file of the authorities that sign proxies’ client certificates, for mutual TLS.',
    decode: text,
  },
  proxyCertificates: {
    name: 'GATEWAY_PROXY_CERTIFICATES',
    about:
      'DNS or URI names of client certificates that are proxies, separated by commas; name=organization-id binds one to an organization.',
    decode: list(certificateProxy),
    default: '',
  },
  plaintext: {
    name: 'GATEWAY_PLAINTEXT',
    about:
      'true allows listeners off loopback without TLS, if something in front of them terminates it. Provider secrets are still returned over TLS or loopback only.',
    decode: flag,
    default: 'false',
  },
  httpHosts: {
    name: 'GATEWAY_HTTP_HOSTS',
    about:
      'Host names under which the JSON listener is reached, beside loopback; others are refused, so that no web page can lead a browser to it.',
    decode: list(hostName),
    default: '',
  },
  ...consoleSettings,
  ...catalogSettings,
  privateUpstreams: {
    name: 'GATEWAY_PRIVATE_UPSTREAMS',
    about:
      'host:port list of base URLs of provider keys and providers that may be private or plain http, such as a model server in the cluster. `<id>@host:port` opens it to the organization with that id alone; else it is open to all. The proxies need the same list.',
    decode: list(privateUpstream),
    default: '',
  },
  ...vendorSettings,
  denyCidrs: {
    name: 'GATEWAY_DENY_CIDRS',
    about: 'CIDR blocks that webhooks and tests of provider keys never reach, beside the private and special ones.',
    decode: list(cidr),
    default: '',
  },
  webhookAddresses: {
    name: 'GATEWAY_WEBHOOK_ADDRESSES',
    about:
      'CIDR blocks that webhooks may reach besides public addresses, for receivers in the cluster; their names must be whole, their certificates valid. Metadata addresses are never reached.',
    decode: list(cidr),
    default: '',
  },
  reflection: {
    name: 'GATEWAY_GRPC_REFLECTION',
    about: 'true serves gRPC reflection, for grpcurl and the like.',
    decode: flag,
    default: 'false',
  },
  drainGrace: {
    name: 'GATEWAY_DRAIN_GRACE',
    about: 'How long calls may continue after SIGTERM; they are short.',
    decode: duration,
    default: '10s',
  },
  logLevel: {
    name: 'GATEWAY_LOG_LEVEL',
    about: 'debug writes one line a call.',
    decode: oneOf(logLevels),
    default: 'info',
  },
  logFile: {
    name: 'GATEWAY_LOG_FILE',
    about: 'A file for the log; without it standard output.',
    decode: text,
  },
  auditLog: {
    name: 'GATEWAY_AUDIT_LOG',
    about:
      'true writes every event of the audit log to the log as well, at every GATEWAY_LOG_LEVEL: after a restore, the collected copy shows which revocations it undid. Events contain no secret, but they contain names of people and addresses.',
    decode: flag,
    default: 'true',
  },
  auditVerifyEvery: {
    name: 'GATEWAY_AUDIT_VERIFY_EVERY',
    about:
      'How often one replica verifies new events of the audit log and anchors its head, from 10s to 12h. Once a day it verifies all of it.',
    decode: verifyEvery,
    default: '1h',
  },
  auditSigningKey: {
    name: 'GATEWAY_AUDIT_SIGNING_KEY',
    about:
      'Ed25519 private key in PEM that signs anchors of the audit log; all replicas need the same one. Without it anchors are not signed, and prove no more than their storage does.',
    decode: ed25519PrivateKey,
    secret: true,
  },
  auditAnchorFolder: {
    name: 'GATEWAY_AUDIT_ANCHOR_FOLDER',
    about:
      'A folder for anchors of the audit log, a file each, such as the mount of an object store that never loses a file. All replicas need the same one. Its anchors are compared with the log once a day.',
    decode: text,
  },
  auditAnchorOrganization: {
    name: 'GATEWAY_AUDIT_ANCHOR_ORGANIZATION',
    about:
      'Id of the organization whose webhooks get anchors of the audit log, and a message if it is broken: the platform’s own.',
    decode: organizationId,
  },
} as const satisfies Record<string, Setting<unknown>>;

type Decoded = ReturnType<typeof decode>;

/** The settings that startControlPlane takes. */
export type ControlPlaneSettings = Omit<Decoded, 'databaseUrl' | 'masterKey'> & {
  readonly databaseUrl: NonNullable<Decoded['databaseUrl']>;
  readonly masterKey: NonNullable<Decoded['masterKey']>;
  /** The file that is read again when it changes. */
  readonly recordSigningKeyFile: string | undefined;
};

/** @throws SettingsError that names every mistake */
export function readControlPlaneSettings(env: NodeJS.ProcessEnv): ControlPlaneSettings {
  const mistakes = missing(env);
  let values: Decoded | undefined;
  try {
    values = decode(env);
    mistakes.push(...contradictions(values));
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    mistakes.push(...error.mistakes);
  }
  const { databaseUrl: database, masterKey } = values ?? {};
  if (mistakes.length > 0 || values === undefined || database === undefined || masterKey === undefined) {
    throw new SettingsError(mistakes);
  }
  const recordSigningKeyFile = settingFile(controlPlaneSettings.recordSigningKey, env);
  return { ...values, databaseUrl: database, masterKey, recordSigningKeyFile };
}

function decode(env: NodeJS.ProcessEnv) {
  const named = isSet(env, 'GATEWAY_DATABASE_URL');
  return decodeSettings(controlPlaneSettings, {
    ...env,
    ...(!named && { GATEWAY_DATABASE_URL: env.DATABASE_URL }),
  });
}

function missing(env: NodeJS.ProcessEnv): string[] {
  const mistakes: string[] = [];
  if (!isSet(env, 'GATEWAY_DATABASE_URL') && !env.DATABASE_URL) {
    mistakes.push('GATEWAY_DATABASE_URL: is required: postgres://… or sqlite:<file>');
  }
  if (!isSet(env, 'GATEWAY_MASTER_KEY')) {
    mistakes.push(
      'GATEWAY_MASTER_KEY: is required; make one with `node control-plane/main.ts new-master-key` and keep it safe',
    );
  }
  return mistakes;
}

function isSet(env: NodeJS.ProcessEnv, name: string): boolean {
  return Boolean(env[name]) || Boolean(env[`${name}_FILE`]);
}

function contradictions(settings: Decoded): string[] {
  const mistakes = [...callerMistakes(settings), ...consoleMistakes(settings)];
  const { tlsCertFile, tlsKeyFile, tlsClientCaFile } = settings;
  if ((tlsCertFile === undefined) !== (tlsKeyFile === undefined)) {
    mistakes.push('GATEWAY_TLS_CERT_FILE and GATEWAY_TLS_KEY_FILE: one is of no use without the other');
  }
  if (tlsClientCaFile !== undefined && tlsCertFile === undefined) {
    mistakes.push('GATEWAY_TLS_CLIENT_CA_FILE: needs GATEWAY_TLS_CERT_FILE and GATEWAY_TLS_KEY_FILE');
  }
  if (settings.proxyCertificates.length > 0 && tlsClientCaFile === undefined) {
    mistakes.push('GATEWAY_PROXY_CERTIFICATES: needs GATEWAY_TLS_CLIENT_CA_FILE');
  }
  if (tlsCertFile === undefined && !settings.plaintext) {
    for (const key of ['grpcListen', 'httpListen'] as const) {
      if (isLoopbackHost(settings[key].host)) continue;
      mistakes.push(
        `${controlPlaneSettings[key].name}: is not on loopback, so set GATEWAY_TLS_CERT_FILE and GATEWAY_TLS_KEY_FILE, ` +
          'or GATEWAY_PLAINTEXT=true where something in front ends TLS',
      );
    }
  }
  return mistakes;
}
