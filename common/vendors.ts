// The vendors whose models are served, one row each: what both planes, the quick start, the simulator, docs and tests know of a vendor
// is read here. What is stored, logged and counted has the canonical name only, so that a vendor has one spelling everywhere.
// Adding one: a row here, its wire format in the contract, its provider in proxy/providers; the compiler names the rest.

interface VendorRow {
  /** Accepted in `<provider>/<model>`, as a route segment and in selectors; never sent out. */
  readonly aliases: readonly string[];
  /** The contract's name of its wire format. */
  readonly wireFormat: `WIRE_FORMAT_${string}`;
  /** The proxy's setting. */
  readonly baseUrlSetting: `GATEWAY_${string}_URL`;
  /** `{endpoint}` and `{region}` in it stand for what the provider key or the caller's headers say. */
  readonly baseUrl: `https://${string}`;
  /** What its provider keys are. */
  readonly secret: 'api key' | 'api key or access keys';
  /** The region of a provider key is the geography that processes, which says what a request costs; else it is of the URL alone. */
  readonly dataZones: boolean;
  /** Whose bills its usage is compared with, in the contract's word; undefined: nobody's that can be imported. */
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

/** In the order of the table, which is that of docs and of the catalog. */
export const vendorNames = Object.keys(vendors) as readonly VendorName[];

/** What a provider of the proxy has from its vendor's row. */
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

/** The canonical name that somebody who wrote this meant. */
export function canonicalVendorName(text: string): VendorName | undefined {
  return byAlias.get(text);
}

const endpointForm = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9-]+)*$/;
const regionForm = /^[a-z]{2}(-[a-z0-9]+)+-\d{1,2}$/;

/** What may stand for `{endpoint}` in a base URL: nothing that could name another host than the operator meant. */
export function isEndpoint(text: string): boolean {
  return text.length <= 253 && endpointForm.test(text);
}

/** The same of `{region}`. */
export function isRegion(text: string): boolean {
  return text.length <= 64 && regionForm.test(text);
}
