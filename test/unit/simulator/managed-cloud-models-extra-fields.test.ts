import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import {
  type Acceptance,
  command,
  expectAcceptance,
  expectRefusal,
  extra,
  gptOss,
  haiku3,
  inference,
  llama,
  nova2,
  novaLite,
  opus48,
  type Refusal,
  sonnet5,
  sonnet46,
  toolConfig,
} from './post-converse.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

const opus55 = 'us.anthropic.claude-opus-5-5';

describe('model-specific extra fields', () => {
  it.each<Refusal>([
    [
      'an unknown field',
      extra({ seed: 1 }),
      'The model returned the following errors: seed: Extra inputs are not permitted',
    ],
    ['one of another family', extra({ reasoning_effort: 'low' }), 'reasoning_effort: Extra inputs are not permitted'],
    [
      'one of another family',
      extra({ thinking: { type: 'adaptive' } }),
      'Malformed input request: #: extraneous key [thinking] is not permitted',
      novaLite,
    ],
    ['any', extra({ top_k: 3 }), '#: extraneous key [top_k] is not permitted', llama],
    [
      'a budget that is too small',
      extra({ thinking: { type: 'enabled', budget_tokens: 1000 } }),
      'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
    ],
    [
      'thinking without a budget',
      extra({ thinking: { type: 'enabled' } }),
      'thinking.enabled.budget_tokens: Field required',
    ],
    [
      'thinking of an unknown kind',
      extra({ thinking: { type: 'deep' } }),
      "thinking.type: Input should be 'enabled', 'adaptive', 'disabled'",
    ],
    [
      'a budget above maxTokens',
      { ...extra({ thinking: { type: 'enabled', budget_tokens: 2048 } }), ...inference({ maxTokens: 2048 }) },
      '`max_tokens` must be greater than `thinking.budget_tokens`.',
    ],
    [
      'thinking from a model without',
      extra({ thinking: { type: 'enabled', budget_tokens: 1024 } }),
      'thinking: Extra inputs are not permitted',
      haiku3,
    ],
    [
      'adaptive thinking from a model without',
      extra({ thinking: { type: 'adaptive' } }),
      'adaptive thinking is not supported on this model',
    ],
    [
      'a budget where thinking is adaptive',
      extra({ thinking: { type: 'enabled', budget_tokens: 1024 } }),
      '"thinking.type.enabled" is not supported for this model.',
      opus48,
    ],
    [
      'no thinking where it is always on',
      extra({ thinking: { type: 'disabled' } }),
      '"thinking.type.disabled" is not supported for this model.',
      opus55,
    ],
    [
      'thinking with a temperature',
      {
        ...extra({ thinking: { type: 'enabled', budget_tokens: 1024 } }),
        ...inference({ temperature: 0.5 }),
      },
      '`temperature` may only be set to 1 when thinking is enabled',
    ],
    [
      'thinking with a small topP',
      { ...extra({ thinking: { type: 'enabled', budget_tokens: 1024 } }), ...inference({ topP: 0.5 }) },
      '`top_p` must be greater than or equal to 0.95',
    ],
    [
      'thinking with top_k',
      extra({ thinking: { type: 'enabled', budget_tokens: 1024 }, top_k: 5 }),
      '`top_k` must be unset when thinking is enabled',
    ],
    [
      'thinking with a forced tool',
      {
        ...extra({ thinking: { type: 'enabled', budget_tokens: 1024 } }),
        toolConfig: { ...toolConfig, toolChoice: { any: {} } },
      },
      'Thinking may not be enabled when tool_choice forces tool use.',
    ],
    [
      'effort from a model without',
      extra({ output_config: { effort: 'low' } }),
      'output_config.effort: Extra inputs are not permitted',
    ],
    [
      'an unknown effort',
      extra({ output_config: { effort: 'none' } }),
      'output_config.effort: Input should be',
      sonnet46,
    ],
    [
      'an effort of newer models',
      extra({ output_config: { effort: 'xhigh' } }),
      "output_config.effort: Input should be 'low', 'medium', 'high', 'max'",
      sonnet46,
    ],
    [
      'the highest effort without thinking',
      extra({ thinking: { type: 'disabled' }, output_config: { effort: 'max' } }),
      "'max' is not supported when thinking is disabled",
      opus48,
    ],
    [
      'the effort of the common field',
      { outputConfig: { effort: 'low' } },
      "This model doesn't support the outputConfig.effort field.",
      novaLite,
    ],
    [
      'a second choice of tools',
      {
        toolConfig: { ...toolConfig, toolChoice: { auto: {} } },
        ...extra({ tool_choice: { type: 'auto' } }),
      },
      'The additional field tool_choice conflicts with an existing field.',
    ],
    [
      'a choice without tools',
      extra({ tool_choice: { type: 'auto', disable_parallel_tool_use: true } }),
      'tool_choice may only be specified while providing tools.',
    ],
    [
      'reasoning from a model without',
      extra({ reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } }),
      'the provided reasoning config value is invalid',
      novaLite,
    ],
    [
      'reasoning without an effort',
      extra({ reasoningConfig: { type: 'enabled' } }),
      '#/reasoningConfig: required key [maxReasoningEffort] not found',
      nova2,
    ],
    [
      'an unknown effort',
      extra({ reasoningConfig: { type: 'enabled', maxReasoningEffort: 'max' } }),
      'max is not a valid enum value',
      nova2,
    ],
    [
      'maxTokens at the highest effort',
      {
        ...extra({ reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } }),
        ...inference({ maxTokens: 100 }),
      },
      'must be unset when the maximum reasoning effort is high',
      nova2,
    ],
    ['an unknown effort', extra({ reasoning_effort: 'none' }), 'none is not a valid enum value', gptOss],
    ['a penalty out of its bounds', extra({ presence_penalty: 2 }), '2 is not within its bounds', command],
  ])('refuse %s', (...row) => expectRefusal(simulator, row));

  it.each<Acceptance>([
    [
      'a budget',
      {
        ...extra({ thinking: { type: 'enabled', budget_tokens: 1024 } }),
        ...inference({ maxTokens: 1025, temperature: 1 }),
      },
    ],
    [
      'a budget and adaptive thinking, where both are',
      extra({ thinking: { type: 'enabled', budget_tokens: 1024 } }),
      sonnet46,
    ],
    [
      'adaptive thinking with effort',
      extra({ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }),
      sonnet46,
    ],
    ['effort in the common field', { outputConfig: { effort: 'xhigh' } }, opus48],
    ['thinking switched off', extra({ thinking: { type: 'disabled' } }), sonnet5],
    ['top_k', extra({ top_k: 40, anthropic_beta: ['context-1m-2025-08-07'] })],
    ['no parallel calls', { toolConfig, ...extra({ tool_choice: { type: 'auto', disable_parallel_tool_use: true } }) }],
    ['topK', extra({ inferenceConfig: { topK: 20 } }), novaLite],
    [
      'reasoning with maxTokens below the highest effort',
      {
        ...extra({ reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } }),
        ...inference({ maxTokens: 100 }),
      },
      nova2,
    ],
    ['reasoning effort', extra({ reasoning_effort: 'high' }), gptOss],
    ['seed and penalties', extra({ seed: 1, k: 3, frequency_penalty: 0.5 }), command],
  ])('accept %s', (...row) => expectAcceptance(simulator, row));
});
