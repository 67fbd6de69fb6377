// Settings of the console; they are part of the table in control-plane/settings.ts.
import { isLoopbackHost } from '../../common/addresses.ts';
import { hourMs, minuteMs } from '../../common/durations.ts';
import { privateUpstream } from '../../common/private-upstreams.ts';
import { type Decoder, duration, list, oneOf, type Setting, url } from '../../common/settings.ts';
import { webOrigin } from '../../common/web-origin.ts';

const consolePath: Decoder<string> = (value) => {
  // One segment: the page finds the API one level above itself.
  if (/^\/[A-Za-z0-9_-]+\/$/.test(value)) return value;
  throw new Error(`must be one segment with slashes around it, such as /console/, not "${value}"`);
};

const consoleUrl: Decoder<URL> = (value) => {
  const parsed = new URL(`${url(['https:', 'http:'])(value)}/`);
  if (parsed.protocol === 'https:' || isLoopbackHost(parsed.hostname.replace(/^\[|\]$/g, ''))) return parsed;
  throw new Error('must begin with https://, because people sign in there; http:// is for this machine alone');
};

function durationWithin(min: number, max: number, range: string): Decoder<number> {
  return (value) => {
    const ms = duration(value);
    if (ms >= min && ms <= max) return ms;
    throw new Error(`must be ${range}, not "${value}"`);
  };
}

export const consoleSettings = {
  console: {
    name: 'GATEWAY_CONSOLE',
    about: 'on serves the console, the web page for operators, on the JSON listener; off leaves its paths unknown.',
    decode: oneOf(['on', 'off']),
    default: 'on',
  },
  consolePath: {
    name: 'GATEWAY_CONSOLE_PATH',
    about: 'Path of the console on the JSON listener: one segment.',
    decode: consolePath,
    default: '/console/',
  },
  consoleUrl: {
    name: 'GATEWAY_CONSOLE_URL',
    about:
      'Public https URL of the console, such as https://gateway.example.com/console/, also behind a path prefix: it ends with GATEWAY_CONSOLE_PATH. Its host is served besides GATEWAY_HTTP_HOSTS. Needed where something in front of the control plane ends TLS.',
    decode: consoleUrl,
  },
  playgroundUrl: {
    name: 'GATEWAY_PLAYGROUND_URL',
    about:
      'Public URL of the proxy that the playground of the console calls from the browser; that proxy needs GATEWAY_CONSOLE_ORIGIN. Without it there is no playground.',
    decode: webOrigin,
  },
  consoleIdle: {
    name: 'GATEWAY_CONSOLE_IDLE',
    about: 'A session of the console that nobody uses for so long has ended, from 5m to 24h.',
    decode: durationWithin(5 * minuteMs, 24 * hourMs, 'from 5m to 24h'),
    default: '60m',
  },
  consoleSessionMax: {
    name: 'GATEWAY_CONSOLE_SESSION_MAX',
    about: 'A session of the console has ended so long after its sign-in, however much it is used, from 15m to 7d.',
    decode: durationWithin(15 * minuteMs, 7 * 24 * hourMs, 'from 15m to 7d'),
    default: '12h',
  },
  privateIssuers: {
    name: 'GATEWAY_PRIVATE_ISSUERS',
    about:
      'host:port list of OpenID Connect issuers that may be private or plain http, such as one in the cluster. `<id>@host:port` opens it to the organization with that id alone; else it is open to all.',
    decode: list(privateUpstream),
    default: '',
  },
} as const satisfies Record<string, Setting<unknown>>;

/** @returns what the settings contradict */
export function consoleMistakes({
  consolePath: path,
  consoleUrl: publicUrl,
}: {
  readonly consolePath: string;
  readonly consoleUrl: URL | undefined;
}): readonly string[] {
  if (publicUrl === undefined || publicUrl.pathname.endsWith(path)) return [];
  return [`${consoleSettings.consoleUrl.name}: must end with ${path}, the value of GATEWAY_CONSOLE_PATH`];
}
