// Features of the request that do not affect the response, and features that only some vendors have.
import { dropped, type Feature, leftOut, native, refused, reported, usually, vendorRefuses } from './feature.ts';

const url = 'choices.0.message.annotations.0.url_citation.url';

export const otherFeatures: readonly Feature[] = [
  {
    name: '`user`',
    ask: { user: 'u-1' },
    at: usually(native('user', 'u-1'), {
      'managed-cloud-models': dropped('user'),
      'assistant-provider': native('metadata.user_id', 'u-1'),
      'search-provider': dropped('user'),
    }),
  },
  {
    name: '`safety_identifier`',
    ask: { safety_identifier: 'u-1' },
    at: usually(native('safety_identifier', 'u-1'), {
      'managed-cloud-models': dropped('safety_identifier'),
      'assistant-provider': native('metadata.user_id', 'u-1'),
      'search-provider': dropped('safety_identifier'),
    }),
  },
  {
    name: '`metadata`',
    ask: { metadata: { team: 'a' } },
    at: usually(dropped('metadata'), {
      'managed-cloud-models': native('requestMetadata', { team: 'a' }),
    }),
  },
  {
    name: '`metadata` with `store`',
    ask: { metadata: { team: 'a' }, store: true },
    at: usually(native('metadata', { team: 'a' }), {
      'managed-cloud-models': native('requestMetadata', { team: 'a' }, 'store'),
      'assistant-provider': dropped('metadata', 'store'),
      'search-provider': dropped('metadata', 'store'),
    }),
  },
  {
    name: '`service_tier: "flex"`',
    ask: { service_tier: 'flex' },
    at: usually(native('service_tier', 'flex'), {
      'managed-cloud-models': native('serviceTier.type', 'flex'),
      'assistant-provider': dropped('service_tier'),
      'search-provider': native('serviceTier', 'flex'),
    }),
  },
  {
    name: '`prompt_cache_key`',
    ask: { prompt_cache_key: 'k' },
    at: usually(dropped('prompt_cache_key'), {
      'gpt-provider': native('prompt_cache_key', 'k'),
      'studio-ai': native('prompt_cache_key', 'k'),
    }),
  },
  {
    name: '`prediction`',
    ask: { prediction: { type: 'content', content: 'Tea.' } },
    at: usually(dropped('prediction'), {
      'gpt-provider': native('prediction.content', 'Tea.'),
      'studio-ai': native('prediction.content', 'Tea.'),
    }),
  },
  {
    name: '`verbosity`',
    ask: { verbosity: 'low' },
    models: { 'gpt-provider': 'gpt-5', 'studio-ai': 'gpt-5' },
    at: usually(dropped('verbosity'), {
      'gpt-provider': native('verbosity', 'low'),
      'studio-ai': native('verbosity', 'low'),
    }),
  },
  {
    name: '`web_search_options`',
    ask: { web_search_options: {} },
    models: { 'gpt-provider': 'gpt-4o-search-preview' },
    at: usually(dropped('web_search_options'), {
      'gpt-provider': native('web_search_options', {}),
      'assistant-provider': native('tools.0.name', 'web_search'),
      'search-provider': native('tools.0.googleSearch', {}),
    }),
  },
  {
    name: 'sources of the text, in `annotations`',
    ask: { web_search_options: {} },
    says: {
      text: 'Tea 🫖 is ready.',
      citations: [{ uri: 'https://example.com/tea', title: 'Tea', text: 'is ready' }],
    },
    models: { 'gpt-provider': 'gpt-4o-search-preview' },
    at: usually(
      { ...leftOut, dropped: 'web_search_options' },
      {
        'gpt-provider': native('web_search_options', {}),
        'assistant-provider': reported(url, 'https://example.com/tea'),
        'search-provider': reported(url, 'https://example.com/tea'),
      },
    ),
  },
  {
    name: 'sound in the response (`modalities`, `audio`)',
    ask: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' } },
    at: usually(refused('modalities'), {
      'gpt-provider': vendorRefuses('modalities'),
      'studio-ai': vendorRefuses('modalities'),
    }),
  },
  {
    name: 'an unknown field',
    ask: { no_such_field: 1 },
    at: usually(dropped('no_such_field'), {
      'gpt-provider': vendorRefuses('no_such_field'),
      'studio-ai': vendorRefuses('no_such_field'),
    }),
  },
];
