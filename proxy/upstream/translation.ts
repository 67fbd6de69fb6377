// Translates large calls in workers. If a request or a whole response is too much for one tick of the event loop, a
// worker runs the functions of its provider. Small calls are not translated here.
import { writeJson } from '../../common/exact-json.ts';
import type { ShareOwner } from '../../common/shares.ts';
import { writeJsonInSteps } from '../../common/sliced-json-writer.ts';
import { FetchedImage } from '../conversation/media.ts';
import { GatewayError, overloaded } from '../errors.ts';
import { type ChatRequest, clientBody, largeBytes } from '../formats/chat-completions/read-request.ts';
import type { VendorResponse } from '../formats/format.ts';
import type { LoopScheduler } from '../loop-scheduler.ts';
import type { ProviderCall } from '../providers/provider.ts';
import {
  type BuiltRequest,
  bufferOf,
  errorOf,
  formOf,
  ownBytes,
  plainCall,
  type ReadResponse,
  type TranslationJob,
  type TranslationOutcome,
} from './translation-job.ts';
import { NotTranslatedError, type TranslationWorkers } from './translation-workers.ts';

export interface TranslationDeps {
  readonly workers: Pick<TranslationWorkers, 'run'>;
  readonly loop: LoopScheduler;
}

/** The owner of the work, and whether its request has gone. */
export interface TranslationFor {
  readonly owner: ShareOwner;
  isLeft(): boolean;
}

const noImages: ProviderCall['images'] = new Map();

export class Translation {
  readonly #deps: TranslationDeps;

  constructor(deps: TranslationDeps) {
    this.#deps = deps;
  }

  /** @param responseBytes size of the response that is to be read */
  isLarge({ request, images, target }: ProviderCall, responseBytes = 0): boolean {
    if (request.isLarge !== true && responseBytes <= largeBytes && images.size === 0) return false;
    let imageLength = 0;
    for (const image of images.values())
      imageLength += image instanceof FetchedImage ? image.bytes.length : image.base64.length;
    const isLarge = request.isLarge === true || responseBytes > largeBytes || imageLength > largeBytes;
    return isLarge && formOf(target.provider) !== undefined;
  }

  /** @throws GatewayError: the error of the provider's function; overloaded */
  async build(call: ProviderCall, requested: TranslationFor): Promise<BuiltRequest> {
    const { built } = await this.#translated(call, undefined, requested);
    if (built === undefined) throw new Error('nothing was built');
    return { ...built, body: bufferOf(built.body) };
  }

  /** @throws GatewayError, VendorFailure: the error of the provider's function; overloaded */
  async read(call: ProviderCall, response: VendorResponse, requested: TranslationFor): Promise<ReadResponse> {
    const { read } = await this.#translated(call, response, requested);
    if (read === undefined) throw new Error('nothing was read');
    return { ...read, body: bufferOf(read.body) };
  }

  async #translated(
    call: ProviderCall,
    response: VendorResponse | undefined,
    { owner, isLeft }: TranslationFor,
  ): Promise<TranslationOutcome> {
    const { request } = call;
    const form = formOf(call.target.provider);
    if (form === undefined) throw new Error('no provider that a worker knows');
    try {
      const job = {
        ...form,
        ...(await this.#requestOf(request, owner, isLeft)),
        client: clientOf(request),
        overrides: request.overrides,
        requestBytes: request.bytes,
        // Reading a response does not need the images.
        call: plainCall(call, response === undefined ? call.images : noImages),
        ...(response && { response: { head: response.head, body: ownBytes(response.body) } }),
      };
      const outcome = await this.#deps.workers.run(job, owner, isLeft);
      if (request.source !== undefined) request.source.kept.bytes = bufferOf(outcome.request);
      if (outcome.failure !== undefined) throw errorOf(outcome.failure);
      return outcome;
    } catch (error) {
      throw error instanceof NotTranslatedError ? notTranslated(error, response !== undefined) : error;
    }
  }

  /** The original bytes of the request if they are still available and current, else its serialized body. */
  async #requestOf(request: ChatRequest, owner: ShareOwner, isLeft: () => boolean) {
    const { source, isLarge } = request;
    const body = clientBody(request);
    const bytes = source?.kept.bytes;
    if (source !== undefined && bytes !== undefined) {
      source.kept.bytes = undefined;
      const { numbersArePlain, outputCeiling } = source;
      return { request: ownBytes(bytes), numbersArePlain, outputCeiling };
    }
    const written =
      isLarge === true
        ? await this.#deps.loop.finish(owner, writeJsonInSteps(body), isLeft)
        : Buffer.from(writeJson(body));
    return { request: ownBytes(written), numbersArePlain: false, outputCeiling: undefined };
  }
}

function clientOf({ client }: ChatRequest): TranslationJob['client'] {
  if (client === undefined) return undefined;
  const { translation, headers, path, store, safetyIdentifier } = client;
  return {
    ...{ format: translation.name, headers, path },
    ...(store && { store }),
    ...(safetyIdentifier !== undefined && { safetyIdentifier }),
  };
}

/** A response that is too much for a worker is the provider's fault. */
function notTranslated(error: NotTranslatedError, isResponse: boolean): GatewayError {
  return isResponse && error.begun ? new GatewayError('upstream_protocol_error', { cause: error }) : overloaded(error);
}
