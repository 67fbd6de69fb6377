// How long an answer may be, and how its words are drawn.
import { dropped, emulated, type Feature, leftOut, native, refused, vendorRefuses } from './feature.ts';

export const lengthFeatures: readonly Feature[] = [
  {
    name: '`max_tokens`',
    ask: { max_tokens: 20 },
    at: [
      native('max_tokens', 20),
      native('max_tokens', 20),
      native('inferenceConfig.maxTokens', 20),
      native('max_tokens', 20),
      native('generationConfig.maxOutputTokens', 20),
    ],
  },
  {
    name: '`max_completion_tokens`',
    ask: { max_completion_tokens: 20 },
    at: [
      native('max_completion_tokens', 20),
      native('max_tokens', 20),
      native('inferenceConfig.maxTokens', 20),
      native('max_tokens', 20),
      native('generationConfig.maxOutputTokens', 20),
    ],
  },
  {
    name: '`max_tokens`, of a model that knows the newer field only',
    ask: { max_tokens: 200 },
    models: { 'gpt-provider': 'gpt-5', 'studio-ai': 'gpt-5' },
    at: [
      emulated('as `max_completion_tokens`', 'max_completion_tokens', 200),
      emulated('as `max_completion_tokens`', 'max_completion_tokens', 200),
      native('inferenceConfig.maxTokens', 200),
      native('max_tokens', 200),
      native('generationConfig.maxOutputTokens', 200),
    ],
  },
  {
    name: 'no limit: what the gateway sends, told in `x-svc-max-tokens`',
    ask: {},
    at: [
      leftOut,
      leftOut,
      emulated('8,192, or 32,768 with reasoning', 'inferenceConfig.maxTokens', 8192),
      emulated('the model’s own limit', 'max_tokens', 64_000),
      leftOut,
    ],
  },
  {
    name: '`stop`',
    ask: { stop: 'END' },
    at: [
      native('stop', 'END'),
      native('stop', ['END']),
      native('inferenceConfig.stopSequences', ['END']),
      native('stop_sequences', ['END']),
      native('generationConfig.stopSequences', ['END']),
    ],
  },
];

export const samplingFeatures: readonly Feature[] = [
  {
    name: '`temperature`',
    ask: { temperature: 0.5 },
    at: [
      native('temperature', 0.5),
      native('temperature', 0.5),
      native('inferenceConfig.temperature', 0.5),
      native('temperature', 0.5),
      native('generationConfig.temperature', 0.5),
    ],
  },
  {
    name: '`temperature` above 1',
    ask: { temperature: 1.7 },
    at: [
      native('temperature', 1.7),
      emulated('1', 'temperature', 1),
      emulated('1', 'inferenceConfig.temperature', 1),
      emulated('1', 'temperature', 1),
      native('generationConfig.temperature', 1.7),
    ],
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
    at: [
      vendorRefuses('temperature'),
      vendorRefuses('temperature'),
      dropped('temperature'),
      dropped('temperature'),
      native('generationConfig.temperature', 0.5),
    ],
  },
  {
    name: '`top_p`',
    ask: { top_p: 0.5 },
    at: [
      native('top_p', 0.5),
      native('top_p', 0.5),
      native('inferenceConfig.topP', 0.5),
      native('top_p', 0.5),
      native('generationConfig.topP', 0.5),
    ],
  },
  {
    name: '`temperature` and `top_p` together',
    ask: { temperature: 0.5, top_p: 0.5 },
    at: [
      native('top_p', 0.5),
      native('top_p', 0.5),
      native('inferenceConfig.temperature', 0.5, 'top_p'),
      native('temperature', 0.5, 'top_p'),
      native('generationConfig.topP', 0.5),
    ],
  },
  {
    name: '`top_k` (extension)',
    ask: { top_k: 40 },
    at: [
      vendorRefuses('top_k'),
      vendorRefuses('top_k'),
      native('additionalModelRequestFields.top_k', 40),
      native('top_k', 40),
      native('generationConfig.topK', 40),
    ],
  },
  {
    name: '`seed`',
    ask: { seed: 7 },
    at: [
      native('seed', 7),
      native('seed', 7),
      dropped('seed'),
      dropped('seed'),
      native('generationConfig.seed', 7),
    ],
  },
  {
    name: '`frequency_penalty`, `presence_penalty`',
    ask: { frequency_penalty: 0.5, presence_penalty: 0.5 },
    at: [
      native('presence_penalty', 0.5),
      native('presence_penalty', 0.5),
      dropped('frequency_penalty', 'presence_penalty'),
      dropped('frequency_penalty', 'presence_penalty'),
      dropped('frequency_penalty', 'presence_penalty'),
    ],
  },
  {
    name: '`logit_bias`',
    ask: { logit_bias: { '50256': -100 } },
    at: [
      native('logit_bias', { '50256': -100 }),
      native('logit_bias', { '50256': -100 }),
      dropped('logit_bias'),
      dropped('logit_bias'),
      dropped('logit_bias'),
    ],
  },
  {
    name: '`n` above 1',
    ask: { n: 2 },
    at: [
      native('n', 2),
      native('n', 2),
      refused('n'),
      refused('n'),
      native('generationConfig.candidateCount', 2),
    ],
    streamed: { 'search-provider': refused('n') },
  },
  {
    name: '`logprobs`',
    ask: { logprobs: true },
    models: { 'search-provider': 'gemini-2.0-flash' },
    at: [
      native('logprobs', true),
      native('logprobs', true),
      refused('logprobs'),
      refused('logprobs'),
      native('generationConfig.responseLogprobs', true),
    ],
  },
];
