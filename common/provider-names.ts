// The five providers by canonical name, with the aliases that requests and selectors may use. What is stored, logged and counted
// has the canonical name only, so that a provider has one spelling everywhere.
export const providerNames = [
  'gpt-provider',
  'studio-ai',
  'managed-cloud-models',
  'assistant-provider',
  'search-provider',
] as const;

export type ProviderName = (typeof providerNames)[number];

const aliases: Readonly<Record<string, ProviderName>> = {
  openai: 'gpt-provider',
  azure: 'studio-ai',
  'azure-ai': 'studio-ai',
  bedrock: 'managed-cloud-models',
  aws: 'managed-cloud-models',
  anthropic: 'assistant-provider',
  gemini: 'search-provider',
  google: 'search-provider',
};

export function isProviderName(text: string): text is ProviderName {
  return providerNames.some((name) => name === text);
}

/** The canonical name that somebody who wrote this meant. */
export function canonicalProviderName(text: string): ProviderName | undefined {
  return Object.hasOwn(aliases, text) ? aliases[text] : undefined;
}
