// Constructs the way to the providers: their names and addresses, and connections that lead nowhere else.
import { systemClock } from '../common/clock.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import type { OccupiedShare } from '../common/shares.ts';
import { baseUrlTemplates } from '../common/vendor-settings.ts';
import { LoopScheduler } from './loop-scheduler.ts';
import { openLookups } from './open-lookups.ts';
import type { ProxySettings } from './settings.ts';
import { type ShareUses, useOf } from './shares.ts';
import { AddressPolicy } from './upstream/addresses.ts';
import { type BaseUrlSettings, BaseUrls } from './upstream/base-urls.ts';
import { Targets } from './upstream/targets.ts';
import { createTransport, type Transport, type TransportOptions } from './upstream/transport.ts';

export interface Upstream {
  readonly targets: Targets;
  readonly transport: Transport;
}

/** The limits that all connections of the process share. */
export interface UpstreamShares {
  readonly lookups: OccupiedShare;
  readonly loop: LoopScheduler;
}

export function openUpstream(
  settings: ProxySettings,
  { lookups, loop }: UpstreamShares,
  lifecycle: Lifecycle,
): Upstream {
  const { resolve } = openLookups(settings, lookups, ownHosts(settings));
  const transport = openTransport(settings, { addresses: new AddressPolicy(settings), resolve, loop });
  lifecycle.onClose('connections to providers', () => transport.close());
  return { transport, targets: new Targets(new BaseUrls(baseUrlSettings(settings))) };
}

/** The event-loop grants for all work that is done in pieces. */
export function openLoopScheduler(uses: ShareUses): LoopScheduler {
  const loop = new LoopScheduler({ now: () => systemClock.monotonic() });
  uses.watch('loop_turns', () => useOf(loop.bytes));
  return loop;
}

/** Hosts of the operator's base URLs, except those with a part that a caller fills in. */
function ownHosts(settings: ProxySettings): ReadonlySet<string> {
  const urls = [...baseUrlSettings(settings).templates.values()].filter((url) => !url.includes('{'));
  const listed = settings.privateUpstreams.map(({ hostAndPort }) => `http://${hostAndPort}`);
  return new Set([...urls, ...listed].map((url) => new URL(url).hostname.replace(/\.$/, '')));
}

export function openTransport(
  settings: ProxySettings,
  network: Pick<TransportOptions, 'addresses' | 'resolve' | 'loop'>,
): Transport {
  const { addresses, resolve, loop } = network;
  return createTransport({
    addresses,
    resolve,
    loop,
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
    templates: baseUrlTemplates(settings),
    endpointHostSuffixes: settings.endpointHostSuffixes,
  };
}
