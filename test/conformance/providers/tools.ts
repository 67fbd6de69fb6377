// The tools that these tests offer: one with parameters, one without.
import type { ChatCompletionFunctionTool } from 'openai/resources/chat/completions';
import { boil as boiling } from '../chat-client.ts';

export const boil: ChatCompletionFunctionTool = {
  type: 'function',
  function: { ...boiling.function, description: 'Boils water.' },
};

export const stir: ChatCompletionFunctionTool = {
  type: 'function',
  function: { name: 'stir', parameters: { type: 'object', properties: {} } },
};
