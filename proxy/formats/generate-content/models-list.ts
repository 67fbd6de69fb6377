// Models for clients of generateContent. Source: type `Model` of the vendor's REST reference and of @google/genai; pages
// by `pageSize` (50, at most 1,000) and `pageToken`.
import type { ListedModel, ModelsWriter } from '../client-format.ts';
import { indexOfId, pageSize } from '../list-page.ts';

export const generateContentModels: ModelsWriter = { list: page, one: entry };

const sizes = { usual: 50, max: 1000 };

function page(models: readonly ListedModel[], query: URLSearchParams): object {
  const token = query.get('pageToken') ?? '';
  const start = token === '' ? 0 : indexOfId(models, Buffer.from(token, 'base64url').toString(), 'pageToken') + 1;
  const shown = models.slice(start, start + pageSize(query, 'pageSize', sizes));
  const last = shown.at(-1);
  const hasMore = last !== undefined && last !== models.at(-1);
  return { models: shown.map(entry), ...(hasMore && { nextPageToken: Buffer.from(last.id).toString('base64url') }) };
}

function entry({ id, facts }: ListedModel): object {
  const { maxInputTokens, maxOutputTokens } = facts.limits;
  return {
    name: `models/${id}`,
    displayName: id,
    ...(maxInputTokens !== undefined && { inputTokenLimit: maxInputTokens }),
    ...(maxOutputTokens !== undefined && { outputTokenLimit: maxOutputTokens }),
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
    thinking: facts.capabilities.includes('reasoning'),
  };
}
