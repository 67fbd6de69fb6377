// Settings of listeners behind proxies; both planes have the same ones.
import { addressOrCidr, flag, list, type Setting } from './settings.ts';

export const callerSettings = {
  trustedProxies: {
    name: 'GATEWAY_TRUSTED_PROXIES',
    about:
      'Addresses and CIDR blocks of load balancers and ingresses in front of the listeners. Limits, audit log and log use the caller’s address that they report in X-Forwarded-For: from its end, the first address that is not in this list. No other reporter is trusted. Never list a block that contains callers.',
    decode: list(addressOrCidr),
    default: '',
  },
  proxyProtocol: {
    name: 'GATEWAY_PROXY_PROTOCOL',
    about:
      'true expects the PROXY protocol, version 1 or 2, at the beginning of every connection from GATEWAY_TRUSTED_PROXIES, as load balancers that pass on bytes send it; a connection without it is closed. Connections from elsewhere begin as always.',
    decode: flag,
    default: 'false',
  },
} as const satisfies Record<string, Setting<unknown>>;

export interface CallerSettings {
  /** CIDR blocks. */
  readonly trustedProxies: readonly string[];
  readonly proxyProtocol: boolean;
}

/** Lists contradictions between the settings, one message each, written for the operator who has to fix them. */
export function callerMistakes({ trustedProxies: blocks, proxyProtocol }: CallerSettings): string[] {
  return proxyProtocol && blocks.length === 0
    ? [
        'GATEWAY_TRUSTED_PROXIES: is needed with GATEWAY_PROXY_PROTOCOL: the header is accepted from these addresses only',
      ]
    : [];
}
