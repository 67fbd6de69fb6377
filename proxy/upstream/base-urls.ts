// The platform's base URLs, one template for each provider. A caller or a provider key may only fill in `{endpoint}`
// and `{region}`, in forms that cannot lead to a host that the operator did not intend.
import { isEndpoint, isRegion } from '../../common/vendors.ts';
import { GatewayError } from '../errors.ts';
import { type BaseUrl, parseBaseUrl } from '../formats/format.ts';
import type { Provider } from '../providers/provider.ts';

export interface UrlPlaceholders {
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
}

/** @throws GatewayError invalid_endpoint */
export function checkEndpoint(endpoint: string): string {
  if (isEndpoint(endpoint)) return endpoint;
  throw new GatewayError('invalid_endpoint');
}

/** @throws GatewayError invalid_region */
export function checkRegion(region: string): string {
  if (isRegion(region)) return region;
  throw new GatewayError('invalid_region');
}

export interface BaseUrlSettings {
  /** Templates by canonical provider name. A provider without one uses its default. */
  readonly templates: ReadonlyMap<string, string>;
  /** Suffixes, each with a leading dot. A host that contains an endpoint must end with one. */
  readonly endpointHostSuffixes: readonly string[];
}

export class BaseUrls {
  readonly #settings: BaseUrlSettings;
  /**
   * URLs of templates without placeholders, which most are. Not by name: two organizations may use one name for two
   * providers.
   */
  readonly #fixed = new WeakMap<Provider, BaseUrl>();

  constructor(settings: BaseUrlSettings) {
    this.#settings = settings;
  }

  /** @throws GatewayError invalid_endpoint, invalid_region */
  of(provider: Provider, placeholders: UrlPlaceholders): BaseUrl {
    const fixed = this.#fixed.get(provider);
    if (fixed !== undefined) return fixed;
    const template = this.#settings.templates.get(provider.name) ?? provider.defaultBaseUrl;
    if (template.includes('{')) return this.#fill(template, placeholders);
    const url = parseBaseUrl(template);
    this.#fixed.set(provider, url);
    return url;
  }

  #fill(template: string, { endpoint, region }: UrlPlaceholders): BaseUrl {
    const filled = template
      .replaceAll('{endpoint}', () => checkEndpoint(endpoint ?? ''))
      .replaceAll('{region}', () => checkRegion(region ?? ''));
    const url = parseBaseUrl(filled);
    if (template.includes('{endpoint}')) this.#checkHost(url);
    return url;
  }

  #checkHost({ origin }: BaseUrl): void {
    const { hostname } = new URL(origin);
    if (this.#settings.endpointHostSuffixes.some((suffix) => hostname.endsWith(suffix))) return;
    throw new GatewayError('invalid_endpoint');
  }
}
