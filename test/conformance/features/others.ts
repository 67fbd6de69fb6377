// Fields about the request rather than the answer, and what only some vendors have.
import { dropped, type Feature, leftOut, native, refused, told, vendorRefuses } from './feature.ts';

const url = 'choices.0.message.annotations.0.url_citation.url';

export const otherFeatures: readonly Feature[] = [
  {
    name: '`user`',
    ask: { user: 'u-1' },
    at: [
      native('user', 'u-1'),
      native('user', 'u-1'),
      dropped('user'),
      native('metadata.user_id', 'u-1'),
      dropped('user'),
    ],
  },
  {
    name: '`safety_identifier`',
    ask: { safety_identifier: 'u-1' },
    at: [
      native('safety_identifier', 'u-1'),
      native('safety_identifier', 'u-1'),
      dropped('safety_identifier'),
      native('metadata.user_id', 'u-1'),
      dropped('safety_identifier'),
    ],
  },
  {
    name: '`metadata`',
    ask: { metadata: { team: 'a' } },
    at: [
      dropped('metadata'),
      dropped('metadata'),
      native('requestMetadata', { team: 'a' }),
      dropped('metadata'),
      dropped('metadata'),
    ],
  },
  {
    name: '`metadata` with `store`',
    ask: { metadata: { team: 'a' }, store: true },
    at: [
      native('metadata', { team: 'a' }),
      native('metadata', { team: 'a' }),
      native('requestMetadata', { team: 'a' }, 'store'),
      dropped('metadata', 'store'),
      dropped('metadata', 'store'),
    ],
  },
  {
    name: '`service_tier: "flex"`',
    ask: { service_tier: 'flex' },
    at: [
      native('service_tier', 'flex'),
      native('service_tier', 'flex'),
      native('serviceTier.type', 'flex'),
      dropped('service_tier'),
      native('serviceTier', 'flex'),
    ],
  },
  {
    name: '`prompt_cache_key`',
    ask: { prompt_cache_key: 'k' },
    at: [
      native('prompt_cache_key', 'k'),
      native('prompt_cache_key', 'k'),
      dropped('prompt_cache_key'),
      dropped('prompt_cache_key'),
      dropped('prompt_cache_key'),
    ],
  },
  {
    name: '`prediction`',
    ask: { prediction: { type: 'content', content: 'Tea.' } },
    at: [
      native('prediction.content', 'Tea.'),
      native('prediction.content', 'Tea.'),
      dropped('prediction'),
      dropped('prediction'),
      dropped('prediction'),
    ],
  },
  {
    name: '`verbosity`',
    ask: { verbosity: 'low' },
    models: { 'gpt-provider': 'gpt-5', 'studio-ai': 'gpt-5' },
    at: [
      native('verbosity', 'low'),
      native('verbosity', 'low'),
      dropped('verbosity'),
      dropped('verbosity'),
      dropped('verbosity'),
    ],
  },
  {
    name: '`web_search_options`',
    ask: { web_search_options: {} },
    models: { 'gpt-provider': 'gpt-4o-search-preview' },
    at: [
      native('web_search_options', {}),
      dropped('web_search_options'),
      dropped('web_search_options'),
      native('tools.0.name', 'web_search'),
      native('tools.0.googleSearch', {}),
    ],
  },
  {
    name: 'sources of what is said, in `annotations`',
    ask: { web_search_options: {} },
    says: {
      text: 'Tea 🫖 is ready.',
      citations: [{ uri: 'https://example.com/tea', title: 'Tea', text: 'is ready' }],
    },
    models: { 'gpt-provider': 'gpt-4o-search-preview' },
    at: [
      native('web_search_options', {}),
      { ...leftOut, dropped: 'web_search_options' },
      { ...leftOut, dropped: 'web_search_options' },
      told(url, 'https://example.com/tea'),
      told(url, 'https://example.com/tea'),
    ],
  },
  {
    name: 'sound in the answer (`modalities`, `audio`)',
    ask: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' } },
    at: [
      vendorRefuses('modalities'),
      vendorRefuses('modalities'),
      refused('modalities'),
      refused('modalities'),
      refused('modalities'),
    ],
  },
  {
    name: 'a field that nobody knows',
    ask: { no_such_field: 1 },
    at: [
      vendorRefuses('no_such_field'),
      vendorRefuses('no_such_field'),
      dropped('no_such_field'),
      dropped('no_such_field'),
      dropped('no_such_field'),
    ],
  },
];
