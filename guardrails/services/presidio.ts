// Presidio's analyzer over HTTP. Source: the OpenAPI document of microsoft/presidio (docs/api-docs/api-docs.yml), `POST
// /analyze`. Request: text, language, score_threshold, entities; response: a list of entity_type, start, end, score.
// Positions are code points, as in Python.
import { NoResponseError, type ServiceAdapter } from './adapter.ts';
import { codePointOffsets, labelOf, listOf, numberOf, objectOf, spanOf, stringOf } from './read.ts';

export const presidio: ServiceAdapter = {
  source: 'https://github.com/microsoft/presidio/blob/main/docs/api-docs/api-docs.yml',
  url: undefined,
  options: {
    language: { form: /^[a-z]{2}$/, about: 'of the texts, such as de; default en' },
    entities: {
      form: /^[A-Z][A-Z0-9_]*(,[A-Z][A-Z0-9_]*){0,99}$/,
      about: 'types that are looked for, such as PERSON,US_SSN; default all',
    },
  },
  authentication: 'header',
  authenticate: () => ({ kind: 'header', name: 'authorization', prefix: 'Bearer ', isOptional: true }),
  redacts: true,
  textMax: 50_000,
  scores: true,
  ask: ({ texts }, { options, scoreMin }) =>
    texts.map((text, index) => ({
      texts: [index],
      path: '/analyze',
      body: {
        text,
        language: options.language ?? 'en',
        ...(scoreMin !== undefined && { score_threshold: scoreMin }),
        ...(options.entities !== undefined && { entities: options.entities.split(',') }),
      },
      read: (response) => {
        const unitsAt = codePointOffsets(text);
        const found = listOf(response, 'the response').flatMap((item) => {
          const { entity_type, start, end, score } = objectOf(item, 'a result');
          const span = spanOf(start, end, unitsAt);
          const likely = numberOf(score, 'a score');
          if (likely < 0 || likely > 1) throw new NoResponseError('a score is none');
          if (likely < (scoreMin ?? 0)) return [];
          return [{ label: labelOf(stringOf(entity_type, 'a type')), span }];
        });
        return [{ found }];
      },
    })),
};
