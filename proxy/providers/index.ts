// The providers of the vendors in common/vendors.ts: a new one is a file and a line here.
import { type VendorName, vendorNames } from '../../common/vendors.ts';
import type { WireFormat } from '../../proto/words/access.ts';
import { assistantProvider } from './assistant-provider.ts';
import { gptProvider } from './gpt-provider.ts';
import { managedCloudModels } from './managed-cloud-models.ts';
import type { Provider } from './provider.ts';
import { responsesServer } from './responses.ts';
import { searchProvider } from './search-provider.ts';
import { studioAi } from './studio-ai.ts';

const shipped = {
  'gpt-provider': gptProvider,
  'studio-ai': studioAi,
  'managed-cloud-models': managedCloudModels,
  'assistant-provider': assistantProvider,
  'search-provider': searchProvider,
} as const satisfies Record<VendorName, Provider>;

export const providers: readonly Provider[] = vendorNames.map((name) => shipped[name]);

/** By canonical name and by every alias. */
export const providersByName: ReadonlyMap<string, Provider> = new Map(
  providers.flatMap((provider) => [provider.name, ...provider.aliases].map((name) => [name, provider] as const)),
);

/** What custom providers are made from, by the word of their wire format. */
export const wireFormatProviders: ReadonlyMap<string, Provider> = new Map<WireFormat, Provider>([
  ...vendorNames.map((name) => [name, shipped[name]] as const),
  ['responses', responsesServer],
]);
