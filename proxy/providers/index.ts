// The providers: adding one is a folder and a line here.
import { assistantProvider } from './assistant-provider.ts';
import { gptProvider } from './gpt-provider.ts';
import { managedCloudModels } from './managed-cloud-models.ts';
import type { Provider } from './provider.ts';
import { searchProvider } from './search-provider.ts';
import { studioAi } from './studio-ai.ts';

export const providers: readonly Provider[] = [
  gptProvider,
  studioAi,
  assistantProvider,
  searchProvider,
  managedCloudModels,
];

/** By canonical name and by every alias. */
export const providersByName: ReadonlyMap<string, Provider> = new Map(
  providers.flatMap((provider) =>
    [provider.name, ...provider.aliases].map((name) => [name, provider] as const),
  ),
);
