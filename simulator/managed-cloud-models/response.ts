// A completion in the vendor's two forms: one object (ConverseResponse), or the frames of a stream
// (ConverseStreamOutput).
import { isObject, type Json } from '../checks.ts';
import type { Block, Completion } from './completion.ts';
import { eventFrame } from './frames.ts';
import type { ConverseRequest } from './request.ts';

export function responseObject(request: ConverseRequest, completion: Completion): Json {
  return {
    metrics: { latencyMs },
    output: { message: { content: completion.blocks.map(wholeBlock), role: 'assistant' } },
    stopReason: completion.stopReason,
    ...(completion.usage && { usage: completion.usage }),
    ...modelFields(request, {
      stop_reason: completion.stopReason,
      stop_sequence: completion.stopSequence ?? null,
    }),
    ...sharedFields(request),
  };
}

/** The frames of a stream, one each. The usage follows the end of the message. */
export function* responseFrames(request: ConverseRequest, completion: Completion): Generator<Buffer> {
  let count = 0;
  for (const [type, payload] of responseEvents(request, completion)) {
    count += 1;
    yield eventFrame(type, JSON.stringify(sorted({ ...payload, p: padding(count) })));
  }
}

// Latency is constant, so that the same request gets the same response.
const latencyMs = 1;

type Event = readonly [type: string, payload: Json];

function* responseEvents(request: ConverseRequest, completion: Completion): Generator<Event> {
  yield ['messageStart', { role: 'assistant' }];
  for (const [contentBlockIndex, block] of completion.blocks.entries()) {
    // Only a call has a start event; text and thinking begin with their first delta.
    if (block.kind === 'call') {
      const start = { toolUse: { name: block.name, toolUseId: block.id } };
      yield ['contentBlockStart', { contentBlockIndex, start }];
    }
    for (const delta of deltasOf(block)) yield ['contentBlockDelta', { contentBlockIndex, delta }];
    yield ['contentBlockStop', { contentBlockIndex }];
  }
  const delta = { stop_reason: completion.stopReason, stop_sequence: completion.stopSequence ?? null };
  yield ['messageStop', { stopReason: completion.stopReason, ...modelFields(request, { delta }) }];
  yield [
    'metadata',
    {
      metrics: { latencyMs },
      ...(completion.usage && { usage: completion.usage }),
      ...sharedFields(request),
    },
  ];
}

function wholeBlock(block: Block): Json {
  switch (block.kind) {
    case 'thought':
      return {
        reasoningContent: {
          reasoningText: {
            ...(block.signature !== undefined && { signature: block.signature }),
            text: block.deltas.join(''),
          },
        },
      };
    case 'redactedThought':
      return { reasoningContent: { redactedContent: block.data } };
    case 'text': {
      const text = block.deltas.join('');
      return block.citations.length === 0
        ? { text }
        : { citationsContent: { citations: block.citations, content: [{ text }] } };
    }
    case 'call':
      return { toolUse: { input: inputObject(block.input), name: block.name, toolUseId: block.id } };
  }
}

/** The scripted arguments; for invalid JSON, the text itself. */
function inputObject(input: string): unknown {
  try {
    return input === '' ? {} : JSON.parse(input);
  } catch {
    return input;
  }
}

function deltasOf(block: Block): readonly Json[] {
  switch (block.kind) {
    case 'thought':
      return [
        ...block.deltas.map((text) => ({ reasoningContent: { text } })),
        ...(block.signature === undefined ? [] : [{ reasoningContent: { signature: block.signature } }]),
      ];
    case 'redactedThought':
      return [{ reasoningContent: { redactedContent: block.data } }];
    case 'text':
      return [...block.deltas.map((text) => ({ text })), ...block.citations.map((citation) => ({ citation }))];
    case 'call':
      return halves(block.input).map((input) => ({ toolUse: { input } }));
  }
}

/** Input comes in several deltas, so that clients must join them. */
function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '');
}

/** The requested fields of the model's own response, by their paths. Missing ones are skipped. */
function modelFields({ body, model }: ConverseRequest, own: Json): Json {
  const paths = body.additionalModelResponseFieldPaths;
  if (!Array.isArray(paths) || model.family !== 'claude') return {};
  let found: Json = {};
  for (const path of paths as readonly string[]) {
    const steps = path.slice(1).split('/');
    const value = steps.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), own);
    if (value === undefined) continue;
    const [first = '', ...rest] = steps;
    const nested = rest.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value);
    found = { ...found, [first]: mergedWith(found[first], nested) };
  }
  return Object.keys(found).length === 0 ? {} : { additionalModelResponseFields: found };
}

function mergedWith(one: unknown, other: unknown): unknown {
  return isObject(one) && isObject(other) ? { ...one, ...other } : other;
}

/** Request fields that the response repeats. */
function sharedFields({ body }: ConverseRequest): Json {
  const { guardrailConfig, performanceConfig, serviceTier } = body;
  const traced = isObject(guardrailConfig) && String(guardrailConfig.trace).startsWith('enabled');
  return {
    ...(performanceConfig !== undefined && { performanceConfig }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(traced && {
      trace: { guardrail: { inputAssessment: { [String(guardrailConfig.guardrailIdentifier)]: {} } } },
    }),
  };
}

/** Padding of varying length, as the vendor sends it to prevent guessing tokens by packet sizes. */
function padding(count: number): string {
  const characters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  return characters.slice(0, ((count * 23) % characters.length) + 1);
}

/** The vendor writes the members of an event in alphabetical order. */
function sorted(payload: Json): Json {
  return Object.fromEntries(Object.entries(payload).sort(([a], [b]) => (a < b ? -1 : 1)));
}
