// Lakera Guard. Source: docs.lakera.ai/api-reference, `POST /v2/guard`: messages, project_id, payload and breakdown in; flagged,
// breakdown (detector_type, detected) and payload (start, end, text, detector_type) out. It screens the last message of a question, so
// each text is one. Its policy is the project's.
import { NoAnswerError, type ServiceAdapter, type ServiceFinding, type Span } from './adapter.ts';
import { booleanOf, codePointOffsets, labelOf, objectOf, objectsIn, spanOf, stringOf } from './read.ts';

export const lakera: ServiceAdapter = {
  source: 'https://docs.lakera.ai/api-reference/lakera-api/guard/screen-content',
  url: 'https://api.lakera.ai',
  options: {
    project: { form: /^[A-Za-z0-9_-]{1,64}$/, about: 'whose policy holds; default that of the account' },
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
      read: (answer) => {
        const { flagged, breakdown, payload } = objectOf(answer, 'the answer');
        const placed = placesIn(text, payload);
        const detected = objectsIn(breakdown, 'breakdown').flatMap((item): ServiceFinding[] =>
          booleanOf(item.detected, 'detected')
            ? [{ label: labelOf(stringOf(item.detector_type, 'detector_type')) }]
            : [],
        );
        if (!booleanOf(flagged, 'flagged')) return [{ found: [] }];
        const labels = new Set(placed.map(({ label }) => label));
        // A detector that says where is told by its places.
        const found = [...placed, ...detected.filter(({ label }) => !labels.has(label))];
        return [{ found: found.length > 0 ? found : [{ label: 'OTHER' }] }];
      },
    })),
};

function placesIn(text: string, payload: unknown): readonly ServiceFinding[] {
  const unitsAt = codePointOffsets(text);
  return objectsIn(payload, 'payload').map((item) => {
    const span = spanOf(item.start, item.end, unitsAt);
    const label = labelOf(stringOf(item.detector_type, 'detector_type'));
    return { label, span: checked(text, span, item) };
  });
}

/** The service repeats what it means: where that stands elsewhere, its places are not ours. */
function checked(
  text: string,
  span: Span,
  item: { readonly text?: unknown; readonly start?: unknown; readonly end?: unknown },
): Span {
  if (item.text === undefined || item.text === text.slice(span.start, span.end)) return span;
  // Counted in UTF-16 units.
  const units = spanOf(item.start, item.end, (at) => (at <= text.length ? at : undefined));
  if (item.text === text.slice(units.start, units.end)) return units;
  throw new NoAnswerError('a place holds another text than was told');
}
