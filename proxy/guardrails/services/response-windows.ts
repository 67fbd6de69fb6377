// A streamed response on its way past services that may withhold it. Each text is sent in windows; other fields of a
// chunk follow after the text that came before them. The windows depend on the texts alone: a whole response is sent in
// the same windows, so both give the same result.
import { plainNumber } from '../../../common/exact-number.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { mapPaths, type Slot } from '../../../guardrails/inspection/inspection-schema.ts';
import { responseLocations } from '../../../guardrails/inspection/response-schema.ts';
import type { Placeholders } from '../../../guardrails/placeholders.ts';
import { type Piece, readDelta } from '../delta.ts';
import type { ServiceGuard } from '../service.ts';
import { aboutOf, rewrites } from './ask-services.ts';
import { type DueText, ServedText } from './served-text.ts';

export interface ResponseWindowsDeps {
  /** Services that the response waits for. */
  readonly services: readonly ServiceGuard[];
  /** New placeholders for a text. */
  placeholders(): Placeholders;
}

/** A text that arrives in pieces. */
interface Channel {
  readonly text: ServedText;
  /** Builds a chunk with this text. */
  chunk: (text: string) => JsonObject;
  /** Fields that begin the choice, until a part of it is released. */
  opening: JsonObject;
}

/** A text in other fields, or a piece of a text that continues at the same path of a later chunk. */
interface RestText {
  readonly served: ServedText;
  readonly piece: string;
  /** The joined text at its path; undefined for a whole text. */
  readonly path?: PathText;
}

/** All text at one path outside of the schema, joined, because its pieces may be one text. */
interface PathText {
  readonly served: ServedText;
  raw: string;
  /** The released text, once it has ended. */
  left: string | undefined;
  /** The piece that becomes the released text, if that differs from the original. */
  first: RestText | undefined;
}

/** Fields of a chunk that are no text in pieces. */
interface Rest {
  readonly chunk: JsonObject;
  readonly texts: readonly RestText[];
  /** The chunk is released when this much of these texts is decided. */
  readonly after: readonly (readonly [ServedText, at: number])[];
}

export class ResponseWindows {
  readonly #deps: ResponseWindowsDeps;
  readonly #stages: readonly (readonly ServiceGuard[])[];
  readonly #channels = new Map<string, Channel>();
  readonly #paths = new Map<string, PathText>();
  #rests: Rest[] = [];
  /** UTF-16 units of texts in waiting chunks that were not sent to a service. */
  #restLength = 0;
  readonly #restMax: number;
  #out: JsonObject[] = [];
  #hasEnded = false;

  constructor(deps: ResponseWindowsDeps) {
    const { services } = deps;
    this.#deps = deps;
    const looking = services.filter((service) => !rewrites(service));
    const rewriting = services.filter(rewrites).map((service) => [service]);
    this.#stages = looking.length === 0 ? rewriting : [looking, ...rewriting];
    this.#restMax = Math.min(...services.map(({ window }) => window));
  }

