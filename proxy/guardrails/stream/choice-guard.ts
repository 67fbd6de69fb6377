// One choice of a streamed answer on its way through guardrails: a window for each of its texts, its calls held until they are
// complete.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { TextWindow } from '../../../guardrails/window.ts';
import { protocolError } from '../../providers/protocol-error.ts';
import type { AnswerGuards } from '../answer-guards.ts';
import { type CallPiece, joined, type Piece, readDelta, withoutEmpty } from './delta.ts';
import { HeldCall } from './held-call.ts';
import type { WholeGuard } from './whole-guard.ts';

/** What becomes of a chunk's choice. */
export interface TakenChoice {
  /** The delta of the text that may leave; undefined where none may. */
  readonly released: JsonObject | undefined;
  /** All of the chunk's choice leaves, as it came. */
  readonly isUntouched: boolean;
  /** What leaves after the text before it. */
  readonly later: readonly LaterFields[];
  /** Fields that end the choice. */
  readonly finish: JsonObject | undefined;
}

export interface LaterFields {
  readonly delta: JsonObject;
  /** Of the choice, beside the delta. */
  readonly fields: JsonObject;
  readonly isCall: boolean;
  /** UTF-16 units, of a call. */
  readonly held: number;
}

/** A text that comes in pieces. */
export class Channel {
  readonly #window: TextWindow;
  #pushed = 0;
  shape: Piece['shape'];

  constructor(window: TextWindow, shape: Piece['shape']) {
    this.#window = window;
    this.shape = shape;
  }

  /** UTF-16 units. */
  get pushed(): number {
    return this.#pushed;
  }

  get decided(): number {
    return this.#pushed - this.#window.held;
  }

  push({ text, shape }: Piece): string {
    this.#pushed += text.length;
    this.shape = shape;
    return this.#window.push(text);
  }

  end(): string {
    return this.#window.end();
  }
}

export interface ChoiceGuardDeps {
  readonly guards: AnswerGuards;
  readonly whole: WholeGuard;
  /** What comes out leads nowhere: whatever can be inspected is, and nothing is refused for its form. */
  readonly observes: boolean;
}

export class ChoiceGuard {
  readonly index: unknown;
  readonly #guards: AnswerGuards;
  readonly #whole: WholeGuard;
  readonly #observes: boolean;
  readonly #channels = new Map<string, Channel>();
  /** What the choice begins with, until something of it leaves. */
  #opening: JsonObject | undefined = {};
  #call: HeldCall | undefined;
  readonly #completeCalls: HeldCall[] = [];
  #holdsCalls = true;

  constructor(index: unknown, { guards, whole, observes }: ChoiceGuardDeps) {
    this.index = index;
    this.#guards = guards;
    this.#whole = whole;
    this.#observes = observes;
  }

  get channels(): Iterable<Channel> {
    return this.#channels.values();
  }

  /** UTF-16 units of a call that is not complete. */
  get held(): number {
    return this.#call?.length ?? 0;
  }

  /** @throws BlockedError, GatewayError upstream_protocol_error */
  take(choice: JsonObject): TakenChoice {
    const { index: _index, delta, logprobs, token_ids, ...more } = choice;
    const { pieces, calls, plain, others } = readDelta(isObject(delta) ? delta : {});
    const later: LaterFields[] = calls.flatMap((piece) => this.#takeCall(piece));
    const texts = pieces.map((piece) => this.#channel(piece).push(piece));
    const fields = this.#whole.ofChoice(withoutEmpty(more));
    const isFinish = fields.finish_reason !== undefined;
    if (others !== undefined || (!isFinish && Object.keys(fields).length > 0))
      later.push({
        delta: this.#whole.ofDelta(others ?? {}),
        fields: isFinish ? {} : fields,
        isCall: false,
        held: 0,
      });
    const isUntouched =
      this.#opening === undefined &&
      pieces.length > 0 &&
      pieces.every(({ text }, at) => texts[at] === text) &&
      calls.length === 0 &&
      later.length === 0 &&
      !isFinish &&
      (logprobs ?? token_ids ?? null) === null;
    if (this.#opening !== undefined) Object.assign(this.#opening, plain);
    return {
      released: this.#deltaOf(pieces, texts),
      isUntouched,
      later,
      finish: isFinish ? fields : undefined,
    };
  }

  /** Nothing follows. @throws BlockedError */
  end(): Pick<TakenChoice, 'released' | 'later'> {
    const later = this.#completeCall();
    const channels = [...this.#channels.values()];
    const texts = channels.map((channel) => channel.end());
    return { released: this.#deltaOf(channels, texts), later };
  }

  /** From now on calls pass as they come. @returns the one under way */
  letCallsGo(): readonly LaterFields[] {
    this.#holdsCalls = false;
    return this.#completeCall((delta) => delta);
  }

  /** A delta with what the choice begins with, where nothing of it has left. */
  opened(delta: JsonObject): JsonObject {
    const opening = this.#opening;
    this.#opening = undefined;
    return opening === undefined ? delta : { ...opening, ...delta };
  }

  #channel({ name, shape, isFixed }: Piece): Channel {
    const known = this.#channels.get(name);
    if (known !== undefined) return known;
    const guards = this.#guards.guards(isFixed ? 'fixed' : undefined);
    const channel = new Channel(new TextWindow(guards, this.#guards.window), shape);
    this.#channels.set(name, channel);
    return channel;
  }

  #deltaOf(shapes: readonly Pick<Piece, 'shape'>[], texts: readonly string[]): JsonObject | undefined {
    let delta: JsonObject | undefined;
    for (const [at, { shape }] of shapes.entries()) {
      const text = texts[at] ?? '';
      if (text === '') continue;
      delta = delta === undefined ? shape(text) : joined(delta, shape(text));
    }
    return delta;
  }

  /** @returns the call that it completes */
  #takeCall(piece: CallPiece): readonly LaterFields[] {
    if (!this.#holdsCalls) return [{ delta: deltaOf(piece), fields: {}, isCall: true, held: 0 }];
    const complete = this.#call?.goesOn(piece) === true ? [] : this.#completeCall();
    if (this.#call === undefined) {
      // What has left of a call cannot be inspected again with the rest of it.
      if (!this.#observes && this.#completeCalls.some((call) => call.goesOn(piece)))
        throw protocolError('a call goes on behind the next one');
      this.#call = new HeldCall(piece);
    }
    this.#call.add(piece);
    return complete;
  }

  #completeCall(guard = this.#whole.ofDelta): readonly LaterFields[] {
    const call = this.#call;
    if (call === undefined) return [];
    this.#call = undefined;
    this.#completeCalls.push(call);
    const held = call.length;
    return [{ delta: guard(call.take()), fields: {}, isCall: true, held }];
  }
}

function deltaOf({ field, call }: CallPiece): JsonObject {
  return field === 'tool_calls' ? { tool_calls: [call] } : { function_call: call };
}
