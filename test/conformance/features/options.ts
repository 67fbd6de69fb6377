// Features of output limits and sampling.
import { dropped, emulated, type Feature, leftOut, native, refused, usually, vendorRefuses } from './feature.ts';

export const lengthFeatures: readonly Feature[] = [
  {
    name: '`max_tokens`',
    ask: { max_tokens: 20 },
    at: usually(native('max_tokens', 20), {
      'managed-cloud-models': native('inferenceConfig.maxTokens', 20),
      'search-provider': native('generationConfig.maxOutputTokens', 20),
    }),
  },
  {
    name: '`max_completion_tokens`',
    ask: { max_completion_tokens: 20 },
    at: usually(native('max_tokens', 20), {
      'gpt-provider': native('max_completion_tokens', 20),
      'managed-cloud-models': native('inferenceConfig.maxTokens', 20),
      'search-provider': native('generationConfig.maxOutputTokens', 20),
    }),
  },
  {
    name: '`max_tokens`, of a model that knows the newer field only',
    ask: { max_tokens: 200 },
    models: { 'gpt-provider': 'gpt-5', 'studio-ai': 'gpt-5' },
    at: usually(emulated('as `max_completion_tokens`', 'max_completion_tokens', 200), {
      'managed-cloud-models': native('inferenceConfig.maxTokens', 200),
      'assistant-provider': native('max_tokens', 200),
      'search-provider': native('generationConfig.maxOutputTokens', 200),
    }),
  },
  {
    name: 'no limit: the one that the gateway sends, returned in `x-svc-max-tokens`',
    ask: {},
    at: usually(leftOut, {
      'managed-cloud-models': emulated('8,192, or 32,768 with reasoning', 'inferenceConfig.maxTokens', 8192),
      'assistant-provider': emulated('the model’s own limit', 'max_tokens', 64_000),
    }),
  },
  {
    name: '`stop`',
    ask: { stop: 'END' },
    at: usually(native('stop', 'END'), {
      'studio-ai': native('stop', ['END']),
      'managed-cloud-models': native('inferenceConfig.stopSequences', ['END']),
      'assistant-provider': native('stop_sequences', ['END']),
      'search-provider': native('generationConfig.stopSequences', ['END']),
    }),
  },
];

export const samplingFeatures: readonly Feature[] = [
  {
    name: '`temperature`',
    ask: { temperature: 0.5 },
    at: usually(native('temperature', 0.5), {
      'managed-cloud-models': native('inferenceConfig.temperature', 0.5),
      'search-provider': native('generationConfig.temperature', 0.5),
    }),
  },
  {
    name: '`temperature` above 1',
    ask: { temperature: 1.7 },
    at: usually(emulated('1', 'temperature', 1), {
      'gpt-provider': native('temperature', 1.7),
      'managed-cloud-models': emulated('1', 'inferenceConfig.temperature', 1),
      'search-provider': native('generationConfig.temperature', 1.7),
    }),
  },
  {
    name: '`temperature`, of a model that takes none',
    ask: { temperature: 0.5 },
    models: {
      'gpt-provider': 'gpt-5',
      'studio-ai': 'gpt-5',
      'managed-cloud-models': 'us.anthropic.claude-opus-4-7',
      'assistant-provider': 'claude-opus-4-8',
    },
    at: usually(vendorRefuses('temperature'), {
      'managed-cloud-models': dropped('temperature'),
      'assistant-provider': dropped('temperature'),
      'search-provider': native('generationConfig.temperature', 0.5),
    }),
  },
  {
    name: '`top_p`',
    ask: { top_p: 0.5 },
    at: usually(native('top_p', 0.5), {
      'managed-cloud-models': native('inferenceConfig.topP', 0.5),
      'search-provider': native('generationConfig.topP', 0.5),
    }),
  },
  {
    name: '`temperature` and `top_p` together',
    ask: { temperature: 0.5, top_p: 0.5 },
    at: usually(native('top_p', 0.5), {
      'managed-cloud-models': native('inferenceConfig.temperature', 0.5, 'top_p'),
      'assistant-provider': native('temperature', 0.5, 'top_p'),
      'search-provider': native('generationConfig.topP', 0.5),
    }),
  },
  {
    name: '`top_k` (extension)',
    ask: { top_k: 40 },
    at: usually(vendorRefuses('top_k'), {
      'managed-cloud-models': native('additionalModelRequestFields.top_k', 40),
      'assistant-provider': native('top_k', 40),
      'search-provider': native('generationConfig.topK', 40),
    }),
  },
  {
    name: '`seed`',
    ask: { seed: 7 },
    at: usually(native('seed', 7), {
      'managed-cloud-models': dropped('seed'),
      'assistant-provider': dropped('seed'),
      'search-provider': native('generationConfig.seed', 7),
    }),
  },
  {
    name: '`frequency_penalty`, `presence_penalty`',
    ask: { frequency_penalty: 0.5, presence_penalty: 0.5 },
    at: usually(dropped('frequency_penalty', 'presence_penalty'), {
      'gpt-provider': native('presence_penalty', 0.5),
      'studio-ai': native('presence_penalty', 0.5),
    }),
  },
  {
    name: '`logit_bias`',
    ask: { logit_bias: { '50256': -100 } },
    at: usually(dropped('logit_bias'), {
      'gpt-provider': native('logit_bias', { '50256': -100 }),
      'studio-ai': native('logit_bias', { '50256': -100 }),
    }),
  },
  {
    name: '`n` above 1',
    ask: { n: 2 },
    at: usually(native('n', 2), {
      'managed-cloud-models': refused('n'),
      'assistant-provider': refused('n'),
      'search-provider': native('generationConfig.candidateCount', 2),
    }),
    streamed: { 'search-provider': refused('n') },
  },
  {
    name: '`logprobs`',
    ask: { logprobs: true },
    models: { 'search-provider': 'gemini-2.0-flash' },
    at: usually(native('logprobs', true), {
      'managed-cloud-models': refused('logprobs'),
      'assistant-provider': refused('logprobs'),
      'search-provider': native('generationConfig.responseLogprobs', true),
    }),
  },
];
