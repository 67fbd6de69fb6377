// A completion in the vendor's two forms: one GenerateContentResponse, or a stream of several that together make one.
import type { Behaviour } from '../behaviour.ts';
import type { Json } from '../checks.ts';
import { estimateTokens } from '../tokens.ts';
import type { Completion } from './completion.ts';
import type { GenerateRequest } from './request.ts';
import { issueSignature } from './signature.ts';
import { citationMetadata, foundBySearch, groundingMetadata } from './sources.ts';
import { declarationsOf } from './tools.ts';
import { usageOf } from './usage.ts';

/** The parts from which a response is made. */
export interface Made {
  readonly request: GenerateRequest;
  readonly completion: Completion;
  readonly behaviour: Behaviour;
  /** The number of the response, which makes ids and signatures differ. */
  readonly sequence: number;
}

export function wholeResponse(made: Made): Json {
  const { request, completion, behaviour } = made;
  const text = completion.deltas.join('');
  const calls = callParts(made);
  const signature = textSignature(made);
  const parts = [
    ...thoughtParts(completion),
    ...(text === '' ? [] : [{ text, ...(signature && { thoughtSignature: signature }) }]),
    ...calls,
  ];
  const { candidateCount = 1 } = request.config;
  const candidates = Array.from({ length: candidateCount }, (_, index) => ({
    ...contentOf(completion, parts),
    finishReason: completion.finishReason,
    index,
    ...lastFields(made),
    ...probabilitiesOf(request, completion.deltas),
  }));
  const usage = usageOf(request, completion.tokens, { wished: behaviour.usage, isLast: true });
  return { candidates, ...(usage && { usageMetadata: usage }), ...identity(made) };
}

/** The responses of a stream: each has the new parts and the usage so far. */
export function* partialResponses(made: Made): Generator<Json> {
  const { request, completion, behaviour } = made;
  const steps = [...stepsOf(made)];
  for (const [at, { parts, textTokens }] of steps.entries()) {
    const isLast = at === steps.length - 1;
    const texts = parts.flatMap((part) => (typeof part.text === 'string' && !part.thought ? part.text : []));
    const spent = isLast ? completion.tokens : { ...completion.tokens, textTokens };
    const usage = usageOf(request, spent, { wished: behaviour.usage, isLast });
    const candidate = {
      ...contentOf(completion, parts),
      ...(isLast && { finishReason: completion.finishReason }),
      index: 0,
      ...(isLast && lastFields(made)),
      ...probabilitiesOf(request, texts),
    };
    yield { candidates: [candidate], ...(usage && { usageMetadata: usage }), ...identity(made) };
  }
}

/** The vendor's response when its filter blocks the prompt. */
export function blockedResponse(reason: string, { request, behaviour, sequence }: Omit<Made, 'completion'>): Json {
  const safetyRatings = [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true }];
  const spent = { thoughts: 0, textTokens: 0, toolUse: 0 };
  const usage = usageOf(request, spent, { wished: behaviour.usage, isLast: true });
  return {
    promptFeedback: { blockReason: reason, safetyRatings },
    ...(usage && { usageMetadata: usage }),
    ...identity({ request, sequence }),
  };
}

interface Step {
  readonly parts: readonly Json[];
  /** Tokens of text and calls up to this step. */
  readonly textTokens: number;
}

function* stepsOf(made: Made): Generator<Step> {
  const { completion } = made;
  const thought = thoughtParts(completion);
  if (thought.length > 0) yield { parts: thought, textTokens: 0 };
  let text = '';
  for (const delta of completion.deltas) {
    text += delta;
    yield { parts: [{ text: delta }], textTokens: estimateTokens(text) };
  }
  for (const call of callParts(made)) yield { parts: [call], textTokens: completion.tokens.textTokens };
  // A signed text ends with a part that has only the signature. Without text and calls, the last step has only the
  // finish reason.
  const signature = textSignature(made);
  const last = signature === undefined ? [] : [{ text: '', thoughtSignature: signature }];
  if (last.length > 0 || (text === '' && completion.calls.length === 0)) {
    yield { parts: last, textTokens: completion.tokens.textTokens };
  }
}

function contentOf({ withheld }: Completion, parts: readonly Json[]): Json {
  if (withheld && parts.length === 0) return {};
  return { content: { role: 'model', ...(parts.length > 0 && { parts }) } };
}

function thoughtParts({ thought }: Completion): readonly Json[] {
  return thought === '' ? [] : [{ text: thought, thought: true }];
}

/** Of several calls in one response, only the first is signed. */
function callParts({ request, completion, sequence }: Made): readonly Json[] {
  const { signs } = request.model;
  const isSigned = signs || (completion.tokens.thoughts > 0 && declarationsOf(request.body).length > 0);
  return completion.calls.map(({ name, args }, index) => ({
    functionCall: { ...(signs && { id: `fc-${sequence}-${index + 1}` }), name, args },
    ...(isSigned && index === 0 && { thoughtSignature: issueSignature(sequence, name) }),
  }));
}

/** Undefined if a call has the signature, or the model does not sign. */
function textSignature({ request, completion, sequence }: Made): string | undefined {
  const { deltas, calls } = completion;
  const signed = request.model.signs && deltas.length > 0 && calls.length === 0;
  return signed ? issueSignature(sequence, undefined) : undefined;
}

/** The fields that come with the finish reason. */
function lastFields({ request, completion, behaviour }: Made): Json {
  return { ...safetyRatings(request, completion), ...sourcesOf(request, completion, behaviour) };
}

function sourcesOf({ body }: GenerateRequest, { deltas }: Completion, behaviour: Behaviour): Json {
  const searched = body.tools?.some((tool) => tool.googleSearch !== undefined) ?? false;
  const citations = behaviour.citations ?? (searched ? foundBySearch : []);
  const text = deltas.join('');
  if (citations.length === 0 || text === '') return {};
  return searched
    ? { groundingMetadata: groundingMetadata(text, citations) }
    : { citationMetadata: citationMetadata(text, citations) };
}

/** Rates the categories that the request sets. A filter that ended the response is visible in its rating. */
function safetyRatings({ body }: GenerateRequest, { finishReason }: Completion): Json {
  const categories = body.safetySettings?.map((one) => one.category) ?? [];
  if (finishReason === 'SAFETY') {
    const [category = 'HARM_CATEGORY_DANGEROUS_CONTENT'] = categories;
    return { safetyRatings: [{ category, probability: 'HIGH', blocked: true }] };
  }
  const ratings = categories.map((category) => ({ category, probability: 'NEGLIGIBLE' }));
  return ratings.length > 0 ? { safetyRatings: ratings } : {};
}

function probabilitiesOf({ config }: GenerateRequest, tokens: readonly string[]): Json {
  if (config.responseLogprobs !== true || tokens.length === 0) return {};
  const entries = tokens.map((token) => ({ token, tokenId: estimateTokens(token), logProbability: -0.01 }));
  const topCandidates = entries.map((entry) => ({
    candidates: Array.from({ length: config.logprobs ?? 1 }, () => entry),
  }));
  return { avgLogprobs: -0.01, logprobsResult: { topCandidates, chosenCandidates: entries } };
}

function identity({ request, sequence }: Pick<Made, 'request' | 'sequence'>): Json {
  return { modelVersion: request.model.modelVersion, responseId: `simulated-${sequence}` };
}
