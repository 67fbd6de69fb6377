// Streams that a vendor cuts, in process: a call to a route with two targets, whose first vendor sends a part of a
// recorded stream, and whose second one is the simulator, which reads the request that it gets.
import type { CalledRoute, ChatCall } from '../../proxy/call.ts';
import { findModel } from '../../proxy/catalog/models.ts';
import { clientFormats } from '../../proxy/client-formats.ts';
import { inClientFormat } from '../../proxy/http/client-response.ts';
import { errorResponse } from '../../proxy/http/respond.ts';
import { LoopScheduler } from '../../proxy/loop-scheduler.ts';
import type { ProviderCall } from '../../proxy/providers/provider.ts';
import { createDispatch, type DispatchContext } from '../../proxy/routing/dispatch.ts';
import type { Recovered, RecoveryContext } from '../../proxy/routing/recovering-stream.ts';
import type { Received, StreamResult } from '../../proxy/upstream/attempt-result.ts';
import {
  type OutgoingRequest,
  type Transport,
  TransportError,
  type UpstreamReceiver,
} from '../../proxy/upstream/transport.ts';
import type { Behaviour } from '../../simulator/behaviour.ts';
import type { VendorName } from '../../simulator/vendors.ts';
import { freely } from './chains.ts';
import { chatCallOf } from './charged-calls.ts';
import type { ClientKind } from './client-streams.ts';
import { someOwner } from './transports.ts';
import { askVendor, clientCallOf, partsOf } from './vendor-calls.ts';

/** A response of a vendor, and how its connection ends. */
export interface Play {
  readonly status?: number;
  readonly head?: Readonly<Record<string, string>>;
  readonly pieces: readonly Buffer[];
  /** `kept`: nothing more comes. */
  readonly ends: 'end' | 'reset' | 'kept';
}

export interface Model {
  readonly vendor: VendorName;
  readonly model: string;
}

/** The bodies of a plain request, which offers a tool, in the format of each client. */
const schema = { type: 'object', properties: { city: { type: 'string' } } };
const bodies = {
  chat_completions: {
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [{ type: 'function', function: { name: 'weather', parameters: schema } }],
    ...{ stream: true, stream_options: { include_usage: true }, max_completion_tokens: 4000 },
  },
  messages: {
    ...{ max_tokens: 4000, stream: true, messages: [{ role: 'user', content: 'Hello' }] },
    tools: [{ name: 'weather', input_schema: schema }],
  },
  responses: {
    ...{ input: 'Hello', stream: true, store: false },
    tools: [{ type: 'function', name: 'weather', parameters: schema, strict: false }],
  },
  generate_content: {
    contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: schema }] }],
    generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
  },
  converse: {
    messages: [{ role: 'user', content: [{ text: 'Hello' }] }],
    toolConfig: { tools: [{ toolSpec: { name: 'weather', inputSchema: { json: schema } } }] },
  },
  invoke: {
    ...{ anthropic_version: 'bedrock-2023-05-31', max_tokens: 4000 },
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [{ name: 'weather', input_schema: schema }],
  },
} as const;

/** The attempts of the call: all at the first model, then all at the others. */
export function routedCallOf(
  kind: Pick<ClientKind, 'format' | 'framing'>,
  models: readonly Model[],
  recovery: CalledRoute['recovery'],
  fields: object = {},
): ChatCall {
  const body = { ...bodies[kind.format], ...fields };
  const { translation } = clientFormats[kind.format];
  const sent = { format: clientFormats[kind.format], body, stream: true };
  const headers = kind.format === 'messages' ? ['anthropic-version', '2023-06-01'] : [];
  const [first, ...others] = models.map(({ vendor, model }) => {
    const call = clientCallOf(vendor, model, { ...sent, headers });
    return { ...targetOf(vendor, call), request: framed(call, kind.framing) };
  });
  if (first === undefined) throw new Error('a route has a target');
  const route = { name: 'fast', onContext: false, onFilter: false, onBudget: false, ...(recovery && { recovery }) };
  const { caller } = chatCallOf('gpt-provider', 'gpt-4o-mini', {});
  const isNamed = translation?.name === kind.format || translation === undefined;
  if (!isNamed) throw new Error('the client has another format');
  return { ...first, requestId: 'r', caller, route, alternatives: others };
}

function framed({ request }: ProviderCall, framing: ClientKind['framing']): ProviderCall['request'] {
  const { client } = request;
  if (framing === undefined || client === undefined) return request;
  return { ...request, client: { ...client, path: { ...client.path, framing } } };
}

function targetOf(vendor: VendorName, { target, model, capabilities }: ProviderCall) {
  const qualifiedModel = `${vendor}/${model}`;
  const catalogModel = findModel(vendor, model);
  return { provider: target.provider, model, qualifiedModel, catalogModel, capabilities, targets: [target] };
}

