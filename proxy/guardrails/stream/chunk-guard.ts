// Guards the chunks of a streamed response. Text is released as soon as it is decided, in a chunk of the same shape.
// Other fields of a chunk are released after the text that came before them; the ends of choices, and the usage, last.
import { plainNumber } from '../../../common/exact-number.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { responseLocations } from '../../../guardrails/inspection/response-schema.ts';
import { saysNothing } from '../delta.ts';
import type { ResponseGuards } from '../response-guards.ts';
import type { Decidable } from './channel.ts';
import { ChoiceGuard, type ChoiceGuardDeps, type LaterFields, parted } from './choice-guard.ts';
import { headFields, headOf } from './chunk-pieces.ts';
import { PathWindows, type RemainingText } from './path-windows.ts';
import { createWholeGuard, type WholeGuard } from './whole-guard.ts';

/** A chunk that may be sent. */
export interface PassedChunk {
  readonly chunk: JsonObject;
  /** The chunk is unchanged. */
  readonly isUntouched: boolean;
  /** The chunk has content. Chunks without content are held back until the first one with content. */
  readonly commits: boolean;
}

/** In UTF-16 units. */
export interface WithheldMax {
  /** Limit of incomplete calls: each is inspected in one step. */
  readonly calls: number;
  /** Limit of calls, and of chunks that wait for text and were inspected. */
  readonly all: number;
}

/** Fields that are released with a choice's delta or beside it. */
interface Fields extends LaterFields {
  readonly choice: ChoiceGuard | undefined;
  readonly head: JsonObject;
  readonly extras: Extras;
}

/** Fields of a chunk beside its choices. */
interface Extras {
  readonly known: JsonObject;
  /** Unknown fields. */
  readonly left?: RemainingText;
}

interface Waiting {
  readonly fields: Fields;
  /** The fields are released when this much of these texts is decided. */
  readonly after: readonly (readonly [channel: Decidable, at: number])[];
}

const nothing: JsonObject = {};
const noExtras: Extras = { known: nothing };
const knownOfChunk: ReadonlySet<string> = new Set(Object.keys(responseLocations.fields ?? {}));

export class ChunkGuard {
  readonly #guards: ResponseGuards;
  readonly #deps: ChoiceGuardDeps;
  readonly #withheldMax: WithheldMax;
  readonly #whole: WholeGuard;
  readonly #choices = new Map<unknown, ChoiceGuard>();
  readonly #paths: PathWindows;
  /** The latest chunk, which identifies the response. */
  #last = nothing;
  #waiting: Waiting[] = [];
  #waitingWithheld = 0;
  /** Too much was waiting, so nothing waits any longer. */
  #letGo = false;
  /** In the order in which the choices ended. */
  readonly #finishes = new Map<ChoiceGuard, Fields>();
  /** The last one received counts. */
  #usage: JsonObject | undefined;
  #usageChunk: { readonly head: JsonObject; readonly extras: Extras } | undefined;

  constructor(guards: ResponseGuards, withheldMax: WithheldMax, observes: boolean) {
    const whole = createWholeGuard(guards);
    this.#guards = guards;
    this.#withheldMax = withheldMax;
    this.#whole = whole;
    const windows = { count: 0 };
    this.#deps = { guards, whole, observes, windows };
    this.#paths = new PathWindows({ guards, windows, location: responseLocations, mayRepeat: true });
  }

  /** UTF-16 units that are held back outside of windows. */
  get withheld(): number {
    return this.#waitingWithheld + this.#heldCalls;
  }

  /** UTF-16 units of incomplete calls. */
  get #heldCalls(): number {
    let withheld = 0;
    for (const choice of this.#choices.values()) withheld += choice.withheld;
    return withheld;
  }

