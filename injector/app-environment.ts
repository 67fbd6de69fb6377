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

const baseUrlName = 'OPENAI_BASE_URL';
const apiKeyName = 'OPENAI_API_KEY';
/** SDKs do not start without a key; the sidecar attaches the real one. */
const placeholderKey = 'attached-by-model-gateway';

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
  if (env.has(baseUrlName) && !isSidecar(env.get(baseUrlName), port)) {
    // Beside another base URL, a placeholder key could only hide a key from envFrom.
    const warning = `container ${shown(name)} sets ${baseUrlName} itself: its requests do not go through the sidecar`;
    return { patch: [], warnings: [warning] };
  }
  const wanted = [
    { name: baseUrlName, value: `http://127.0.0.1:${port}/v1` },
    { name: apiKeyName, value: placeholderKey },
  ].filter((variable) => !env.has(variable.name));
  if (wanted.length === 0) return { patch: [], warnings: [] };
  return { patch: variablesFirst(container, wanted), warnings: warningsFor(container, wanted) };
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

function warningsFor(container: Container, set: readonly Variable[]): readonly string[] {
  const { name, env, hasEnvFrom } = container;
  const warnings: string[] = [];
  if (hasEnvFrom) {
    const names = set.map((variable) => variable.name).join(' and ');
    warnings.push(`container ${shown(name)} has envFrom, which is not seen here: ${names} set there are hidden`);
  }
  if (env.has(apiKeyName)) {
    warnings.push(`container ${shown(name)} sets ${apiKeyName} itself: that key is sent along to the gateway`);
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
