// The studio's four dialects. The base URL alone selects the dialect, and with it the path, the API version and the
// body.
// Source: the vendor's REST references.
import type { ModelCapabilities } from '../../../catalog/capabilities.ts';
import type { BaseUrl, FormatTarget } from '../../format.ts';

export interface Dialect {
  /**
   * `gpt`: the callers' format as the GPT vendor defines it. `inference`: fewer fields, plain texts, further fields on
   * request.
   */
  readonly schema: 'gpt' | 'inference';
  /** A host of one model accepts keys only as bearer tokens. */
  readonly keyHeader: 'api-key' | 'authorization';
  /** The path for chat completions of a model. */
  path(base: string, model: string): string;
  /** Used if the provider key names no version; undefined if none is needed. */
  defaultVersion(capabilities: ModelCapabilities): string | undefined;
}

/** The address of one request. */
export interface Endpoint {
  readonly dialect: Dialect;
  /** Includes the query. */
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

/** The deployment is in the path. Its name is the model name that callers use. */
const dated: Dialect = {
  schema: 'gpt',
  keyHeader: 'api-key',
  path: (base, model) => {
    if (/\/deployments\/[^/]+$/.test(base)) return directlyBelow(base);
    const deployments = base.endsWith('/deployments') ? base : `${base}/deployments`;
    return directlyBelow(`${deployments}/${encodeURIComponent(model)}`);
  },
  // The last dated version, and the first with all fields. 2024-10-21, the last without "preview", lacks reasoning.
  defaultVersion: () => '2025-04-01-preview',
};

const inference: Dialect = {
  schema: 'inference',
  keyHeader: 'api-key',
  path: directlyBelow,
  // Clients use the older version. Through it, the service refuses the GPT vendor's reasoning models.
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
  /** Added to a base URL that names only the resource. */
  readonly adds?: string;
  readonly dialect: Dialect;
}

// The first matching row applies.
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
