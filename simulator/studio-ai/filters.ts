// The additions of the content filter to responses: its results for the prompt and for each choice, and extra frames of
// a stream.
import type { Json } from '../checks.ts';
import { textOf } from '../gpt-provider/messages.ts';
import type { ChatRequest } from '../gpt-provider/request.ts';
import type { Filter } from './deployments.ts';

const safe = { filtered: false, severity: 'safe' };
const clean = { hate: safe, self_harm: safe, sexual: safe, violence: safe };
const blocked = { ...clean, violence: { filtered: true, severity: 'medium' } };
const failed = {
  content_filter_result: {
    error: { code: 'content_filter_error', message: 'The contents are not filtered' },
  },
};

/** The innermost part of the body that refuses a prompt. */
export const blockedPrompt: Json = { ...blocked, jailbreak: { filtered: false, detected: false } };

const promptFilterResults = [
  { prompt_index: 0, content_filter_results: { ...clean, jailbreak: { filtered: false, detected: false } } },
];

export function filteredObject(completion: Json, filter: Filter): Json {
  const choices = (completion.choices as readonly Json[]).map((choice) => ({
    ...choice,
    ...(filter === 'failing' ? failed : { content_filter_results: resultsOf(choice.finish_reason) }),
  }));
  return { ...completion, choices, prompt_filter_results: promptFilterResults };
}

/** Yields first a frame about the prompt, without id, time, model and choices. */
export function* filteredChunks(request: ChatRequest, chunks: Iterable<Json>, filter: Filter): Generator<Json> {
  yield { ...emptyHead, choices: [], prompt_filter_results: promptFilterResults };
  if (filter === 'asynchronous') yield* annotatedLater(request, chunks);
  else for (const chunk of chunks) yield { ...chunk, choices: choicesOf(chunk).map(annotated(filter)) };
}

const emptyHead = { id: '', object: '', created: 0, model: '' };

interface Choice extends Json {
  readonly delta: Json;
}

function choicesOf(chunk: Json): readonly Choice[] {
  return chunk.choices as readonly Choice[];
}

function annotated(filter: Filter): (choice: Choice) => Json {
  return (choice) => {
    const content = choice.delta.content;
    const isReported = (typeof content === 'string' && content !== '') || choice.finish_reason === 'content_filter';
    if (filter === 'failing') return isReported ? { ...choice, ...failed } : choice;
    return { ...choice, content_filter_results: isReported ? resultsOf(choice.finish_reason) : {} };
  };
}

function resultsOf(finishReason: unknown): Json {
  return finishReason === 'content_filter' ? blocked : clean;
}

// The service promises a result within about a thousand characters. The simulator sends it earlier, so that short texts
// get one too.
const annotatedAfterCharacters = 100;

/** Yields the text, after every so many characters a frame about the text since the last, and one more at the end. */
function* annotatedLater(request: ChatRequest, chunks: Iterable<Json>): Generator<Json> {
  const start = request.messages.map(textOf).join('').length;
  let checked = start;
  let end = start;
  for (const chunk of chunks) {
    if (choicesOf(chunk).some((choice) => choice.finish_reason === 'content_filter')) {
      yield annotation(request, { checked, end, finishReason: 'content_filter' });
      return;
    }
    yield chunk;
    const [first] = choicesOf(chunk);
    // All choices have the same text, so the first is measured for all.
    if (first?.index === 0 && typeof first.delta.content === 'string') end += first.delta.content.length;
    if (end - checked < annotatedAfterCharacters) continue;
    yield annotation(request, { checked, end, finishReason: null });
    checked = end;
  }
  yield annotation(request, { checked, end, finishReason: null });
}

interface Span {
  readonly checked: number;
  readonly end: number;
  readonly finishReason: string | null;
}

/** A frame without a delta. If the filter rejects a text afterwards, the stream ends with one. */
function annotation({ body }: ChatRequest, { checked, end, finishReason }: Span): Json {
  const choices = Array.from({ length: Number(body.n ?? 1) }, (_, index) => ({
    index,
    finish_reason: finishReason,
    content_filter_results: resultsOf(finishReason),
    content_filter_offsets: { check_offset: checked, start_offset: checked, end_offset: end },
  }));
  return { ...emptyHead, choices };
}
