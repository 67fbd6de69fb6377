// Parses the setting of Redis. One URL redis://[user:password@]host[:port][/database] is a single server; several,
// separated by commas, or redis-cluster://… are first nodes of a Cluster; redis-sentinel://…/<master name> are
// Sentinels. rediss… is TLS.
import { Secret } from '../../common/secret.ts';
import type { Decoder } from '../../common/settings.ts';

export interface RedisTarget {
  readonly mode: 'single' | 'cluster' | 'sentinel';
  readonly nodes: readonly [RedisNode, ...RedisNode[]];
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: Secret | undefined;
  readonly database: number;
  /** For Sentinels: the name under which they watch the master. */
  readonly masterName: string;
}

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

const schemes = {
  'redis:': { mode: undefined, tls: false, port: 6379 },
  'rediss:': { mode: undefined, tls: true, port: 6379 },
  'redis-cluster:': { mode: 'cluster', tls: false, port: 6379 },
  'rediss-cluster:': { mode: 'cluster', tls: true, port: 6379 },
  'redis-sentinel:': { mode: 'sentinel', tls: false, port: 26_379 },
  'rediss-sentinel:': { mode: 'sentinel', tls: true, port: 26_379 },
} as const;

/** The text may contain a password, so no error contains the text. */
export const redisTarget: Decoder<RedisTarget> = (text) => {
  const urls = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parse);
  const [first, ...others] = urls;
  if (first === undefined) throw new Error('needs a URL such as redis://redis:6379');
  const scheme = schemeOf(first);
  if (others.some((url) => differs(url, first)))
    throw new Error('must have the same scheme, credentials and path in all of its URLs');
  const mode = scheme.mode ?? (others.length > 0 ? 'cluster' : 'single');
  const node = (url: URL) => ({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || scheme.port),
  });
  return {
    mode,
    nodes: [node(first), ...others.map(node)],
    tls: scheme.tls,
    username: first.username === '' ? undefined : decodeURIComponent(first.username),
    password: first.password === '' ? undefined : new Secret(decodeURIComponent(first.password)),
    ...pathOf(first, mode),
  };
};

/** Braces would decide the slot in a Cluster. */
export const redisPrefix: Decoder<string> = (text) => {
  if (!/^[\w.:-]{1,64}$/.test(text)) throw new Error('must be up to 64 letters, digits and _ . : -');
  return text;
};

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !Object.hasOwn(schemes, url.protocol) || url.hostname === '')
    throw new Error(`must be URLs beginning with ${Object.keys(schemes).join('//, ')}//, with a host`);
  if (url.search !== '' || url.hash !== '') throw new Error('must be URLs without query or fragment');
  return url;
}

function schemeOf(url: URL): (typeof schemes)[keyof typeof schemes] {
  return schemes[url.protocol as keyof typeof schemes];
}

function differs(a: URL, b: URL): boolean {
  return (['protocol', 'username', 'password', 'pathname'] as const).some((part) => a[part] !== b[part]);
}

function pathOf(url: URL, mode: RedisTarget['mode']): { database: number; masterName: string } {
  const path = url.pathname.replace(/^\//, '');
  if (mode === 'sentinel') {
    if (path === '') throw new Error('needs the name of the master in the path: redis-sentinel://host:26379/mymaster');
    return { database: 0, masterName: decodeURIComponent(path) };
  }
  if (mode === 'cluster' && path !== '') throw new Error('must be URLs without a path: a Cluster has one database');
  if (!/^\d{0,4}$/.test(path)) throw new Error('must have a database number for its path, or none');
  return { database: Number(path), masterName: '' };
}
