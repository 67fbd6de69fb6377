// How the proxy finds hosts, and which private ones it may reach: settings of its network.
import { Resolver } from 'node:dns';
import { privateUpstream } from '../common/private-upstreams.ts';
import { cidr, type Decoder, list, type Setting } from '../common/settings.ts';

const dnsServer: Decoder<string> = (value) => {
  try {
    new Resolver().setServers([value]);
    return value;
  } catch {
    throw new Error(`must be the IP address of a DNS server, such as 10.96.0.10 or [fd00::10]:53, not "${value}"`);
  }
};

export const networkSettings = {
  dnsServers: {
    name: 'GATEWAY_DNS_SERVERS',
    about:
      'DNS servers that hosts of providers, images and services of guardrails are asked of, IP addresses with or without a port. Without it those of the system.',
    decode: list(dnsServer),
    default: '',
  },
  privateUpstreams: {
    name: 'GATEWAY_PRIVATE_UPSTREAMS',
    about:
      'host:port list of base URLs that may be private or plain http, such as a model server in the cluster. `<id>@host:port` opens it to the organization with that id alone; else it is open to all. The same as the control plane’s.',
    decode: list(privateUpstream),
    default: '',
  },
  denyCidrs: {
    name: 'GATEWAY_DENY_CIDRS',
    about: 'CIDR blocks that are never reached, beside the private and special ones.',
    decode: list(cidr),
    default: '',
  },
} as const satisfies Record<string, Setting<unknown>>;
