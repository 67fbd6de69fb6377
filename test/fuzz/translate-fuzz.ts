// Sends random requests through every translator to the strict simulated vendor and back. The vendor never refuses a
// translated request, the translator refuses the others with documented errors, and a response contains the same whole
// and streamed.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../common/json.ts';
import { GatewayError } from '../../proxy/errors.ts';
import type { UpstreamRequest } from '../../proxy/providers/credentials/credential.ts';
import type { ProviderCall } from '../../proxy/providers/provider.ts';
import { buildRequest } from '../../proxy/providers/provider.ts';
import type { Behaviour } from '../../simulator/behaviour.ts';
import type { SimulatedResponse } from '../../simulator/wire-format.ts';
import { Random } from '../support/access/random.ts';
import { checkSense, type ParsedCompletion, readCompletion, readStream } from '../support/completions.ts';
import { askVendor, callOf, partsOf } from '../support/vendor-calls.ts';
import { randomRequest } from './chat-requests.ts';
import { type FuzzModel, fuzzModels } from './models.ts';
import { randomBehaviour } from './vendor-behaviours.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly cases: number;
}

/** @returns how often each outcome was seen @throws Error that names the first case which breaks an invariant */
export async function fuzzTranslators({ seed, cases }: FuzzOptions): Promise<ReadonlyMap<string, number>> {
  const outcomes = new Map<string, number>();
  for (let number = seed; number < seed + cases; number++) {
    const outcome = await runCase(number);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  return outcomes;
}

async function runCase(number: number): Promise<string> {
  const random = new Random(number * 7919);
  const model = random.pick(fuzzModels);
  const body = randomRequest(random, model.abilities);
  const behaviour = randomBehaviour(random, model.vendor, body);
  const pieces = 1 + random.below(40);
  try {
    return `${model.vendor} ${await translate(model, { body, behaviour, pieces })}`;
  } catch (error) {
    const shown = JSON.stringify({ model: model.model, body, behaviour }, undefined, 1);
    throw new Error(`case ${number}, ${model.vendor}: ${String(error)}\n${shown}`, { cause: error });
  }
}

interface Case {
  readonly body: JsonObject;
  readonly behaviour: Behaviour | undefined;
  /** The size of each piece of a stream, in bytes. */
  readonly pieces: number;
}

async function translate(model: FuzzModel, { body, behaviour, pieces }: Case): Promise<string> {
  const whole = await ask(model, body, behaviour);
  if (model.toolsOnlyWhole === true && (body.tools !== undefined || callsIn(body))) return outcomeOf(whole);
  const streamed = await ask(model, { ...body, stream: true, stream_options: { include_usage: true } }, behaviour);
  const reportedStreamed = 'refused' in streamed ? undefined : readStreamed(streamed, pieces);
  if ('refused' in whole) {
    if ('refused' in streamed) return whole.refused;
    throw new Error(`refused whole (${whole.refused}) and not as a stream`);
  }
  const parsed = readWhole(whole);
  checkSense(parsed);
  // Some vendors do not stream several choices.
  if (reportedStreamed === undefined) return `${outcomeOf(whole)}, no stream`;
  if (!isDeepStrictEqual(parsed, reportedStreamed)) {
    throw new Error(`whole and streamed differ: ${JSON.stringify([parsed, reportedStreamed])}`);
  }
  return outcomeOf(whole);
}

function callsIn(body: JsonObject): boolean {
  return JSON.stringify(body.messages).includes('"tool_calls":[{');
}

interface Requested {
  readonly call: ProviderCall;
  readonly response: SimulatedResponse;
}

interface Refused {
  readonly refused: string;
}

async function ask(
  { vendor, model, dialect }: FuzzModel,
  body: JsonObject,
  behaviour: Behaviour | undefined,
): Promise<Requested | Refused> {
  const call = callOf(vendor, model, body, dialect);
  let request: UpstreamRequest;
  try {
    request = await buildRequest(call);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status !== 400 || error.message === '') throw error;
    return { refused: `${error.code} ${error.param?.replaceAll(/\d+/g, '#')}` };
  }
  const response = askVendor(vendor, request, { behaviour });
  if (response.status === 200) return { call, response };
  throw new Error(
    `the vendor refused: ${response.status} ${Buffer.concat(partsOf(response)).toString()}\n${request.body}`,
  );
}

function outcomeOf(request: Requested | Refused): string {
  return 'refused' in request ? request.refused : 'completed';
}

function readWhole({ call, response }: Requested): ParsedCompletion {
  const body = Buffer.concat(partsOf(response));
  const read = call.target.provider.format.readResponse(call, { head: response.headers, body });
  const parsed = readCompletion(JSON.parse(read.body.toString()));
  const { usage } = read;
  // When the vendor reports no usage, the caller receives zeros and the gateway records it as unknown.
  if (usage !== undefined && usage.promptTokens !== parsed.usage?.prompt_tokens) {
    throw new Error(`read ${JSON.stringify(usage)} and returned ${JSON.stringify(parsed.usage)}`);
  }
  return parsed;
}

function readStreamed({ call, response }: Requested, pieces: number): ParsedCompletion {
  const reader = call.target.provider.format.openStream(call, response.headers, {
    eventBytesMax: 1024 * 1024,
  });
  const bytes = Buffer.concat(partsOf(response));
  const parsed: Buffer[] = [];
  for (let at = 0; at < bytes.length && !reader.complete; at += pieces) {
    parsed.push(reader.push(bytes.subarray(at, at + pieces)));
  }
  if (!reader.complete) parsed.push(reader.end());
  if (reader.failure !== undefined) throw new Error(`the stream failed: ${reader.failure.message}`);
  if (!reader.complete) throw new Error('the stream is not complete');
  return readStream(Buffer.concat(parsed).toString());
}
