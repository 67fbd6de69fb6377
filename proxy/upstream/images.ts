// Fetches images that callers give by URL, for vendors that accept only bytes. The URL is untrusted: at every redirect
// it must lead over https to a public address, and the response must be an image by its bytes, within limits of size
// and time.
import type { IncomingHttpHeaders } from 'node:http';
import { ByteStore } from '../../common/byte-store.ts';
import type { ShareOwner } from '../../common/shares.ts';
import { invalid } from '../conversation/invalid.ts';
import { FetchedImage, type InlineData, sniffImage } from '../conversation/media.ts';
import { GatewayError, overloaded } from '../errors.ts';
import type { LoopScheduler } from '../loop-scheduler.ts';
import type { Transport, TransportError, UpstreamConnection, UpstreamReceiver } from './transport.ts';

export interface ImageLimits {
  /** Number of different URLs in one request. */
  readonly imagesMax: number;
  /** Total size of all images of one request. */
  readonly imageBytesMax: number;
  /** Total time for all images of one request. */
  readonly imageTimeoutMs: number;
}

/** What fetching needs of the request on whose behalf it works. */
export interface ImageContext {
  /** The organization and key whose shares it uses. */
  readonly owner: ShareOwner;
  /** Accounts memory for buffered bytes. @throws GatewayError overloaded */
  buffer(bytes: number): void;
  /** Registers what to abort when the client leaves or the time is up. */
  onAbort(fetch: { abort(error: Error): void }): void;
}

export interface ImageDeps {
  /** The transport's address policy must list no private hosts. */
  readonly transport: Transport;
  readonly limits: ImageLimits;
  /** Schedules the start of connections, to hosts that callers choose. */
  readonly loop: Pick<LoopScheduler, 'slices'>;
}

/**
 * @param urls as the caller wrote them
 * @returns the images by their URLs
 * @throws GatewayError invalid_request with the failed image and the reason, overloaded
 */
export function fetchImages(
  urls: readonly string[],
  deps: ImageDeps,
  context: ImageContext,
): Promise<ReadonlyMap<string, InlineData>> {
  const wanted = [...new Set(urls)];
  const { imagesMax } = deps.limits;
  if (wanted.length > imagesMax) {
    throw invalid('messages', `a request may name at most ${imagesMax} images by URL for this provider`);
  }
  const fetching = new ImageFetching(wanted, deps, context);
  context.onAbort(fetching);
  return fetching.run();
}

