// Models for clients of the Messages API. Source: SDK types `ModelInfo`, `PageParams` of @anthropic-ai/sdk; pages by
// `limit` (20, at most 1,000), `after_id` and `before_id`, newest first.
import type { ListedModel, ModelsWriter } from '../client-format.ts';
import { indexOfId, pageSize } from '../list-page.ts';

export const messagesModels: ModelsWriter = { list: page, one: entry };

const sizes = { usual: 20, max: 1000 };

function page(models: readonly ListedModel[], query: URLSearchParams): object {
  const newestFirst = models.toSorted((a, b) => b.facts.created - a.facts.created);
  const size = pageSize(query, 'limit', sizes);
  const { start, end, more } = rangeOf(newestFirst, query, size);
  const shown = newestFirst.slice(start, end);
  return {
    data: shown.map(entry),
    has_more: more,
    first_id: shown.at(0)?.id ?? null,
    last_id: shown.at(-1)?.id ?? null,
  };
}

/** `more`: in the direction of the query. */
function rangeOf(models: readonly ListedModel[], query: URLSearchParams, size: number) {
  const before = query.get('before_id');
  if (before !== null) {
    const end = indexOfId(models, before, 'before_id');
    const start = Math.max(0, end - size);
    return { start, end, more: start > 0 };
  }
  const after = query.get('after_id');
  const start = after === null ? 0 : indexOfId(models, after, 'after_id') + 1;
  return { start, end: start + size, more: start + size < models.length };
}

function entry({ id, facts }: ListedModel): object {
  const { limits, created } = facts;
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: new Date(created * 1000).toISOString(),
    max_input_tokens: limits.maxInputTokens ?? null,
    max_tokens: limits.maxOutputTokens ?? null,
    // The vendor's own list says more than the catalog knows.
    capabilities: null,
    lifecycle: 'active',
    line: null,
    deprecated_at: null,
    retires_at: null,
  };
}
