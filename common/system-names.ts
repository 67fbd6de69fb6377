// Resolves names as the system does: the hosts file first, then the DNS servers with the search domains of resolv.conf.
// For names that an operator chose, such as `simulator.model-gateway.svc`. Both files are read again at each call,
// asynchronously, so nothing waits for the system's resolver and its threads.
import type { LookupAddress } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { familyOf } from './addresses.ts';
import { type AskDns, createAskDns, type ResolvedName, type ResolveOptions } from './dns-resolve.ts';
import { errorCode } from './system-errors.ts';

export interface SystemNamesOptions extends ResolveOptions {
  readonly hostsFile?: string;
  readonly resolvFile?: string;
}

/** How long an entry of the hosts file is cached, in seconds. */
const hostsTtl = 30;

export function createAskSystem(options: SystemNamesOptions = {}): AskDns {
  const { hostsFile = '/etc/hosts', resolvFile = '/etc/resolv.conf' } = options;
  const askDns = createAskDns(options);
  return async (host, signal) => {
    const written = inHosts(await textOf(hostsFile), host);
    if (written.length > 0) return { addresses: written, ttl: hostsTtl };
    return askEach(candidates(host, await textOf(resolvFile)), askDns, signal);
  };
}

/**
 * Tries the next name only if the previous one has no address. A server that does not respond proves nothing about the
 * name.
 */
async function askEach(
  names: readonly string[],
  askDns: AskDns,
  signal: AbortSignal | undefined,
): Promise<ResolvedName> {
  let last: unknown;
  for (const name of names) {
    try {
      return await askDns(name, signal);
    } catch (error) {
      if (!hasNoAddress(error)) throw error;
      last = error;
    }
  }
  throw last;
}

/** Whether the DNS servers reported that the name has no address. */
export function hasNoAddress(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

/** A missing file counts as empty. */
async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

export function inHosts(text: string, host: string): readonly LookupAddress[] {
  return lines(text, '#').flatMap(([address = '', ...names]) => {
    const family = familyOf(address);
    if (family === undefined || !names.some((name) => name.toLowerCase() === host)) return [];
    return [{ address, family: family === 'ipv6' ? 6 : 4 }];
  });
}

const ndotsMax = 15;

/**
 * The names to look up, in order (resolv.conf(5)). A name with fewer dots than `ndots` is looked up in the search
 * domains first.
 */
export function candidates(host: string, resolv: string): readonly string[] {
  if (host.endsWith('.')) return [host.slice(0, -1)];
  let search: readonly string[] = [];
  let ndots = 1;
  for (const [word, ...values] of lines(resolv, '#', ';')) {
    if (word === 'search') search = values;
    if (word === 'domain') search = values.slice(0, 1);
    const [, given] = (word === 'options' && /\bndots:(\d+)/.exec(values.join(' '))) || [];
    if (given !== undefined) ndots = Math.min(Number(given), ndotsMax);
  }
  const within = search.map((domain) => `${host}.${domain.replace(/\.$/, '')}`).filter((name) => name !== `${host}.`);
  return host.split('.').length - 1 >= ndots ? [host, ...within] : [...within, host];
}

function lines(text: string, ...comments: readonly string[]): readonly string[][] {
  return text.split('\n').map((line) => {
    const end = comments.map((mark) => line.indexOf(mark)).filter((at) => at >= 0);
    const bare = end.length === 0 ? line : line.slice(0, Math.min(...end));
    return bare.split(/\s+/).filter((word) => word !== '');
  });
}