  /** @param size of the chunk, in bytes @returns the chunks that may be sent now @throws BlockedError, GatewayError */
  take(chunk: JsonObject, size: number): readonly PassedChunk[] {
    const { extras, usage } = this.#readTop(chunk);
    const choices = objectsOf(chunk.choices);
    this.#last = chunk;
    this.#usage = usage ?? this.#usage;
    if (choices.length === 0 && usage !== undefined) {
      this.#usageChunk = { head: headOf(chunk), extras: both(this.#usageChunk?.extras, extras) };
      return [];
    }
    const taken = choices.map((choice) => {
      const guard = this.#choice(choice.index);
      return { choice: guard, ...guard.take(choice) };
    });
    const isUntouched = taken.length > 0 && taken.every((one) => one.isUntouched);
    const passed: PassedChunk[] =
      isUntouched && extras === noExtras && usage === undefined
        ? [{ chunk, isUntouched: true, commits: true }]
        : this.#released(taken);
    this.#keep(taken, extras, size);
    this.#pass(passed);
    if (!this.#letGo && (this.#heldCalls > this.#withheldMax.calls || this.withheld > this.#withheldMax.all))
      this.#letAllGo(passed);
    return passed;
  }

  /** The stream has ended. @returns all remaining chunks @throws BlockedError */
  end(): readonly PassedChunk[] {
    const ended = [...this.#choices.values()].map((choice) => ({ choice, ...choice.end() }));
    this.#paths.end();
    const passed = this.#released(ended);
    this.#keep(ended, noExtras, 0);
    this.#pass(passed);
    const finishes = [...this.#finishes.values()].map((fields) => stated(chunkOf(fields)));
    passed.push(...finishes, ...this.#usageChunks(finishes.at(-1)));
    return passed;
  }

  #readTop(chunk: JsonObject): { extras: Extras; usage: JsonObject | undefined } {
    let others: JsonObject | undefined;
    let usage: JsonObject | undefined;
    for (const name of Object.keys(chunk)) {
      const value = chunk[name];
      if (name === 'choices' || headFields.has(name) || saysNothing(value)) continue;
      if (name === 'usage' && isObject(value)) usage = value;
      else others = { ...others, [name]: value };
    }
    if (others === undefined) return { extras: noExtras, usage };
    const [known, unknown] = parted(others, knownOfChunk);
    const left = Object.keys(unknown).length === 0 ? undefined : this.#paths.take(unknown);
    return { extras: { known: this.#whole.ofChunk(known), ...(left && { left }) }, usage };
  }

  #choice(index: unknown): ChoiceGuard {
    // An index can be written in several ways.
    const key = plainNumber(index) ?? index;
    const known = this.#choices.get(key);
    if (known !== undefined) return known;
    const choice = new ChoiceGuard(index, this.#deps);
    this.#choices.set(key, choice);
    return choice;
  }

  #released(taken: readonly Released[]): PassedChunk[] {
    const choices = taken.flatMap(({ choice, released }) =>
      released === undefined ? [] : [choiceBody(choice, released, nothing)],
    );
    return choices.length === 0 ? [] : [stated({ ...headOf(this.#last), choices })];
  }

  /** Fields of a chunk beside its text wait for the text before them. */
  #keep(taken: readonly RetainedChunk[], extras: Extras, size: number): void {
    if (extras === noExtras && taken.every(saysNoMore)) return;
    const head = headOf(this.#last);
    let rest = extras;
    for (const { choice, later, finish } of taken) {
      for (const fields of later) {
        this.#wait({
          ...fields,
          withheld: fields.isCall ? fields.withheld : size,
          choice,
          head,
          extras: rest,
        });
        rest = noExtras;
      }
      if (finish === undefined) continue;
      const known = this.#finishes.get(choice);
      const reported = { delta: nothing, isCall: false, withheld: 0, choice, head };
      this.#finishes.set(choice, {
        ...reported,
        fields: { ...known?.fields, ...finish },
        extras: both(known?.extras, rest),
      });
      rest = noExtras;
    }
    if (rest === noExtras) return;
    const choice = taken[0]?.choice;
    this.#wait({
      delta: nothing,
      fields: nothing,
      isCall: false,
      withheld: size,
      choice,
      head,
      extras: rest,
    });
  }

  #wait(fields: Fields): void {
    const of = fields.choice === undefined ? this.#choices.values() : [fields.choice];
    const after: [Decidable, number][] = [];
    for (const choice of of) for (const channel of choice.channels) after.push([channel, channel.pushed]);
    for (const channel of this.#paths.channels) after.push([channel, channel.pushed]);
    this.#waiting.push({ fields, after });
    this.#waitingWithheld += fields.withheld;
  }

  /** @param passed receives the fields that have waited long enough */
  #pass(passed: PassedChunk[]): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (!this.#letGo && first.after.some(([channel, at]) => channel.decided < at)) return;
      this.#waiting.shift();
      this.#waitingWithheld -= first.fields.withheld;
      const { isCall, left } = first.fields;
      passed.push({
        chunk: chunkOf(first.fields),
        isUntouched: false,
        commits: isCall || left !== undefined,
      });
    }
  }

  /** @throws GatewayError if a guardrail's failure rule blocks */
  #letAllGo(passed: PassedChunk[]): void {
    this.#guards.tooLong();
    this.#letGo = true;
    const choices = [...this.#choices.values()];
    this.#keep(
      choices.map((choice) => ({ choice, later: choice.letCallsGo() })),
      noExtras,
      0,
    );
    this.#pass(passed);
  }

  /** The usage is in the chunk that ends the last choice, unless it has a chunk of its own. */
  #usageChunks(last: PassedChunk | undefined): readonly PassedChunk[] {
    const usage = this.#usage;
    if (usage === undefined) return [];
    if (this.#usageChunk === undefined && last !== undefined) last.chunk.usage = usage;
    else {
      const { head, extras } = this.#usageChunk ?? { head: headOf(this.#last), extras: noExtras };
      return [stated({ ...head, ...extrasOf(extras), choices: [], usage })];
    }
    return [];
  }
}

interface Released {
  readonly choice: ChoiceGuard;
  readonly released: JsonObject | undefined;
}

interface RetainedChunk {
  readonly choice: ChoiceGuard;
  readonly later: readonly LaterFields[];
  readonly finish?: JsonObject | undefined;
}

function stated(chunk: JsonObject): PassedChunk {
  return { chunk, isUntouched: false, commits: true };
}

function saysNoMore({ later, finish }: RetainedChunk): boolean {
  return later.length === 0 && finish === undefined;
}

function chunkOf({ head, extras, choice, delta, fields, left }: Fields): JsonObject {
  const statedBy = (one: ChoiceGuard) =>
    choiceBody(one, { ...delta, ...left?.delta() }, { ...fields, ...left?.fields() });
  return { ...head, choices: choice === undefined ? [] : [statedBy(choice)], ...extrasOf(extras) };
}

function extrasOf({ known, left }: Extras): JsonObject {
  return { ...known, ...left?.() };
}

function both(one: Extras | undefined, other: Extras): Extras {
  if (one === undefined || one === noExtras) return other;
  const left = () => ({ ...one.left?.(), ...other.left?.() });
  return { known: { ...one.known, ...other.known }, left };
}

function choiceBody(choice: ChoiceGuard, delta: JsonObject, fields: JsonObject): JsonObject {
  return { index: choice.index, delta: choice.opened(delta), logprobs: null, finish_reason: null, ...fields };
}
