// Parts of the common API that a model may not accept. All models have the same API; a request for a missing capability
// is refused.
import { isObject, type Json } from '../checks.ts';
import { invalid, malformedForModel, modelRefuses, Refusal, unsupportedField } from './refusal.ts';
import { allBlocksOf, blocksOf, type ConverseRequest, inferenceOf, systemOf, toolsOf } from './request.ts';

export function systemIsTaken(request: ConverseRequest): void {
  if (request.model.system || systemOf(request).length === 0) return;
  throw invalid(
    "This model doesn't support system messages. Try again without a system message or use a model that supports system messages.",
  );
}

export function toolsAreTaken({ body, model, stream }: ConverseRequest): void {
  if (body.toolConfig === undefined) return;
  if (model.tools === 'none') throw invalid("This model doesn't support tool use.");
  if (model.tools === 'whole' && stream) {
    throw invalid("This model doesn't support tool use in streaming mode.");
  }
}

const media: ReadonlySet<string> = new Set(['image', 'document', 'video', 'audio', 'searchResult']);

export function mediaAreTaken(request: ConverseRequest): void {
  const { model } = request;
  for (const { kind, value, path } of allBlocksOf(request)) {
    if (kind === 'citationsContent' && !model.media.includes('document')) throw unsupportedField(kind);
    if (!media.has(kind)) continue;
    const inResult = path.includes('.toolResult.');
    const taken = model.media.some((medium) => medium === kind) && (!inResult || model.mediaInResults);
    if (!taken) {
      throw invalid(`This model doesn't support the ${kind} field for user messages.`);
    }
    const { source } = value as Json;
    if (isObject(source) && source.s3Location !== undefined && !model.s3) {
      throw unsupportedField(`${kind}.source.s3Location`);
    }
  }
}

export function samplingFits(request: ConverseRequest): void {
  const { body, model } = request;
  const { temperature, topP } = inferenceOf(request);
  if (model.sampling === 'none' && temperature !== undefined) throw unsampled(request, 'temperature');
  if (model.sampling === 'none' && topP !== undefined) throw unsampled(request, 'topP');
  if (model.sampling === 'one' && temperature !== undefined && topP !== undefined) {
    throw modelRefuses('`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
  }
  const { latency } = (body.performanceConfig ?? {}) as Json;
  if (latency === 'optimized' && model.name !== 'amazon.nova-pro-v1:0') {
    throw invalid(`Latency performance configuration is not supported for ${model.name}.`);
  }
}

function unsampled({ model }: ConverseRequest, field: 'temperature' | 'topP') {
  if (model.family !== 'claude') return unsupportedField(field);
  return modelRefuses(`\`${field === 'topP' ? 'top_p' : field}\` is deprecated for this model.`);
}

export function stopsFit(request: ConverseRequest): void {
  const { stopSequences } = inferenceOf(request);
  const { family, stopSequencesMax } = request.model;
  if (stopSequences === undefined) return;
  if (stopSequencesMax === 0) throw unsupportedField('stopSequences');
  if (stopSequences.length > stopSequencesMax) {
    throw malformedForModel(
      `#/inferenceConfig/stopSequences: expected maximum item count: ${stopSequencesMax}, found: ${stopSequences.length}`,
    );
  }
  if (family === 'claude' && stopSequences.some((stop) => stop.trim() === '')) {
    throw modelRefuses('stop_sequences: each stop sequence must contain non-whitespace');
  }
}

const cachePointsMax = 4;

export function cachePointsFit(request: ConverseRequest): void {
  const { caching, family } = request.model;
  const inTools = pointsIn(toolsOf(request));
  const inMessages = request.messages.map(({ content }) => pointsIn(content));
  const points = [...inTools, ...pointsIn(systemOf(request)), ...inMessages.flat()];
  if (points.length === 0) return;
  if (caching.length === 0 || (family === 'nova' && inTools.length > 0)) {
    const message =
      'You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.';
    throw new Refusal(403, { type: 'AccessDeniedException', message });
  }
  if (points.length > cachePointsMax) {
    throw modelRefuses(`A maximum of 4 blocks with cache_control may be provided. Found ${points.length}.`);
  }
  const ttl = points.map((point) => String(point.ttl ?? '5m')).find((wanted) => !caching.includes(wanted));
  if (ttl !== undefined) throw unsupportedField('cachePoint.ttl');
  // A cache point marks the block before it, so it cannot be the first. The text is the simulator's own.
  for (const { kind, path } of blocksOf(request)) {
    if (kind === 'cachePoint' && path.endsWith('.content.0')) {
      throw invalid(`The cachePoint block at ${path} must follow the content block that it marks.`);
    }
  }
}

function pointsIn(blocks: readonly Json[]): readonly Json[] {
  return blocks.flatMap(({ cachePoint }) => (isObject(cachePoint) ? [cachePoint] : []));
}

/** The simulated account has the guardrails whose id begins with `sim`. */
export function guardrailFits({ body }: ConverseRequest): void {
  const { guardrailConfig } = body;
  if (!isObject(guardrailConfig)) return;
  const { guardrailIdentifier: id = '', guardrailVersion: version = '' } = guardrailConfig;
  if (id === '' || version === '') {
    throw invalid('The guardrailIdentifier and guardrailVersion fields must be set together.');
  }
  if (/^(.*guardrail\/)?sim/.test(String(id))) return;
  throw invalid('The guardrail identifier or version provided in the request does not exist.');
}
