// How much a model reasons, and what is told of it.
import { dropped, type Feature, leftOut, native, told, vendorRefuses } from './feature.ts';

const reasoning = { 'gpt-provider': 'gpt-5', 'studio-ai': 'gpt-5' };

export const reasoningFeatures: readonly Feature[] = [
  {
    name: '`reasoning_effort`, of a model with a budget for it',
    ask: { reasoning_effort: 'high' },
    models: reasoning,
    at: [
      native('reasoning_effort', 'high'),
      native('reasoning_effort', 'high'),
      native('additionalModelRequestFields.thinking', { type: 'enabled', budget_tokens: 19_660 }),
      native('thinking', { type: 'enabled', budget_tokens: 38_400 }),
      native('generationConfig.thinkingConfig', { thinkingBudget: 24_576, includeThoughts: true }),
    ],
  },
  {
    name: '`reasoning_effort`, of a model that has efforts itself',
    ask: { reasoning_effort: 'high' },
    models: {
      ...reasoning,
      'managed-cloud-models': 'us.anthropic.claude-opus-4-7',
      'assistant-provider': 'claude-opus-4-8',
      'search-provider': 'gemini-3-flash-preview',
    },
    at: [
      native('reasoning_effort', 'high'),
      native('reasoning_effort', 'high'),
      native('additionalModelRequestFields.output_config.effort', 'high'),
      native('output_config.effort', 'high'),
      native('generationConfig.thinkingConfig.thinkingLevel', 'high'),
    ],
  },
  {
    name: '`reasoning_effort`, of a model that does not reason',
    ask: { reasoning_effort: 'high' },
    models: {
      'managed-cloud-models': 'amazon.nova-lite-v1:0',
      'assistant-provider': 'claude-3-haiku-20240307',
      'search-provider': 'gemini-2.0-flash',
    },
    at: [
      vendorRefuses('reasoning_effort'),
      vendorRefuses('reasoning_effort'),
      dropped('reasoning_effort'),
      dropped('reasoning_effort'),
      dropped('reasoning_effort'),
    ],
  },
  {
    name: '`reasoning_effort: "none"`, where reasoning can be turned off',
    ask: { reasoning_effort: 'none' },
    models: {
      'gpt-provider': 'gpt-5.1',
      'studio-ai': 'gpt-5.1',
      'managed-cloud-models': 'us.anthropic.claude-sonnet-4-6',
      'assistant-provider': 'claude-sonnet-5',
    },
    at: [
      native('reasoning_effort', 'none'),
      native('reasoning_effort', 'none'),
      native('additionalModelRequestFields.thinking.type', 'disabled'),
      native('thinking.type', 'disabled'),
      native('generationConfig.thinkingConfig.thinkingBudget', 0),
    ],
  },
  {
    name: '`thinking` with a budget (extension)',
    ask: { thinking: { type: 'enabled', budget_tokens: 2000 } },
    at: [
      vendorRefuses('thinking'),
      vendorRefuses('thinking'),
      native('additionalModelRequestFields.thinking.budget_tokens', 2000),
      native('thinking.budget_tokens', 2000),
      native('generationConfig.thinkingConfig.thinkingBudget', 2000),
    ],
  },
  {
    name: 'what the model thought, in `reasoning_content`',
    ask: { reasoning_effort: 'low' },
    says: { reasoning: 'A kettle is needed.', text: 'Tea.' },
    models: { 'gpt-provider': 'gpt-5', 'studio-ai': 'DeepSeek-R1-0528' },
    at: [
      leftOut,
      told('choices.0.message.reasoning_content', 'A kettle is needed.', 'reasoning_effort'),
      told('choices.0.message.reasoning_content', 'A kettle is needed.'),
      told('choices.0.message.reasoning_content', 'A kettle is needed.'),
      told('choices.0.message.reasoning_content', 'A kettle is needed.'),
    ],
  },
  {
    name: 'thoughts signed by the vendor, in `thinking_blocks` (extension)',
    ask: { reasoning_effort: 'low' },
    says: { reasoning: 'A kettle is needed.', text: 'Tea.' },
    models: reasoning,
    at: [
      leftOut,
      leftOut,
      told('choices.0.message.thinking_blocks.0.thinking', 'A kettle is needed.'),
      told('choices.0.message.thinking_blocks.0.thinking', 'A kettle is needed.'),
      leftOut,
    ],
  },
];
