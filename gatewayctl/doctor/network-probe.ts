// The real network for doctor. To find out which protocol a server speaks, it sends the beginning of TLS and of HTTP/2
// in plain text, the expected one first. Neither contains a token; only `status` sends one, through the program's
// client.
import { lookup } from 'node:dns/promises';
import { stat } from 'node:fs/promises';
import { familyOf } from '../../common/addresses.ts';
import { version } from '../../common/version.ts';
import { CallFailure, type Client, dial } from '../client.ts';
import { parseServer, type Target } from '../target.ts';
import type { AdminSeen, FailedCall, LookedUp, Met, Probe, ProbeResult } from './probe.ts';
import { probePlaintext } from './probe-plaintext.ts';
import { probeTls, readAuthorities } from './probe-tls.ts';

export function createProbe(target: Target, now: () => number = Date.now): Probe {
  return {
    now,
    fileMode: async (path) => {
      const found = await stat(path).catch(() => undefined);
      return found && found.mode & 0o777;
    },
    authoritiesProblem: async (path) => authoritiesProblem(path),
    lookUp,
    meet: (address, port) => meet(target, address, port),
    status: (address) => askStatus(target, address, now),
    admin: (url) => lookAtAdmin(url, target.timeoutMs),
  };
}

function authoritiesProblem(path: string): string | undefined {
  try {
    readAuthorities(path);
    return undefined;
  } catch (error) {
    const isOfSystem = error instanceof Error && 'syscall' in error;
    return isOfSystem ? `${path} cannot be read (${codeOf(error)})` : `${path} contains no certificate`;
  }
}

async function lookUp(host: string): Promise<LookedUp> {
  try {
    return { found: (await lookup(host, { all: true })).map(({ address }) => address) };
  } catch (error) {
    return { error: codeOf(error) };
  }
}

/** An attempt returns undefined if the server does not speak its protocol. */
async function meet({ server, transport }: Target, address: string, port: number): Promise<Met> {
  const { host } = parseServer(server);
  const target = { address, port };
  const overTls = () => probeTls(target, transport.kind === 'tls' ? { host, ...transport } : { host });
  const plainly = () => probePlaintext(target);
  const [first, second] = transport.kind === 'tls' ? [overTls, plainly] : [plainly, overTls];
  return (await first()) ?? (await second()) ?? { speaks: 'unknown' };
}

async function askStatus(target: Target, address: string, now: () => number): Promise<ProbeResult> {
  const { host, port } = parseServer(target.server);
  const { transport } = target;
  let client: Client | undefined;
  try {
    client = dial({
      ...target,
      server: address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
      transport:
        transport.kind === 'tls' && familyOf(host) === undefined ? { serverName: host, ...transport } : transport,
    });
    const sentAt = now();
    const status = await client.call('Status.Get', {});
    const receivedAt = now();
    // A second call, because checking all selectors takes long, and the clocks are compared by the duration of a call.
    const { selectors } = await client.call('Status.Get', { checkSelectors: true });
    return { status: { ...status, ...(selectors && { selectors }) }, sentAt, receivedAt };
  } catch (error) {
    return await failedCall(error, client);
  } finally {
    client?.close();
  }
}

async function failedCall(error: unknown, client: Client | undefined): Promise<FailedCall> {
  if (!(error instanceof CallFailure) || client === undefined)
    return { code: 'UNKNOWN', message: String(error), reason: undefined, beforeStatus: false };
  const { code, message, reason } = error;
  const beforeStatus = code === 'UNIMPLEMENTED' && (await isOfTheContract(client));
  return { code, message, reason, beforeStatus };
}

/** Whether the server knows a method that every control plane has. */
async function isOfTheContract(client: Client): Promise<boolean> {
  try {
    await client.call('Organizations.List', { pageSize: 1 });
    return true;
  } catch (error) {
    return error instanceof CallFailure && error.reason !== undefined;
  }
}

async function lookAtAdmin(url: string, timeoutMs: number): Promise<AdminSeen> {
  const get = (path: string) =>
    fetch(new URL(path, url), {
      signal: AbortSignal.timeout(timeoutMs),
      headers: { 'user-agent': `gatewayctl/${version}` },
    });
  try {
    const ready = await get('/readyz');
    const reason = (await ready.text()).trim();
    if (ready.status !== 200 && ready.status !== 503) return { error: `HTTP status ${ready.status}` };
    const metrics = await get('/metrics');
    const text = await metrics.text();
    return { ready: ready.ok, reason: reason.slice(0, 200), metrics: metrics.ok ? text : undefined };
  } catch (error) {
    return { error: codeOf(error) };
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause === undefined ? error.name : codeOf(error.cause);
}
