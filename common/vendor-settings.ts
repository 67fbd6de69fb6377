// Where the vendors are: settings of proxies, which send requests there, and of control planes, which test keys there.
// Both planes need the same values.
import { type Decoder, list, type Setting, url } from './settings.ts';
import { type VendorName, vendorNames, vendors } from './vendors.ts';

const providerUrl = url(['https:', 'http:']);

/** A URL that may contain only these placeholders. */
const template =
  (placeholders: readonly string[]): Decoder<string> =>
  (value) => {
    const filled = placeholders.reduce((text, one) => text.replaceAll(one, 'x'), value);
    if (/[{}]/.test(filled)) throw new Error(`the only placeholders are ${placeholders.join(', ')}`);
    providerUrl(filled);
    return value;
  };

const hostSuffix: Decoder<string> = (value) => {
  if (!/^(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/.test(value))
    throw new Error('a suffix begins with a dot, as .example.com');
  return value;
};

type VendorUrls = { readonly [Name in VendorName]: Setting<string> & { readonly default: string } };

/** By the vendor's name. */
function vendorUrls(): VendorUrls {
  const rows = vendorNames.map((vendor) => {
    const { baseUrlSetting: name, baseUrl } = vendors[vendor];
    const placeholders = Object.keys(stoodFor).filter((one) => baseUrl.includes(one));
    const standing = placeholders.map(
      (one) => `; ${one} is replaced by the value in ${stoodFor[one]} or the provider key`,
    );
    const about = `Base URL of ${vendor}${standing.join('')}.`;
    const decode = placeholders.length === 0 ? providerUrl : template(placeholders);
    return [vendor, { name, about, decode, default: baseUrl }] as const;
  });
  return Object.fromEntries(rows) as VendorUrls;
}

const stoodFor: Readonly<Record<string, string>> = { '{endpoint}': 'the route', '{region}': 'the header' };

export const vendorSettings = {
  ...vendorUrls(),
  endpointHostSuffixes: {
    name: 'GATEWAY_ENDPOINT_HOST_SUFFIXES',
    about: 'How a host with an {endpoint} in it must end: suffixes with a leading dot, separated by commas.',
    decode: list(hostSuffix),
    default: '.services.ai.azure.com,.openai.azure.com,.cognitiveservices.azure.com,.models.ai.azure.com',
  },
} as const satisfies Record<string, Setting<unknown>>;

/** The templates of the platform's base URLs by vendor. */
export function baseUrlTemplates(settings: Readonly<Record<VendorName, string>>): ReadonlyMap<string, string> {
  return new Map(vendorNames.map((name) => [name, settings[name]]));
}
