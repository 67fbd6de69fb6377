// The way to the providers: their addresses, and connections that go nowhere else.
import type { Lifecycle } from '../common/lifecycle.ts';
import type { ProxySettings } from './settings.ts';
import { AddressPolicy } from './upstream/addresses.ts';
import { type BaseUrlSettings, BaseUrls } from './upstream/base-urls.ts';
import { Targets } from './upstream/targets.ts';
import { createTransport, type Transport } from './upstream/transport.ts';

export interface Upstream {
  readonly targets: Targets;
  readonly transport: Transport;
}

export function openUpstream(settings: ProxySettings, lifecycle: Lifecycle): Upstream {
  const transport = openTransport(settings, new AddressPolicy(settings));
  lifecycle.onClose('connections to providers', () => transport.close());
  return { transport, targets: new Targets(new BaseUrls(baseUrlSettings(settings))) };
}

export function openTransport(settings: ProxySettings, addresses: AddressPolicy): Transport {
  return createTransport({
    addresses,
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
    templates: new Map([
      ['gpt-provider', settings.gptProviderUrl],
      ['studio-ai', settings.studioAiUrl],
      ['managed-cloud-models', settings.managedCloudModelsUrl],
      ['assistant-provider', settings.assistantProviderUrl],
      ['search-provider', settings.searchProviderUrl],
    ]),
    endpointHostSuffixes: settings.endpointHostSuffixes,
  };
}
