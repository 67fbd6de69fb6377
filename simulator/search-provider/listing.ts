// The model list as the vendor's Model messages, in pages.
import type { Json } from '../checks.ts';
import { listModels, type SimulatedModel, type Version } from './models.ts';
import { invalidArgument } from './refusal.ts';

/** @throws Refusal */
export function modelPage(query: URLSearchParams, version: Version): Json {
  const models = listModels(version);
  const wanted = query.get('pageSize') ?? query.get('page_size') ?? '50';
  if (!/^\d+$/.test(wanted)) throw invalidArgument(`Invalid value at 'page_size' (TYPE_INT32), "${wanted}"`);
  // 0 means the default; a page has at most 1,000 models.
  const size = Math.min(Number(wanted) || 50, 1_000);
  const start = offsetIn(query.get('pageToken') ?? query.get('page_token') ?? '');
  const next = start + size;
  return {
    models: models.slice(start, next).map(modelObject),
    ...(next < models.length && { nextPageToken: tokenFor(next) }),
  };
}

export function modelObject(model: SimulatedModel): Json {
  const { name, inputTokensMax, outputTokensMax, thinking } = model;
  return {
    name: `models/${name}`,
    baseModelId: name,
    version: '001',
    displayName: name,
    description: 'Simulated: there is no model behind this name.',
    inputTokenLimit: inputTokensMax,
    outputTokenLimit: outputTokensMax,
    supportedGenerationMethods: model.generates ? ['generateContent', 'countTokens'] : ['predict'],
    temperature: 1,
    topP: 0.95,
    topK: 64,
    maxTemperature: 2,
    ...(thinking.by !== 'nothing' && { thinking: true }),
  };
}

function tokenFor(offset: number): string {
  return Buffer.from(`from:${offset}`).toString('base64url');
}

function offsetIn(token: string): number {
  if (token === '') return 0;
  const offset = /^from:(\d+)$/.exec(Buffer.from(token, 'base64url').toString('latin1'))?.[1];
  if (offset === undefined) throw invalidArgument('Invalid page token.');
  return Number(offset);
}
