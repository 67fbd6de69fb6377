// Features of reasoning: how much a model reasons, and how much of it is returned.
import { dropped, type Feature, leftOut, native, reported, usually, vendorRefuses } from './feature.ts';

const reasoning = { 'gpt-provider': 'gpt-5', 'studio-ai': 'gpt-5' };

export const reasoningFeatures: readonly Feature[] = [
  {
    name: '`reasoning_effort`, of a model with a budget for it',
    ask: { reasoning_effort: 'high' },
    models: reasoning,
    at: usually(native('reasoning_effort', 'high'), {
      'managed-cloud-models': native('additionalModelRequestFields.thinking', {
        type: 'enabled',
        budget_tokens: 19_660,
      }),
      'assistant-provider': native('thinking', { type: 'enabled', budget_tokens: 38_400 }),
      'search-provider': native('generationConfig.thinkingConfig', {
        thinkingBudget: 24_576,
        includeThoughts: true,
      }),
    }),
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
    at: usually(native('reasoning_effort', 'high'), {
      'managed-cloud-models': native('additionalModelRequestFields.output_config.effort', 'high'),
      'assistant-provider': native('output_config.effort', 'high'),
      'search-provider': native('generationConfig.thinkingConfig.thinkingLevel', 'high'),
    }),
  },
  {
    name: '`reasoning_effort`, of a model that does not reason',
    ask: { reasoning_effort: 'high' },
    models: {
      'managed-cloud-models': 'amazon.nova-lite-v1:0',
      'assistant-provider': 'claude-3-haiku-20240307',
      'search-provider': 'gemini-2.0-flash',
    },
    at: usually(dropped('reasoning_effort'), {
      'gpt-provider': vendorRefuses('reasoning_effort'),
      'studio-ai': vendorRefuses('reasoning_effort'),
    }),
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
    at: usually(native('reasoning_effort', 'none'), {
      'managed-cloud-models': native('additionalModelRequestFields.thinking.type', 'disabled'),
      'assistant-provider': native('thinking.type', 'disabled'),
      'search-provider': native('generationConfig.thinkingConfig.thinkingBudget', 0),
    }),
  },
  {
    name: '`thinking` with a budget (extension)',
    ask: { thinking: { type: 'enabled', budget_tokens: 2000 } },
    at: usually(vendorRefuses('thinking'), {
      'managed-cloud-models': native('additionalModelRequestFields.thinking.budget_tokens', 2000),
      'assistant-provider': native('thinking.budget_tokens', 2000),
      'search-provider': native('generationConfig.thinkingConfig.thinkingBudget', 2000),
    }),
  },
  {
    name: 'the model’s thoughts, in `reasoning_content`',
    ask: { reasoning_effort: 'low' },
    says: { reasoning: 'A kettle is needed.', text: 'Tea.' },
    models: { 'gpt-provider': 'gpt-5', 'studio-ai': 'DeepSeek-R1-0528' },
    at: usually(reported('choices.0.message.reasoning_content', 'A kettle is needed.'), {
      'gpt-provider': leftOut,
      'studio-ai': reported('choices.0.message.reasoning_content', 'A kettle is needed.', 'reasoning_effort'),
    }),
  },
  {
    name: 'thoughts signed by the vendor, in `thinking_blocks` (extension)',
    ask: { reasoning_effort: 'low' },
    says: { reasoning: 'A kettle is needed.', text: 'Tea.' },
    models: reasoning,
    at: usually(leftOut, {
      'managed-cloud-models': reported('choices.0.message.thinking_blocks.0.thinking', 'A kettle is needed.'),
      'assistant-provider': reported('choices.0.message.thinking_blocks.0.thinking', 'A kettle is needed.'),
    }),
  },
];
