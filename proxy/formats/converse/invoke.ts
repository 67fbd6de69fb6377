// InvokeModel as clients use it: a body of the Messages API, with the model and the stream in the path. A stream has the
// events of that API in frames (SDK types `InvokeModelRequest`, `ResponseStream`; the vendor's page "Anthropic Claude
// Messages API").

import { eventData } from '../../../common/event-stream.ts';
import type { JsonObject } from '../../../common/json.ts';
import { invokeRequestLocations } from '../../../guardrails/inspection/converse-schema.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { Finish, ResponseIdentity, ResponseMessage, ThinkingBlock } from '../../conversation/response.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { ClientTranslation, PathFields, ReadClientRequest } from '../client-format.ts';
import { refusedField } from '../client-losses.ts';
import type { StreamWriter } from '../format.ts';
import { SseSplitter } from '../sse.ts';
import { eventFrame } from './frames.ts';
import { dearOptions, isInvokeOption, optionsIn } from './invoke-options.ts';
import { streamType } from './write-request.ts';

/** @param messages the Messages API as its own clients use it */
export function invokeClients(messages: ClientTranslation): ClientTranslation {
  return {
    ...messages,
    name: 'invoke',
    streamType,
    anyMediaType: true,
    requestLocations: invokeRequestLocations,
    forwardsHeader: isInvokeOption,
    readRequest: (body, path, headers = []) => readInvokeRequest(body, { path, headers }, messages),
    dearFields: (body, headers = []) => [...messages.dearFields(body), ...dearOptions(headers)],
    fieldOf: (field) => (field === 'model' ? 'modelId' : messages.fieldOf(field)),
    responseHeaders: tokenCounts,
    openWriter: (request, elapsedMs) => new InvokeWriter(messages.openWriter(request, elapsedMs)),
  };
}

interface Beside {
  readonly path: PathFields;
  readonly headers: readonly string[];
}

function readInvokeRequest(
  body: JsonObject,
  { path, headers }: Beside,
  messages: ClientTranslation,
): ReadClientRequest {
  const { anthropic_version: version, anthropic_beta: betas, ...message } = body;
  // Bodies of other models have no such field.
  if (typeof version !== 'string') {
    throw invalid(
      'anthropic_version',
      'the body must be one of the Messages API, with anthropic_version; use Converse',
    );
  }
  const read = messages.readRequest({ ...message, stream: path.stream === true }, path);
  const { ofAccount: refused, others } = optionsIn(headers);
  const dropped = [...read.losses.dropped, ...(isGiven(betas) ? ['anthropic_beta'] : []), ...others];
  const [refusal = read.losses.refusal] = refused.map((name) =>
    refusedField(name, `${name} is only supported where the body reaches its vendor as it is`),
  );
  return { ...read, losses: { dropped, refusal } };
}

/** Frameworks read the counts of a whole response there, whichever model it is of. */
function tokenCounts({ usage }: ResponseMessage): readonly string[] {
  const { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const input = Math.max(promptTokens - cacheReadTokens - cacheWriteTokens, 0);
  return [
    ...['x-amzn-bedrock-input-token-count', String(input)],
    ...['x-amzn-bedrock-output-token-count', String(completionTokens)],
  ];
}

/** Puts each event of the Messages API into a frame. */
class InvokeWriter implements StreamWriter {
  readonly #events: StreamWriter;
  readonly #splitter = new SseSplitter(Number.POSITIVE_INFINITY);

  constructor(events: StreamWriter) {
    this.#events = events;
  }

  get started(): boolean {
    return this.#events.started;
  }

  get calls(): number {
    return this.#events.calls;
  }

  get textTokens(): number {
    return this.#events.textTokens;
  }

  start(identity: ResponseIdentity): void {
    this.#events.start(identity);
  }

  content(text: string): void {
    this.#events.content(text);
  }

  reasoning(text: string): void {
    this.#events.reasoning(text);
  }

  thought(block: ThinkingBlock): void {
    this.#events.thought?.(block);
  }

  call(id: string, name: string, args?: string): number {
    return this.#events.call(id, name, args);
  }

  callArguments(index: number, args: string): void {
    this.#events.callArguments(index, args);
  }

  extra(fields: JsonObject): void {
    this.#events.extra(fields);
  }

  logprobs(logprobs: JsonObject): void {
    this.#events.logprobs(logprobs);
  }

  finish(finish: Finish): void {
    this.#events.finish(finish);
  }

  end(usage: Usage): void {
    this.#events.end(usage);
  }

  take(): Buffer {
    return Buffer.concat(
      this.#splitter.push(this.#events.take()).map((event) => {
        const bytes = Buffer.from(eventData(event) ?? '').toString('base64');
        return eventFrame('chunk', JSON.stringify({ bytes }));
      }),
    );
  }
}
