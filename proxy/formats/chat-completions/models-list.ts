// Models for clients of chat completions: SDK type `Model` of the package openai, and beside it the facts that tools
// read at OpenRouter's list (openrouter.ai/docs/api-reference/list-available-models), under the names it uses there.
import type { ModelPrices } from '../../catalog/models.ts';
import type { ListedModel, ModelsWriter } from '../client-format.ts';

export const chatModels: ModelsWriter = {
  list: (models) => ({ object: 'list', data: models.map(entry) }),
  one: entry,
};

function entry({ id, facts, prices }: ListedModel): object {
  const { maxInputTokens, maxOutputTokens } = facts.limits;
  return {
    id,
    object: 'model',
    created: facts.created,
    owned_by: facts.provider,
    ...(maxInputTokens !== undefined && { context_length: maxInputTokens }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    capabilities: facts.capabilities,
    ...(prices !== undefined && { pricing: pricing(prices) }),
  };
}

/** USD per token, as decimal text. */
function pricing({ input, output, cacheRead, cacheWrite }: ModelPrices): object {
  return {
    prompt: perToken(input),
    completion: perToken(output),
    ...(cacheRead !== undefined && { input_cache_read: perToken(cacheRead) }),
    ...(cacheWrite !== undefined && { input_cache_write: perToken(cacheWrite) }),
  };
}

/** @param usd per million tokens, as decimal text, which is never rounded */
function perToken(usd: string): string {
  const [whole = '', fraction = ''] = usd.split('.');
  const digits = whole.padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}${fraction}`.replace(/\.?0+$/, '');
}