class ImageFetching {
  readonly #wanted: readonly string[];
  readonly #deps: ImageDeps;
  readonly #context: ImageContext;
  readonly #outcome = Promise.withResolvers<ReadonlyMap<string, InlineData>>();
  readonly #images = new Map<string, InlineData>();
  readonly #open = new Set<OneImage>();
  #bytes = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(wanted: readonly string[], deps: ImageDeps, context: ImageContext) {
    this.#wanted = wanted;
    this.#deps = deps;
    this.#context = context;
  }

  async run(): Promise<ReadonlyMap<string, InlineData>> {
    const { imageTimeoutMs } = this.#deps.limits;
    this.#timer = setTimeout(() => this.abort(failed(undefined, 'took too long')), imageTimeoutMs);
    try {
      this.#startInTicks();
      return await this.#outcome.promise;
    } finally {
      this.#isOver = true;
      clearTimeout(this.#timer);
      for (const image of this.#open) image.cancel();
    }
  }

  abort(error: Error): void {
    this.#isOver = true;
    this.#outcome.reject(error);
  }

  /** Opening a connection to a new host takes almost a millisecond: one at a time, and none after a failure. */
  #startInTicks(): void {
    const urls = this.#wanted.values();
    const startNext = () => {
      const { done, value: url } = urls.next();
      if (done === true) return 'over';
      this.#start(url);
      return 'more';
    };
    this.#deps.loop
      .slices(this.#context.owner, startNext, () => this.#isOver)
      .then(
        (outcome) => outcome === 'late' && this.abort(overloaded()),
        (error: Error) => this.abort(error),
      );
  }

  #start(url: string): void {
    const sink: ImageSink = {
      taken: (bytes) => this.#take(bytes),
      done: (data) => {
        this.#open.delete(image);
        this.#images.set(url, data);
        if (this.#images.size === this.#wanted.length) this.#outcome.resolve(this.#images);
      },
      failed: (error) => this.abort(error),
    };
    const image = new OneImage(url, sink, { transport: this.#deps.transport, owner: this.#context.owner });
    this.#open.add(image);
    image.start();
  }

  #take(bytes: number): void {
    const { imageBytesMax } = this.#deps.limits;
    this.#bytes += bytes;
    if (this.#bytes > imageBytesMax) {
      throw invalid('messages', `the images named by URL are larger than ${imageBytesMax} bytes together`);
    }
    this.#context.buffer(bytes);
  }
}

interface ImageSink {
  /** @throws GatewayError that fails the request */
  taken(bytes: number): void;
  done(image: InlineData): void;
  failed(error: Error): void;
}

interface Sending {
  readonly transport: Transport;
  readonly owner: ShareOwner;
}

const redirectsMax = 3;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Fetches one image. It receives its own response, and after a redirect the next one. */
class OneImage implements UpstreamReceiver {
  readonly #url: string;
  readonly #sending: Sending;
  readonly #sink: ImageSink;
  readonly #body = new ByteStore();
  #at: URL | undefined;
  #redirects = 0;
  #connection: UpstreamConnection | undefined;

  constructor(url: string, sink: ImageSink, sending: Sending) {
    this.#url = url;
    this.#sink = sink;
    this.#sending = sending;
  }

  start(): void {
    this.#get(URL.canParse(this.#url) ? new URL(this.#url) : undefined);
  }

  cancel(): void {
    this.#connection?.cancel();
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    if (redirectStatuses.has(status) && headers.location !== undefined) {
      this.#redirect(headers.location);
    } else if (status !== 200) {
      this.#fail(`could not be fetched: its host responded with status ${status}`);
    }
  }

  onData(chunk: Buffer): void {
    try {
      this.#sink.taken(chunk.length);
      this.#body.push(chunk);
    } catch (error) {
      this.cancel();
      this.#sink.failed(error instanceof Error ? error : new Error(String(error)));
    }
  }

  onEnd(): void {
    const { bytes } = this.#body;
    const mediaType = sniffImage(bytes);
    if (mediaType === undefined) {
      this.#fail('is no PNG, JPEG, GIF or WebP image');
      return;
    }
    this.#sink.done(new FetchedImage(mediaType, bytes));
  }

  onError(error: TransportError): void {
    if (error.kind === 'overloaded') {
      this.#sink.failed(overloaded(error));
      return;
    }
    // One message for all causes: the caller must not learn how names resolve inside the gateway's network.
    this.#fail('could not be fetched; it must lead to a public https address that responds', error);
  }

  #get(url: URL | undefined): void {
    // The gateway would send credentials in a URL to a host that the caller chose.
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
      this.#fail('is not an https URL');
      return;
    }
    if (url.username !== '' || url.password !== '') {
      this.#fail('contains credentials');
      return;
    }
    this.#at = url;
    const { transport, owner } = this.#sending;
    this.#connection = transport.send(
      {
        method: 'GET',
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        headers: ['accept', 'image/png, image/jpeg, image/gif, image/webp', 'user-agent', 'model-gateway'],
        body: undefined,
      },
      this,
      owner,
    );
  }

  #redirect(location: string): void {
    this.cancel();
    this.#redirects++;
    if (this.#redirects > redirectsMax) {
      this.#fail('is redirected too often');
      return;
    }
    this.#get(URL.canParse(location, this.#at) ? new URL(location, this.#at) : undefined);
  }

  #fail(why: string, cause?: Error): void {
    this.cancel();
    this.#sink.failed(failed(this.#url, why, cause));
  }
}

const shownMax = 100;

/** @param cause only logged */
function failed(url: string | undefined, why: string, cause?: Error): GatewayError {
  const which = url === undefined ? 'fetching the images' : `the image ${shown(url)}`;
  return new GatewayError('invalid_request', { param: 'messages', message: `${which} ${why}`, cause });
}

/** Without the query, where URLs contain their signatures. */
function shown(url: string): string {
  const [address = ''] = url.split(/[?#]/, 1);
  return JSON.stringify(address.length > shownMax ? `${address.slice(0, shownMax)}…` : address);
}
