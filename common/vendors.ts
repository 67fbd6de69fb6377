// The supported vendors, one row each. Both planes, the quick start, the simulator, docs and tests read their facts
// about a vendor here. Stored, logged and counted data contains only the canonical name, so that a vendor has one
// spelling everywhere.
// To add a vendor: add a row here, its wire format in the contract, and its provider in proxy/providers; the compiler
// names the rest.

interface VendorRow {
  /** Accepted in `<provider>/<model>`, as a route segment and in selectors; never sent to a vendor. */
  readonly aliases: readonly string[];
  /** Name of its wire format in the contract. */
  readonly wireFormat: `WIRE_FORMAT_${string}`;
  /** Name of the proxy's setting for the base URL. */
  readonly baseUrlSetting: `GATEWAY_${string}_URL`;
  /** The provider key or the caller's headers give `{endpoint}` and `{region}`. */
  readonly baseUrl: `https://${string}`;
  /** The form of its provider keys. */
  readonly secret: 'api key' | 'api key or access keys';
  /**
   * If true, the region of a provider key is the geography that processes a request and determines its cost; otherwise
   * it is only part of the URL.
   */
  readonly dataZones: boolean;
  /**
   * The vendor whose bills its usage is compared with, as named in the contract; undefined if no bills can be imported.
   */
  readonly bills: string | undefined;
}

export const vendors = {
  'gpt-provider': {
    aliases: ['openai'],
    wireFormat: 'WIRE_FORMAT_GPT_PROVIDER',
    baseUrlSetting: 'GATEWAY_GPT_PROVIDER_URL',
    baseUrl: 'https://api.openai.com/v1',
    secret: 'api key',
    dataZones: true,
    bills: 'openai',
  },
  'studio-ai': {
    aliases: ['azure', 'azure-ai'],
    wireFormat: 'WIRE_FORMAT_STUDIO_AI',
    baseUrlSetting: 'GATEWAY_STUDIO_AI_URL',
    baseUrl: 'https://{endpoint}.services.ai.azure.com/models',
    secret: 'api key',
    dataZones: true,
    bills: 'azure',
  },
  'managed-cloud-models': {
    aliases: ['bedrock', 'aws'],
    wireFormat: 'WIRE_FORMAT_MANAGED_CLOUD_MODELS',
    baseUrlSetting: 'GATEWAY_MANAGED_CLOUD_MODELS_URL',
    baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
    secret: 'api key or access keys',
    dataZones: false,
    bills: 'aws',
  },
  'assistant-provider': {
    aliases: ['anthropic'],
    wireFormat: 'WIRE_FORMAT_ASSISTANT_PROVIDER',
    baseUrlSetting: 'GATEWAY_ASSISTANT_PROVIDER_URL',
    baseUrl: 'https://api.anthropic.com',
    secret: 'api key',
    dataZones: false,
    bills: 'anthropic',
  },
  'search-provider': {
    aliases: ['gemini', 'google'],
    wireFormat: 'WIRE_FORMAT_SEARCH_PROVIDER',
    baseUrlSetting: 'GATEWAY_SEARCH_PROVIDER_URL',
    baseUrl: 'https://generativelanguage.googleapis.com',
    secret: 'api key',
    dataZones: false,
    bills: 'google',
  },
} as const satisfies Record<string, VendorRow>;

export type VendorName = keyof typeof vendors;

/** In the order of the table, which the docs and the catalog also use. */
export const vendorNames = Object.keys(vendors) as readonly VendorName[];

/** The fields of a provider in the proxy that come from its vendor's row. */
export function vendorIdentity(name: VendorName) {
  const { aliases, baseUrl } = vendors[name];
  return { name, aliases, defaultBaseUrl: baseUrl };
}

export function isVendorName(text: string): text is VendorName {
  return Object.hasOwn(vendors, text);
}

const byAlias = new Map<string, VendorName>(
  vendorNames.flatMap((name) => vendors[name].aliases.map((alias) => [alias, name] as const)),
);

/** The canonical name that an alias stands for; undefined for any other text. */
export function canonicalVendorName(text: string): VendorName | undefined {
  return byAlias.get(text);
}

/** Whether the text is a vendor's canonical name or an alias of one. */
export function meansVendor(text: string): boolean {
  return isVendorName(text) || byAlias.has(text);
}

const endpointForm = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9-]+)*$/;
const regionForm = /^[a-z]{2}(-[a-z0-9]+)+-\d{1,2}$/;

/**
 * Whether the text may replace `{endpoint}` in a base URL. It must not be able to lead to another host than the
 * operator meant.
 */
export function isEndpoint(text: string): boolean {
  return text.length <= 253 && endpointForm.test(text);
}

/** Whether the text may replace `{region}` in a base URL. */
export function isRegion(text: string): boolean {
  return text.length <= 64 && regionForm.test(text);
}
