// The environment that points SDKs in the app's containers at the sidecar. A variable that a container sets is never
// overwritten.
import { type Addition, addition } from './json-patch.ts';
import { type Container, othersOf, type Pod } from './pod.ts';
import { shown } from './shown.ts';

export interface AppEnvironment {
  readonly patch: readonly Addition[];
  /** Shown to the creator of the pod. */
  readonly warnings: readonly string[];
}

/** SDKs do not start without a key; the sidecar attaches the real one. */
const placeholderKey = 'attached-by-model-gateway';

interface Sdk {
  readonly baseUrl: string;
  /** What its base URL ends in; the SDK appends the rest. */
  readonly path: '' | '/v1';
  /** The variable that gets the placeholder. */
  readonly key: string;
  /** Each of these is a key to the SDK. */
  readonly keys: readonly string[];
}

/**
 * Variables for which one value suits every client that reads them. Vercel's SDK appends `/messages` where the vendor's
 * appends `/v1/messages`: proxies serve both. Not here: `AWS_ENDPOINT_URL_BEDROCK_RUNTIME`, because the SDK for
 * JavaScript speaks HTTP/2 to it, and `AZURE_OPENAI_ENDPOINT`, whose presence makes frameworks choose Azure.
 */
const sdks: readonly Sdk[] = [
  { baseUrl: 'OPENAI_BASE_URL', path: '/v1', key: 'OPENAI_API_KEY', keys: ['OPENAI_API_KEY'] },
  {
    baseUrl: 'ANTHROPIC_BASE_URL',
    path: '',
    key: 'ANTHROPIC_API_KEY',
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
  },
  // Programs use GOOGLE_API_KEY for other services too, so it gets no placeholder.
  {
    baseUrl: 'GOOGLE_GEMINI_BASE_URL',
    path: '',
    key: 'GEMINI_API_KEY',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  },
];

export interface AppChoices {
  /** Names of containers that stay unchanged. */
  readonly excluded: ReadonlySet<string>;
  /** The sidecar's port. */
  readonly port: number;
}

export function appEnvironment(pod: Pod, { excluded, port }: AppChoices): AppEnvironment {
  const containers = othersOf(pod);
  const names = new Set(containers.map(({ name }) => name));
  const missing = [...excluded].filter((name) => !names.has(name));
  const each = containers.filter(({ name }) => !excluded.has(name)).map((container) => environmentFor(container, port));
  return {
    patch: each.flatMap(({ patch }) => patch),
    warnings: [
      ...missing.map((name) => `there is no container ${shown(name)} to exclude`),
      ...each.flatMap(({ warnings }) => warnings),
    ],
  };
}

function environmentFor(container: Container, port: number): AppEnvironment {
  const { env, name } = container;
  const own = sdks.filter((sdk) => leadsElsewhere(sdk, container, port));
  const pointed = sdks.filter((sdk) => !own.includes(sdk));
  const wanted = pointed.flatMap((sdk) => variablesFor(sdk, container, port));
  const warnings = own.map(
    ({ baseUrl }) => `container ${shown(name)} sets ${baseUrl} itself: its requests do not go through the sidecar`,
  );
  if (wanted.length === 0) return { patch: [], warnings };
  const keys = pointed.flatMap((sdk) => sdk.keys.filter((key) => env.has(key)));
  return {
    patch: variablesFirst(container, wanted),
    warnings: [...warnings, ...warningsFor(container, wanted, keys)],
  };
}

/** Beside another base URL nothing is set: a placeholder key could only hide a key from envFrom. */
function leadsElsewhere({ baseUrl }: Sdk, { env }: Container, port: number): boolean {
  return env.has(baseUrl) && !isSidecar(env.get(baseUrl), port);
}

function variablesFor({ baseUrl, path, key, keys }: Sdk, { env }: Container, port: number): readonly Variable[] {
  return [
    ...(env.has(baseUrl) ? [] : [{ name: baseUrl, value: `http://127.0.0.1:${port}${path}` }]),
    ...(keys.some((name) => env.has(name)) ? [] : [{ name: key, value: placeholderKey }]),
  ];
}

function isSidecar(value: string | undefined, port: number): boolean {
  if (value === undefined || !URL.canParse(value)) return false;
  const url = new URL(value);
  return ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname) && url.port === String(port);
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

/** Inserts the variables first, so that the container's own variables may refer to them. */
function variablesFirst({ at, hasEnv }: Container, variables: readonly Variable[]): readonly Addition[] {
  if (!hasEnv) return [addition([...at, 'env'], variables)];
  return variables.map((variable, index) => addition([...at, 'env', index], variable));
}

function warningsFor(container: Container, set: readonly Variable[], keys: readonly string[]): readonly string[] {
  const { name, hasEnvFrom } = container;
  const warnings: string[] = [];
  if (hasEnvFrom) {
    const names = set.map((variable) => variable.name).join(', ');
    warnings.push(`container ${shown(name)} has envFrom, which is not seen here: ${names} set there are hidden`);
  }
  for (const key of keys) {
    warnings.push(`container ${shown(name)} sets ${key} itself: that key is sent along to the gateway`);
  }
  if (goesThroughProxy(container)) {
    warnings.push(`container ${shown(name)} has a web proxy: NO_PROXY has to name 127.0.0.1, the sidecar`);
  }
  return warnings;
}

/** SDKs send even plain HTTP to loopback through a web proxy, unless NO_PROXY excludes it. */
function goesThroughProxy({ env }: Container): boolean {
  const hasProxy = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'].some((name) => env.has(name));
  const isExempt = ['NO_PROXY', 'no_proxy'].some((name) => /127\.0\.0\.|\*/.test(env.get(name) ?? ''));
  return hasProxy && !isExempt;
}
