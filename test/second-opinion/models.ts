// The models that are compared with the second opinion: of every vendor the old, the new, the cheap, the expensive, and
// the odd ones.
import { assistantUsages, cloudUsages, gptUsages, type PlayedUsage, searchUsages } from './usages.ts';

export interface PlayedVendor {
  readonly vendor: string;
  /** LiteLLM's name of the model. */
  readonly theirs: string;
  readonly models: readonly string[];
  readonly usages: readonly PlayedUsage[];
}

export const playedVendors: readonly PlayedVendor[] = [
  {
    ...{ vendor: 'gpt-provider', theirs: 'openai', usages: gptUsages },
    models: [
      ...['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'gpt-4.1-nano', 'gpt-5', 'gpt-5-mini', 'gpt-5.1', 'gpt-5.4'],
      ...['gpt-5.5', 'gpt-5.6', 'gpt-5.6-sol', 'gpt-5.6-luna', 'gpt-6-astra', 'gpt-6-sol', 'gpt-6.1-terra'],
      ...['o3', 'o4-mini', 'gpt-audio', 'gpt-4o-audio-preview-2025-06-03', 'gpt-4o-search-preview', 'gpt-5-search-api'],
    ],
  },
  {
    ...{ vendor: 'studio-ai', theirs: 'azure', usages: gptUsages },
    models: ['gpt-4o', 'gpt-4.1', 'gpt-5.5', 'gpt-5.6-luna', 'gpt-6-astra', 'gpt-4o-mini-audio-preview-2024-12-17'],
  },
  {
    ...{ vendor: 'studio-ai', theirs: 'azure_ai', usages: gptUsages },
    models: ['grok-4.7', 'deepseek-v3.2', 'mistral-large-3'],
  },
  {
    ...{ vendor: 'assistant-provider', theirs: 'anthropic', usages: assistantUsages },
    models: [
      ...['claude-mythos-5', 'claude-haiku-4-5', 'claude-haiku-5-5', 'claude-opus-4-6'],
      ...['claude-sonnet-4-5', 'claude-sonnet-4-6', 'claude-sonnet-5-5', 'claude-opus-4-1', 'claude-opus-4-8'],
      ...['claude-opus-5', 'claude-opus-5-5', 'claude-fable-5-1'],
    ],
  },
  {
    ...{ vendor: 'managed-cloud-models', theirs: 'bedrock', usages: cloudUsages },
    models: [
      ...['amazon.nova-micro-v1:0', 'us.amazon.nova-pro-v1:0', 'eu.amazon.nova-2-lite-v1:0', 'deepseek.v3.2'],
      ...['anthropic.claude-sonnet-4-5-20250929-v1:0', 'us.anthropic.claude-haiku-4-5-20251001-v1:0'],
      ...['eu.anthropic.claude-opus-4-5-20251101-v1:0', 'global.anthropic.claude-opus-5-5'],
      ...['apac.anthropic.claude-sonnet-5', 'us.anthropic.claude-3-5-haiku-20241022-v1:0'],
      ...['us.openai.gpt-6-astra', 'openai.gpt-oss-120b-1:0', 'meta.llama3-1-405b-instruct-v1:0'],
    ],
  },
  {
    ...{ vendor: 'search-provider', theirs: 'gemini', usages: searchUsages },
    models: [
      ...[
        'gemini-3.1-flash-lite',
        'gemini-2.5-flash',
        'gemini-2.5-flash-lite',
        'gemini-2.5-pro',
        'gemini-3-flash-preview',
      ],
      ...['gemini-3.1-pro-preview', 'gemini-3.5-flash', 'gemini-3.7-flash', 'gemini-4-argon', 'gemini-flash-latest'],
      ...['gemini-flash-lite-latest', 'gemini-pro-latest', 'gemini-2.5-flash-image', 'gemini-3-pro-image'],
    ],
  },
];
