// Texts of a stream in fields that the gateway does not know: each may go on in the next chunk, at the same path, so each path has a
// window. What a chunk says there leaves as it came, when all of it is decided; where something was replaced, what is left of the
// text leaves in its place. There are so many windows and no more: then the failure rules hold.
import { isObject, type JsonObject } from '../../../common/json.ts';
import {
  mapPaths,
  type Place,
  type Slot,
  TooDeepError,
} from '../../../guardrails/inspection/inspection-schema.ts';
import { guardText, TextWindow } from '../../../guardrails/window.ts';
import type { ResponseGuards } from '../response-guards.ts';
import { type Decidable, KeptChannel } from './channel.ts';

/** Windows of one stream, all its choices together. */
export const windowsMax = 256;

export interface PathWindowsDeps {
  readonly guards: ResponseGuards;
  /** How many windows the stream has: all that know this object count together. */
  readonly windows: { count: number };
  readonly place: Place;
  /** A long text that is said again at its path is no more of it: some vendors repeat what they say of the whole answer. */
  readonly mayRepeat: boolean;
}

/** What leaves of a chunk's fields. Asked once, when all that was said before is decided. */
export type Left = () => JsonObject;

/** Shorter ones may be pieces that are alike. */
const repeatedMin = 16;

export class PathWindows {
  readonly #deps: PathWindowsDeps;
  readonly #channels = new Map<string, KeptChannel>();

  constructor(deps: PathWindowsDeps) {
    this.#deps = deps;
  }

  get channels(): Iterable<Decidable> {
    return this.#channels.values();
  }

  /** @throws BlockedError; GatewayError guardrail_blocked for too many windows, and what is nested too deep */
  take(fields: JsonObject): Left {
    const texts: (() => string)[] = [];
    try {
      mapPaths(fields, this.#deps.place, (slot) => {
        texts.push(this.#takeSlot(slot));
        return slot.text;
      });
    } catch (error) {
      if (!(error instanceof TooDeepError)) throw error;
      this.#deps.guards.tooLong();
      return () => fields;
    }
    return () => {
      let next = 0;
      const left = mapPaths(fields, this.#deps.place, ({ text }) => texts[next++]?.() ?? text);
      return isObject(left) ? left : fields;
    };
  }

  /** Nothing follows. @throws BlockedError */
  end(): void {
    for (const channel of this.#channels.values()) channel.end();
  }

  #takeSlot({ text, isFixed, path }: Slot): () => string {
    const { guards } = this.#deps;
    const channel = path === undefined ? undefined : this.#channel(path, text);
    if (channel === undefined) {
      const left = guardText(guards.guards(isFixed ? 'fixed' : undefined), text);
      return () => left;
    }
    const start = channel.push(text);
    return () => channel.take(text, start);
  }

  #channel(path: string, text: string): KeptChannel | undefined {
    const { guards, windows, mayRepeat } = this.#deps;
    const known = this.#channels.get(path);
    if (known !== undefined) {
      if (!mayRepeat || text.length < repeatedMin || !known.isRepeated(text)) return known;
      known.end();
      return undefined;
    }
    if (windows.count >= windowsMax) {
      if (windows.count++ === windowsMax) guards.tooLong();
      return undefined;
    }
    windows.count++;
    const channel = new KeptChannel(() => new TextWindow(guards.guards(), guards.window));
    this.#channels.set(path, channel);
    return channel;
  }
}