/** The simulator's response to the request, whole: what it refuses is an error, as from the vendor. */
export function simulated(vendor: VendorName, request: OutgoingRequest, behaviour: Behaviour): Play {
  const body = typeof request.body === 'string' ? request.body : '';
  const response = askVendor(vendor, { ...request, body } as Parameters<typeof askVendor>[1], { behaviour });
  return { status: response.status, head: response.headers, pieces: partsOf(response), ends: 'end' };
}

export interface Played {
  /** As they were written for the client. */
  readonly pieces: readonly Buffer[];
  readonly error: unknown;
  readonly recovered: readonly Recovered[];
  readonly requests: readonly OutgoingRequest[];
  /** The attempts that were charged before another one. */
  readonly charged: readonly Received[];
  readonly attempts: readonly Received[];
}

export interface Playing {
  readonly hasMoney?: boolean;
  readonly beforeFlow?: (stream: StreamResult, recovery: RecoveryContext) => void;
  /** Called with each piece for the client. */
  readonly onPiece?: (bytes: Buffer, stream: StreamResult) => void;
}

/** @param play the response to each attempt, from 0 */
export async function played(
  call: ChatCall,
  play: (request: OutgoingRequest, attempt: number) => Play,
  { hasMoney = true, beforeFlow, onPiece }: Playing = {},
): Promise<Played> {
  const requests: OutgoingRequest[] = [];
  const log = { recovered: [] as Recovered[], charged: [] as Received[], attempts: [] as Received[] };
  const dispatch = createDispatch({
    transport: playedTransport((request) => {
      requests.push(request);
      return play(request, requests.length - 1);
    }),
    limits: { responseBytesMax: 1_000_000, eventBytesMax: 1_000_000 },
    now: () => 1_795_176_000_000,
    images: {
      transport: playedTransport(() => ({ pieces: [], ends: 'reset' })),
      limits: { imagesMax: 2, imageBytesMax: 10_000, imageTimeoutMs: 5000 },
      loop: new LoopScheduler({ now: () => performance.now() }),
    },
    chains: freely(),
  });
  const context = contextOf(log);
  const pieces: Buffer[] = [];
  const { client } = call.request;
  const charge = () => {
    const attempt = log.attempts.at(-1);
    if (hasMoney && attempt !== undefined) log.charged.push(attempt);
    return hasMoney;
  };
  let error: unknown;
  try {
    const result = await dispatch(call, context, { charge, move: () => true });
    if (result.kind !== 'stream') throw new Error('a stream was requested');
    const inSlices = () => Promise.reject(new Error('a stream has no slices'));
    const written = await inClientFormat(result, client, { isGuarded: false, elapsedMs: () => 7, inSlices });
    await new Promise<void>((resolve, reject) => {
      if (written.kind !== 'stream') return;
      if (context.recovery !== undefined) beforeFlow?.(written, context.recovery);
      const write = (bytes: Buffer) => {
        pieces.push(bytes);
        onPiece?.(bytes, written);
      };
      written.flowTo({ write, end: resolve, fail: reject });
    });
  } catch (cause) {
    error = cause;
    const shown = { ...errorResponse(cause), requestId: 'r' };
    const format = clientFormats[client?.translation.name ?? 'chat_completions'];
    const soFar = { path: client?.path, first: pieces[0], last: pieces.at(-1) };
    pieces.push(Buffer.from(format.writeStreamError(shown, soFar)));
  }
  return { pieces, error, requests, ...log };
}

function contextOf(log: { recovered: Recovered[]; attempts: Received[] }): DispatchContext {
  let current: { abort(error: Error): void } | undefined;
  const shared = {
    aborted: undefined,
    onAbort: (abortable: { abort(error: Error): void }) => {
      current = abortable;
    },
    buffer: () => undefined,
  };
  const recovery: RecoveryContext = {
    ...shared,
    recovering: undefined,
    responded: () => undefined,
    recovered: (how) => void log.recovered.push(how),
    abortAttempt: (error) => current?.abort(error),
  };
  return {
    ...shared,
    owner: someOwner,
    attemptStarted: (attempt) => void log.attempts.push(attempt),
    attemptFailed: () => undefined,
    progress: () => undefined,
    recovery,
  };
}

/** A transport whose responses arrive in one tick. */
function playedTransport(play: (request: OutgoingRequest) => Play): Transport {
  return {
    send: (request, receiver) => {
      let isOver = false;
      queueMicrotask(() => {
        if (!isOver) arrive(play(request), receiver, () => isOver);
      });
      return {
        begun: true,
        pause: () => undefined,
        resume: () => undefined,
        cancel: () => {
          isOver = true;
        },
      };
    },
    close: () => Promise.resolve(),
  };
}

function arrive(
  { status = 200, head = {}, pieces, ends }: Play,
  receiver: UpstreamReceiver,
  isOver: () => boolean,
): void {
  receiver.onHead(status, head);
  for (const piece of pieces) if (!isOver()) receiver.onData(piece);
  if (isOver() || ends === 'kept') return;
  if (ends === 'end') receiver.onEnd();
  else receiver.onError(new TransportError('closed', new Error('reset')));
}
