// Guards one choice of a streamed response: each of its texts has a window, and calls are kept back until they are
// complete.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { fields as positionsOf } from '../../../guardrails/inspection/inspection-schema.ts';
import { messageFields } from '../../../guardrails/inspection/message-schema.ts';
import { choiceLocations } from '../../../guardrails/inspection/response-schema.ts';
import { TextWindow } from '../../../guardrails/window.ts';
import { protocolError } from '../../formats/protocol-error.ts';
import { type CallPiece, joined, type Piece, readDelta, withoutEmpty } from '../delta.ts';
import type { ResponseGuards } from '../response-guards.ts';
import { Channel, type Decidable } from './channel.ts';
import { PathWindows, type RemainingText } from './path-windows.ts';
import type { WholeGuard } from './whole-guard.ts';
import { WithheldCall } from './withheld-call.ts';

/** The result for a chunk's choice. */
export interface TakenChoice {
  /** The delta of the released text; undefined if there is none. */
  readonly released: JsonObject | undefined;
  /** The whole choice of the chunk is released unchanged. */
  readonly isUntouched: boolean;
  /** Fields that are released after the text before them. */
  readonly later: readonly LaterFields[];
  /** Fields that end the choice. */
  readonly finish: JsonObject | undefined;
}

export interface LaterFields {
  readonly delta: JsonObject;
  /** Fields of the choice beside the delta. */
  readonly fields: JsonObject;
  readonly isCall: boolean;
  /** UTF-16 units of a call. */
  readonly withheld: number;
  /** Unknown fields, which have windows of their own. */
  readonly left?: { readonly delta: RemainingText; readonly fields: RemainingText };
}

export interface ChoiceGuardDeps {
  readonly guards: ResponseGuards;
  readonly whole: WholeGuard;
  /** The output is not used: everything that can be inspected is inspected, and nothing is refused for its form. */
  readonly observes: boolean;
  /** The windows of the stream. */
  readonly windows: { count: number };
}

const deltaLocations = positionsOf(messageFields);
const knownOfChoice: ReadonlySet<string> = new Set(
  // Some servers put the text of a stream into the field for a whole response.
  Object.keys(choiceLocations.fields ?? {}).filter((name) => name !== 'message'),
);
const knownOfDelta: ReadonlySet<string> = new Set(Object.keys(messageFields));

export class ChoiceGuard {
  readonly index: unknown;
  readonly #guards: ResponseGuards;
  readonly #whole: WholeGuard;
  readonly #observes: boolean;
  readonly #channels = new Map<string, Channel>();
  readonly #ofDelta: PathWindows;
  readonly #ofChoice: PathWindows;
  /** Fields that begin the choice, until a part of it is released. */
  #opening: JsonObject | undefined = {};
  #call: WithheldCall | undefined;
  readonly #completeCalls: WithheldCall[] = [];
  #holdsCalls = true;

  constructor(index: unknown, { guards, whole, observes, windows }: ChoiceGuardDeps) {
    this.index = index;
    this.#ofDelta = new PathWindows({ guards, windows, location: deltaLocations, mayRepeat: false });
    this.#ofChoice = new PathWindows({ guards, windows, location: choiceLocations, mayRepeat: true });
    this.#guards = guards;
    this.#whole = whole;
    this.#observes = observes;
  }

  get channels(): readonly Decidable[] {
    return [...this.#channels.values(), ...this.#ofDelta.channels, ...this.#ofChoice.channels];
  }

  /** UTF-16 units of an incomplete call. */
  get withheld(): number {
    return this.#call?.length ?? 0;
  }

  /** @throws BlockedError, GatewayError upstream_protocol_error */
  take(choice: JsonObject): TakenChoice {
    const { index: _index, delta, logprobs, token_ids, ...more } = choice;
    const { pieces, calls, plain, others } = readDelta(isObject(delta) ? delta : {});
    const later: LaterFields[] = calls.flatMap((piece) => this.#takeCall(piece));
    const texts = pieces.map((piece) => this.#channel(piece).push(piece));
    const [known, unknown] = parted(withoutEmpty(more), knownOfChoice);
    const fields = this.#whole.ofChoice(known);
    const isFinish = fields.finish_reason !== undefined;
    const stated = this.#statedBeside(others ?? {}, { known: isFinish ? {} : fields, unknown });
    if (stated !== undefined) later.push(stated);
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

  #statedBeside(others: JsonObject, { known, unknown }: Beside): LaterFields | undefined {
    const [delta, unknownOfDelta] = parted(others, knownOfDelta);
    const isKnown = isNothing(unknown) && isNothing(unknownOfDelta);
    if (isKnown && isNothing(delta) && isNothing(known)) return undefined;
    const stated = { delta: this.#whole.ofDelta(delta), fields: known, isCall: false, withheld: 0 };
    if (isKnown) return stated;
    const left = { delta: this.#ofDelta.take(unknownOfDelta), fields: this.#ofChoice.take(unknown) };
    return { ...stated, left };
  }

  /** The stream has ended. @throws BlockedError */
  end(): Pick<TakenChoice, 'released' | 'later'> {
    const later = this.#completeCall();
    const channels = [...this.#channels.values()];
    const texts = channels.map((channel) => channel.end());
    this.#ofDelta.end();
    this.#ofChoice.end();
    return { released: this.#deltaOf(channels, texts), later };
  }

  /** From now on calls pass as they arrive. @returns the incomplete call */
  letCallsGo(): readonly LaterFields[] {
    this.#holdsCalls = false;
    return this.#completeCall((delta) => delta);
  }

  /** Adds the fields that begin the choice, if no part of it was released yet. */
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

  /** @returns the call that the piece completes */
  #takeCall(piece: CallPiece): readonly LaterFields[] {
    if (!this.#holdsCalls) return [{ delta: deltaOf(piece), fields: {}, isCall: true, withheld: 0 }];
    const complete = this.#call?.continues(piece) === true ? [] : this.#completeCall();
    if (this.#call === undefined) {
      // The released part of a call cannot be inspected again together with the rest.
      if (!this.#observes && this.#completeCalls.some((call) => call.continues(piece)))
        throw protocolError('a tool call continues after the next one has begun');
      this.#call = new WithheldCall(piece);
    }
    this.#call.add(piece);
    return complete;
  }

  #completeCall(guard = this.#whole.ofDelta): readonly LaterFields[] {
    const call = this.#call;
    if (call === undefined) return [];
    this.#call = undefined;
    this.#completeCalls.push(call);
    const withheld = call.length;
    return [{ delta: guard(call.take()), fields: {}, isCall: true, withheld }];
  }
}

/** Fields of a choice beside its delta. */
interface Beside {
  readonly known: JsonObject;
  readonly unknown: JsonObject;
}

function isNothing(fields: JsonObject): boolean {
  return Object.keys(fields).length === 0;
}

/** Splits fields into known and unknown ones. */
export function parted(
  fields: JsonObject,
  known: ReadonlySet<string>,
): readonly [known: JsonObject, unknown: JsonObject] {
  const [named, others] = [new Map<string, unknown>(), new Map<string, unknown>()];
  for (const name of Object.keys(fields)) (known.has(name) ? named : others).set(name, fields[name]);
  return [Object.fromEntries(named), Object.fromEntries(others)];
}

function deltaOf({ field, call }: CallPiece): JsonObject {
  return field === 'tool_calls' ? { tool_calls: [call] } : { function_call: call };
}
