// The four dialects of the studio, which follow from the base URL alone: where the request goes, which version it names,
// and what body is understood there. From the vendor's REST references.
import type { ModelCapabilities } from '../../../catalog/capabilities.ts';
import type { BaseUrl, FormatTarget } from '../../format.ts';

export interface Dialect {
  /** `gpt`: the callers' format as the GPT vendor has it. `inference`: fewer fields, plain texts, further fields on request. */
  readonly schema: 'gpt' | 'inference';
  /** A host of one model knows keys as bearer tokens only. */
  readonly keyHeader: 'api-key' | 'authorization';
  /** Of the chat completions of a model. */
  path(base: string, model: string): string;
  /** Taken where the provider key names none; undefined where none is needed. */
  defaultVersion(capabilities: ModelCapabilities): string | undefined;
}

/** Where one request goes. */
export interface Endpoint {
  readonly dialect: Dialect;
  /** With query. */
  readonly path: string;
  readonly version: string | undefined;
}

export function endpointOf(
  { baseUrl, apiVersion }: FormatTarget,
  model: string,
  capabilities: ModelCapabilities,
): Endpoint {
  const { dialect, base } = spokenAt(baseUrl);
  const version = apiVersion ?? dialect.defaultVersion(capabilities);
  const query = version === undefined ? '' : `?api-version=${encodeURIComponent(version)}`;
  return { dialect, path: dialect.path(base, model) + query, version };
}

export function dialectOf(baseUrl: BaseUrl): Dialect {
  return spokenAt(baseUrl).dialect;
}

const directlyBelow = (base: string) => `${base}/chat/completions`;

const undated: Dialect = {
  schema: 'gpt',
  keyHeader: 'api-key',
  path: directlyBelow,
  defaultVersion: () => undefined,
};

/** The deployment is in the path, and its name is what callers call the model. */
const dated: Dialect = {
  schema: 'gpt',
  keyHeader: 'api-key',
  path: (base, model) => {
    if (/\/deployments\/[^/]+$/.test(base)) return directlyBelow(base);
    const deployments = base.endsWith('/deployments') ? base : `${base}/deployments`;
    return directlyBelow(`${deployments}/${encodeURIComponent(model)}`);
  },
  // The last with a date, and the first that knows all fields: 2024-10-21, the last that is no preview, has no reasoning.
  defaultVersion: () => '2025-04-01-preview',
};

const inference: Dialect = {
  schema: 'inference',
  keyHeader: 'api-key',
  path: directlyBelow,
  // Clients use the older one; through it the service refuses the GPT vendor's reasoning models.
  defaultVersion: ({ family, reasoning }) =>
    family === 'gpt' && reasoning === 'effort' ? '2025-04-01' : '2024-05-01-preview',
};

const hostOfOneModel: Dialect = {
  ...inference,
  keyHeader: 'authorization',
  defaultVersion: () => undefined,
};

interface Row {
  readonly host?: RegExp;
  readonly path: RegExp;
  /** Behind a base URL that names the resource only. */
  readonly adds?: string;
  readonly dialect: Dialect;
}

// The first that fits.
const rows: readonly Row[] = [
  { path: /\/openai\/v1$/, dialect: undated },
  { path: /\/openai(\/deployments(\/[^/]+)?)?$/, dialect: dated },
  { path: /\/models$/, dialect: inference },
  { host: /\.(openai|cognitiveservices)\.azure\.com$/, path: /^$/, adds: '/openai/v1', dialect: undated },
  { host: /\.services\.ai\.azure\.com$/, path: /^$/, adds: '/models', dialect: inference },
];

function spokenAt({ origin, path }: BaseUrl): { readonly dialect: Dialect; readonly base: string } {
  const row = rows.find((one) => one.path.test(path) && (one.host?.test(origin) ?? true));
  if (row === undefined) return { dialect: hostOfOneModel, base: path };
  return { dialect: row.dialect, base: path + (row.adds ?? '') };
}
