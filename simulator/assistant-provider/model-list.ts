// The models as the vendor lists and describes them (ModelInfo of its SDK).
import type { Json } from '../checks.ts';
import { listModels, type SimulatedModel } from './models.ts';
import { badRequest } from './refusal.ts';

/**
 * One page of the list.
 * @param query without the `?`
 * @throws Refusal
 */
export function modelPage(query: string): Json {
  const request = new URLSearchParams(query);
  const limit = limitOf(request.get('limit'));
  const models = listModels();
  const indexOf = (id: string) => models.findIndex((model) => model.id === id);
  const after = request.get('after_id');
  const before = request.get('before_id');
  const from = after === null ? 0 : indexOf(after) + 1;
  const end = before === null ? models.length : Math.max(0, indexOf(before));
  const page = before === null ? models.slice(from, from + limit) : models.slice(from, end).slice(-limit);
  return {
    data: page.map(modelInfo),
    has_more: before === null ? from + limit < end : end - from > limit,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

function limitOf(request: string | null): number {
  if (request === null) return 20;
  if (!/^-?\d+$/.test(request)) {
    throw badRequest('limit: Input should be a valid integer, unable to parse string as an integer');
  }
  const limit = Number(request);
  if (limit < 1) throw badRequest('limit: Input should be greater than or equal to 1');
  if (limit > 1_000) throw badRequest('limit: Input should be less than or equal to 1000');
  return limit;
}

export function modelInfo(model: SimulatedModel): Json {
  return {
    type: 'model',
    id: model.id,
    display_name: model.displayName,
    created_at: model.createdAt,
    line: model.line,
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    max_input_tokens: model.contextTokens,
    max_tokens: model.outputTokensMax,
    capabilities: capabilitiesOf(model),
  };
}

function capabilitiesOf({ efforts, thinking, structuredOutput }: SimulatedModel): Json {
  const thinks = thinking.some((type) => type === 'enabled' || type === 'adaptive');
  const each = (names: readonly string[], taken: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, supported(taken.includes(name))]));
  return {
    image_input: supported(true),
    structured_outputs: supported(structuredOutput),
    effort: {
      ...supported(efforts.length > 0),
      ...each(['low', 'medium', 'high', 'xhigh', 'max'], efforts),
    },
    thinking: {
      ...supported(thinks),
      types: each(['adaptive', 'between_tools', 'disabled', 'enabled'], thinking),
    },
  };
}

function supported(value: boolean): Json {
  return { supported: value };
}
