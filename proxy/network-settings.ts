// Settings of the proxy's network: how it finds hosts, and which private ones it may reach.
import { Resolver } from 'node:dns';
import { descriptorsMax } from '../common/descriptors.ts';
import { privateUpstream } from '../common/private-upstreams.ts';
import { cidr, type Decoder, integer, list, type Setting } from '../common/settings.ts';
import { webOrigin } from '../common/web-origin.ts';
import { connectionBounds } from './http/connections.ts';

const dnsServer: Decoder<string> = (value) => {
  try {
    new Resolver().setServers([value]);
    return value;
  } catch {
    throw new Error(`must be the IP address of a DNS server, such as 10.96.0.10 or [fd00::10]:53, not "${value}"`);
  }
};

const bounds = connectionBounds(descriptorsMax());

export const networkSettings = {
  connectionsMax: {
    name: 'GATEWAY_CONNECTIONS_MAX',
    about:
      'Concurrent connections of callers, idle ones included; above it 503 overloaded. One address may have at most four fifths of them. Never more than the process has descriptors for.',
    decode: integer(1, 1_000_000),
    default: String(bounds.usual),
    defaultText: 'two fifths of the descriptors the process may open, at most 16384',
  },
  consoleOrigin: {
    name: 'GATEWAY_CONSOLE_ORIGIN',
    about:
      'Origin of the console, such as https://gateway.example.com: its playground may call this proxy from a browser (CORS, without credentials). Without it no page of another origin can read a response.',
    decode: webOrigin,
  },
  dnsServers: {
    name: 'GATEWAY_DNS_SERVERS',
    about:
      'DNS servers for hosts of providers, images and services of guardrails: IP addresses with or without a port. Without it those of the system.',
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