  /** In UTF-16 units. */
  get withheld(): number {
    let withheld = this.#restLength;
    for (const { text } of this.#channels.values()) withheld += text.withheld;
    return withheld;
  }

  /** Whether a service has to be called. */
  get isDue(): boolean {
    const channels = [...this.#channels.values()];
    const pressing = this.#hasEnded || this.#restLength > this.#restMax;
    return channels.some(({ text }) => text.isDue) || (pressing && this.#restTexts().some((text) => text.isDue));
  }

  /** Omits padding that hides the size of chunks from observers: the sizes change here anyway. */
  add({ obfuscation: _padding, ...chunk }: JsonObject): void {
    const choices = objectsOf(chunk.choices);
    if (choices.length === 0) this.#addRest(chunk, '');
    for (const choice of choices) this.#addChoice(choice, chunk);
  }

  /** The stream has ended. */
  end(): void {
    this.#hasEnded = true;
    for (const { text } of this.#channels.values()) text.end();
    for (const { served } of this.#paths.values()) served.end();
    this.#advance();
  }

  /** Calls services until nothing more is due. @throws GatewayError guardrail_blocked, guardrail_unavailable */
  async inspect(signal: AbortSignal): Promise<void> {
    while (this.isDue) {
      const texts = [...[...this.#channels.values()].map(({ text }) => text), ...this.#restTexts()];
      const due = Map.groupBy(
        texts.flatMap((text) => text.due()),
        ({ service }) => service,
      );
      this.#restLength = 0;
      await Promise.all([...due].map(([service, requested]) => ask(service, requested, signal)));
      this.#advance();
    }
  }

  /** The chunks released since the last call. */
  takeOut(): readonly JsonObject[] {
    this.#release();
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #restTexts(): readonly ServedText[] {
    return [...new Set(this.#rests.flatMap(({ texts }) => texts.map(({ served }) => served)))];
  }

  #addChoice(choice: JsonObject, chunk: JsonObject): void {
    const { pieces, calls, plain, others } = readDelta(isObject(choice.delta) ? choice.delta : {});
    const chunkOf = (delta: JsonObject) => ({ ...chunk, choices: [{ ...choice, delta }] });
    const isText = pieces.length > 0 && calls.length === 0 && others === undefined;
    const index = plainNumber(choice.index) ?? choice.index;
    if (!isText) {
      // Calls are complete in one chunk.
      const rest = chunkOf(isObject(choice.delta) ? choice.delta : {});
      this.#addRest(rest, calls.length > 0 ? undefined : `${index}`);
      return;
    }
    for (const [at, piece] of pieces.entries())
      this.#addText(`${index}.${piece.name}`, piece, { chunkOf, opening: at === 0 ? plain : {} });
  }

  #addText(
    name: string,
    { text, shape, isFixed }: Piece,
    { chunkOf, opening }: { chunkOf(delta: JsonObject): JsonObject; readonly opening: JsonObject },
  ): void {
    const known = this.#channels.get(name);
    const chunk = (left: string) => chunkOf(shape(left));
    if (known === undefined) {
      const served = this.#served(isFixed === true);
      this.#channels.set(name, { text: served, chunk, opening });
      served.push(text);
      return;
    }
    known.chunk = chunk;
    known.opening = { ...known.opening, ...opening };
    known.text.push(text);
  }

  /** @param of the choice, for texts that continue in a later chunk; undefined if none does */
  #addRest(chunk: JsonObject, of: string | undefined): void {
    const texts: RestText[] = [];
    mapPaths(chunk, responseLocations, (slot) => {
      this.#restLength += slot.text.length;
      const continues = of !== undefined && slot.path !== undefined;
      texts.push(continues ? this.#onPath(`${of} ${slot.path}`, slot) : this.#whole(slot));
      return slot.text;
    });
    const after = [...this.#channels.values()].map(({ text }) => [text, text.pushed] as const);
    this.#rests.push({ chunk, texts, after });
  }

  #whole({ text, isFixed }: Slot): RestText {
    const served = this.#served(isFixed);
    served.push(text);
    served.end();
    return { served, piece: text };
  }

  #onPath(key: string, { text, isFixed }: Slot): RestText {
    const known = this.#paths.get(key) ?? {
      served: this.#served(isFixed),
      raw: '',
      left: undefined,
      first: undefined,
    };
    this.#paths.set(key, known);
    known.raw += text;
    known.served.push(text);
    const one: RestText = { served: known.served, piece: text, path: known };
    known.first ??= one;
    return one;
  }

  #served(isFixed: boolean): ServedText {
    return new ServedText(this.#stages, { isFixed, placeholders: () => this.#deps.placeholders() });
  }

  #advance(): void {
    for (const { text } of this.#channels.values()) text.advance();
    for (const text of this.#restTexts()) text.advance();
    this.#release();
  }

  #release(): void {
    for (const channel of this.#channels.values()) {
      const left = channel.text.takeOut();
      if (left === '') continue;
      this.#out.push(opened(channel.chunk(left), channel.opening));
      channel.opening = {};
    }
    for (let first = this.#rests[0]; first !== undefined && isReady(first); first = this.#rests[0]) {
      this.#rests.shift();
      this.#out.push(leftOf(first));
    }
  }
}

async function ask(service: ServiceGuard, requested: readonly DueText[], signal: AbortSignal): Promise<void> {
  const texts = requested.map(({ text }) => text);
  const left = await service.inspect(texts, signal, aboutOf(requested));
  for (const [at, { returned: verdicts, text }] of requested.entries()) verdicts(left[at] ?? text);
}

function isReady({ texts, after }: Rest): boolean {
  return texts.every(({ served }) => served.isOver) && after.every(([text, at]) => text.decided >= at);
}

function leftOf({ chunk, texts }: Rest): JsonObject {
  if (texts.length === 0) return chunk;
  const next = texts.values();
  const left = mapPaths(chunk, responseLocations, ({ text }) => {
    const one = next.next().value;
    return one === undefined ? text : leftOfText(one);
  });
  return isObject(left) ? left : chunk;
}

/**
 * Pieces stay unchanged. If something was replaced, the first piece becomes the whole released text, and the others are
 * empty.
 */
function leftOfText(one: RestText): string {
  const { served, piece, path } = one;
  if (path === undefined) return served.takeOut();
  path.left ??= served.takeOut();
  if (path.left === path.raw) return piece;
  return path.first === one ? path.left : '';
}

/** Adds the fields that begin the choice. */
function opened(chunk: JsonObject, opening: JsonObject): JsonObject {
  const [choice] = objectsOf(chunk.choices);
  if (choice === undefined || Object.keys(opening).length === 0) return chunk;
  const delta = { ...opening, ...(isObject(choice.delta) ? choice.delta : {}) };
  return { ...chunk, choices: [{ ...choice, delta }] };
}
