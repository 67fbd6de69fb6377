// Texts of a stream in unknown fields. Each may continue in the next chunk, at the same path, so each path has a
// window. The fields of a chunk are released unchanged, when all of them are decided; if something was replaced, the
// rewritten text is released in their place. The number of windows is limited; above it the failure rules apply.
import { isObject, type JsonObject } from '../../../common/json.ts';
import {
  mapPaths,
  type Slot,
  type TextLocation,
  TooDeepError,
} from '../../../guardrails/inspection/inspection-schema.ts';
import { guardText, TextWindow } from '../../../guardrails/window.ts';
import type { ResponseGuards } from '../response-guards.ts';
import { type Decidable, KeptChannel } from './channel.ts';

/** Maximum number of windows in one stream, for all its choices together. */
export const windowsMax = 256;

export interface PathWindowsDeps {
  readonly guards: ResponseGuards;
  /** Number of windows in the stream, counted by all owners of this object together. */
  readonly windows: { count: number };
  readonly location: TextLocation;
  /**
   * A long text that is repeated at its path is no continuation: some vendors repeat fields about the whole response.
   */
  readonly mayRepeat: boolean;
}

/** The released fields of a chunk. Called once, when everything before them is decided. */
export type RemainingText = () => JsonObject;

/** Shorter texts may be equal pieces of one text. */
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

  /**
   * @throws BlockedError; GatewayError guardrail_blocked for too many windows, or for fields that are nested too deep
   */
  take(fields: JsonObject): RemainingText {
    const texts: (() => string)[] = [];
    try {
      mapPaths(fields, this.#deps.location, (slot) => {
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
      const left = mapPaths(fields, this.#deps.location, ({ text }) => texts[next++]?.() ?? text);
      return isObject(left) ? left : fields;
    };
  }

  /** The stream has ended. @throws BlockedError */
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
