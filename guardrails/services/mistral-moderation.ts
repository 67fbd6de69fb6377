// Mistral's moderation of raw texts. Source: docs.mistral.ai/api (`POST /v1/moderations`), types
// `ClassificationRequest` and `ModerationResponse` of the package @mistralai/mistralai: categories and category_scores
// for each input.
import { isObject } from '../../common/json.ts';
import { NoResponseError, type ServiceAdapter } from './adapter.ts';
import { booleanOf, labelOf, listOf, numberOf, objectOf } from './read.ts';

const inputsMax = 32;

export const mistralModeration: ServiceAdapter = {
  source: 'https://docs.mistral.ai/api/#tag/classifiers',
  url: 'https://api.mistral.ai',
  options: { model: { form: /^[a-z0-9][a-z0-9.-]{0,63}$/, about: 'default mistral-moderation-latest' } },
  authentication: 'header',
  authenticate: () => ({ kind: 'header', name: 'authorization', prefix: 'Bearer ' }),
  redacts: false,
  textMax: 16_000,
  scores: true,
  ask: ({ texts }, { options, scoreMin }) =>
    Array.from({ length: Math.ceil(texts.length / inputsMax) }, (_, batch) => {
      const from = batch * inputsMax;
      const input = texts.slice(from, from + inputsMax);
      return {
        texts: input.map((_text, index) => from + index),
        path: '/v1/moderations',
        body: { model: options.model ?? 'mistral-moderation-latest', input },
        read: (response) => {
          const results = listOf(objectOf(response, 'the response').results, 'results');
          if (results.length !== input.length) throw new NoResponseError('it has another number of results');
          return results.map((result) => ({ found: foundIn(result, scoreMin) }));
        },
      };
    }),
};

function foundIn(result: unknown, scoreMin: number | undefined) {
  const { categories, category_scores: scores } = objectOf(result, 'a result');
  const reported = scoreMin === undefined ? categories : scores;
  if (!isObject(reported) || Object.keys(reported).length === 0)
    throw new NoResponseError('a result has no categories');
  return Object.entries(reported).flatMap(([category, value]) => {
    const counts = scoreMin === undefined ? booleanOf(value, category) : numberOf(value, category) >= scoreMin;
    return counts ? [{ label: labelOf(category) }] : [];
  });
}
