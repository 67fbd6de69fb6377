// The tools of these tests: one with parameters, one without.
import type { ChatCompletionFunctionTool } from 'openai/resources/chat/completions';

export const boil: ChatCompletionFunctionTool = {
  type: 'function',
  function: {
    name: 'boil',
    description: 'Boils water.',
    parameters: {
      type: 'object',
      properties: { cups: { type: 'integer', minimum: 1 } },
      required: ['cups'],
      additionalProperties: false,
    },
  },
};

export const stir: ChatCompletionFunctionTool = {
  type: 'function',
  function: { name: 'stir', parameters: { type: 'object', properties: {} } },
};
