// Lakera Guard. Source: docs.lakera.ai/api-reference, `POST /v2/guard`. Request: messages, project_id, payload and
// breakdown; response: flagged, breakdown (detector_type, detected) and payload (start, end, text, detector_type). It
// screens only the last message, so each text is a request of its own. The policy belongs to the project.
import type { JsonObject } from '../../common/json.ts';
import { NoResponseError, type ServiceAdapter, type ServiceFinding, type Span } from './adapter.ts';
import { booleanOf, codePointOffsets, labelOf, numberOf, objectOf, objectsIn, stringOf } from './read.ts';

export const lakera: ServiceAdapter = {
  source: 'https://docs.lakera.ai/api-reference/lakera-api/guard/screen-content',
  url: 'https://api.lakera.ai',
  options: {
    project: {
      form: /^[A-Za-z0-9_-]{1,64}$/,
      about: 'the project whose policy applies; default that of the account',
    },
  },
  authentication: 'header',
  authenticate: () => ({ kind: 'header', name: 'authorization', prefix: 'Bearer ' }),
  redacts: true,
  textMax: 40_000,
  scores: false,
  ask: ({ stage, texts }, { options }) =>
    texts.map((text, index) => ({
      texts: [index],
      path: '/v2/guard',
      body: {
        messages: [{ role: stage === 'input' ? 'user' : 'assistant', content: text }],
        breakdown: true,
        payload: true,
        ...(options.project !== undefined && { project_id: options.project }),
      },
      read: (response) => {
        const { flagged, breakdown, payload } = objectOf(response, 'the response');
        const placed = positionsIn(text, payload);
        const detected = objectsIn(breakdown, 'breakdown').flatMap((item): ServiceFinding[] =>
          booleanOf(item.detected, 'detected')
            ? [{ label: labelOf(stringOf(item.detector_type, 'detector_type')) }]
            : [],
        );
        if (!booleanOf(flagged, 'flagged')) return [{ found: [] }];
        const labels = new Set(placed.map(({ label }) => label));
        // A detector that reports locations counts only through those.
        const found = [...placed, ...detected.filter(({ label }) => !labels.has(label))];
        return [{ found: found.length > 0 ? found : [{ label: 'OTHER' }] }];
      },
    })),
};

function positionsIn(text: string, payload: unknown): readonly ServiceFinding[] {
  const codePoints = codePointOffsets(text);
  return objectsIn(payload, 'payload').map((item) => {
    const label = labelOf(stringOf(item.detector_type, 'detector_type'));
    return { label, span: spanIn(text, item, codePoints) };
  });
}

type UnitsAt = (position: number) => number | undefined;

/**
 * The service repeats the matched text. That shows in which units it counts, and whether its positions refer to this
 * text at all.
 */
function spanIn(text: string, { start, end, text: meant }: JsonObject, codePoints: UnitsAt): Span {
  const units: UnitsAt = (at) => (at <= text.length ? at : undefined);
  for (const unitsAt of [codePoints, units]) {
    const [from, to] = [unitsAt(numberOf(start, 'a start')), unitsAt(numberOf(end, 'an end'))];
    if (from === undefined || to === undefined || to <= from) continue;
    if (meant === undefined || meant === text.slice(from, to)) return { start: from, end: to };
  }
  throw new NoResponseError('a span does not contain the text that was reported for it');
}
