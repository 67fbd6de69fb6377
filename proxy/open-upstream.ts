// The way to the providers: their names and addresses, and connections that go nowhere else.
import { systemClock } from '../common/clock.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import { HeldShare } from '../common/shares.ts';
import { vendorNames } from '../common/vendors.ts';
import { LoopTurns } from './loop-turns.ts';
import type { ProxySettings } from './settings.ts';
import { type ShareUses, shares, useOf } from './shares.ts';
import { AddressPolicy } from './upstream/addresses.ts';
import { type BaseUrlSettings, BaseUrls } from './upstream/base-urls.ts';
import { NameLookups } from './upstream/name-lookups.ts';
import { Targets } from './upstream/targets.ts';
import { createTransport, type Transport, type TransportOptions } from './upstream/transport.ts';

export interface Upstream {
  readonly targets: Targets;
  readonly transport: Transport;
}

/** What all connections of the process share. */
export interface UpstreamShares {
  readonly lookups: HeldShare;
  readonly turns: LoopTurns;
}

export function openUpstream(
  settings: ProxySettings,
  { lookups, turns }: UpstreamShares,
  lifecycle: Lifecycle,
): Upstream {
  const { resolve } = openLookups(settings, lookups, ownHosts(settings));
  const transport = openTransport(settings, { addresses: new AddressPolicy(settings), resolve, turns });
  lifecycle.onClose('connections to providers', () => transport.close());
  return { transport, targets: new Targets(new BaseUrls(baseUrlSettings(settings))) };
}

/** Of all look-ups of the process. */
export function openLookupShare(uses: ShareUses): HeldShare {
  const share = new HeldShare(shares.lookups.bounds);
  uses.watch('lookups', () => useOf(share));
  return share;
}

/** Of all that is worked through in pieces. */
export function openTurns(uses: ShareUses): LoopTurns {
  const turns = new LoopTurns({ now: () => systemClock.monotonic() });
  uses.watch('loop_turns', () => useOf(turns.bytes));
  return turns;
}

/** Names that somebody else than the platform's operator chose have no host of their own. */
export function openLookups(
  { dnsServers, connectTimeout: timeoutMs }: ProxySettings,
  share: HeldShare,
  own: ReadonlySet<string> = new Set(),
): NameLookups {
  const servers = dnsServers.length === 0 ? undefined : dnsServers;
  return new NameLookups({ own, share, timeoutMs, servers, now: () => systemClock.monotonic() });
}

/** The operator's base URLs, but those into which a caller puts a part of the host. */
function ownHosts(settings: ProxySettings): ReadonlySet<string> {
  const urls = [...baseUrlSettings(settings).templates.values()].filter((url) => !url.includes('{'));
  const listed = settings.privateUpstreams.map(({ hostAndPort }) => `http://${hostAndPort}`);
  return new Set([...urls, ...listed].map((url) => new URL(url).hostname.replace(/\.$/, '')));
}

export function openTransport(
  settings: ProxySettings,
  network: Pick<TransportOptions, 'addresses' | 'resolve' | 'turns'>,
): Transport {
  const { addresses, resolve, turns } = network;
  return createTransport({
    addresses,
    resolve,
    turns,
    connectTimeoutMs: settings.connectTimeout,
    keepAliveMs: upstreamKeepAliveMs,
    originsMax: upstreamOriginsMax,
  });
}

/** Load balancers of providers close idle connections after 60 s and more. */
const upstreamKeepAliveMs = 30_000;
const upstreamOriginsMax = 1000;

function baseUrlSettings(settings: ProxySettings): BaseUrlSettings {
  return {
    templates: new Map(vendorNames.map((name) => [name, settings[name]])),
    endpointHostSuffixes: settings.endpointHostSuffixes,
  };
}
