// Random conversations in no wire format, with what all formats of clients can express: test/fuzz/talk-requests.ts writes
// them, talk-readings.ts reads them.
import type { JsonObject } from '../../common/json.ts';
import type { Random } from '../support/access/random.ts';
import { png } from '../support/png.ts';
import { objectSchema } from './json-schemas.ts';

export interface Talk {
  readonly system: readonly string[];
  readonly turns: readonly TalkTurn[];
  readonly tools: readonly TalkTool[];
  readonly options: TalkOptions;
}

export type TalkTurn =
  | {
      readonly role: 'user';
      readonly parts: readonly TalkPart[];
      /** The prompt up to its end is to be cached. */
      readonly isMarked: boolean;
    }
  | { readonly role: 'system'; readonly texts: readonly string[] }
  | {
      readonly role: 'assistant';
      readonly thoughts: readonly Thought[];
      readonly texts: readonly string[];
      /** Made by the model. */
      readonly images: readonly string[];
      readonly calls: readonly TalkCall[];
    }
  | {
      readonly role: 'tool';
      /** One for each call, in any order. */
      readonly results: readonly TalkResult[];
    };

/** Media in base64. */
export type TalkPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly data: string }
  | { readonly kind: 'pdf'; readonly data: string; readonly name: string };

export interface Thought {
  readonly text: string;
  readonly signature: string;
}

export interface TalkCall {
  readonly id: string;
  readonly name: string;
  /** JSON text as `writeJson` writes it. */
  readonly args: string;
}

export interface TalkResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly images: readonly string[];
}

export interface TalkTool {
  readonly name: string;
  readonly description: string | undefined;
  /** JSON Schema. */
  readonly parameters: JsonObject;
  readonly isStrict: boolean;
}

export type TalkEffort = 'low' | 'medium' | 'high';

/** Undefined: not in the request. */
export interface TalkOptions {
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly topK: number | undefined;
  readonly stop: readonly string[] | undefined;
  readonly effort: TalkEffort | undefined;
  /** JSON Schema of the response. */
  readonly schema: JsonObject | undefined;
  /** The response is any JSON object. */
  readonly isJson: boolean;
  readonly choice: 'auto' | 'none' | 'required' | { readonly name: string } | undefined;
  /** At most one call at a time. */
  readonly isSerial: boolean;
}

/** What some formats of clients lack. */
export type Feature =
  | ('system inside' | 'thoughts' | 'stop' | 'topK' | 'no choice' | 'serial' | 'files' | 'result images')
  | ('made images' | 'strict' | 'json' | 'cache');

/** The issuer of all thoughts, who alone gets them back from formats that wrap them. */
export const thinker = { vendor: 'assistant-provider', keyId: 'stored' } as const;

const texts = [
  'Hello',
  'Boil two cups.',
  'Grüße aus Köln 🫖',
  '日本語のテキスト',
  'a\u0000b\u001f"\\\n\r\t</script>',
  'trailing blanks  \n',
  '{"not":"a response"}',
  'data: [DONE]\n\n',
  '👩‍👩‍👧‍👦'.repeat(20),
] as const;
const blanks = ['', ' ', '\n'];
const argumentTexts = ['{}', '{"cups":2}', '{"n":12345678901234567890,"x":1.10}', '{"ü":"🫖","n":[1,{"a":null}]}'];
const pdf = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');

export function randomTalk(random: Random, features: ReadonlySet<Feature>): Talk {
  return new TalkMaker(random, features).talk();
}

class TalkMaker {
  readonly #random: Random;
  readonly #features: ReadonlySet<Feature>;
  readonly #tools: readonly TalkTool[];
  #calls = 0;

  constructor(random: Random, features: ReadonlySet<Feature>) {
    this.#random = random;
    this.#features = features;
    const names = ['boil', 'stir_2', 'Get-Weather', 'x'.repeat(64)];
    const count = random.chance(0.7) ? 1 + random.below(3) : 0;
    this.#tools = [...new Set(Array.from({ length: count }, () => random.pick(names)))].map((name) => this.#tool(name));
  }

  talk(): Talk {
    const turns: TalkTurn[] = [this.#user()];
    for (let left = this.#random.below(4); left > 0; left--) {
      turns.push(...this.#reply());
      if (this.#has('system inside', 0.15)) turns.push({ role: 'system', texts: this.#texts(2) });
      if (left > 1 || turns.at(-1)?.role !== 'tool' || this.#random.chance(0.5)) turns.push(this.#user());
    }
    const system = this.#random.chance(0.5) ? this.#texts(2) : [];
    return { system, turns, tools: this.#tools, options: this.#options() };
  }

  #has(feature: Feature, probability: number): boolean {
    return this.#random.chance(probability) && this.#features.has(feature);
  }

  #texts(max: number): readonly string[] {
    return Array.from({ length: 1 + this.#random.below(max) }, () => this.#random.pick(texts));
  }

  #user(): TalkTurn {
    const parts: TalkPart[] = this.#texts(2).map((text) => ({ kind: 'text', text }));
    if (this.#random.chance(0.25)) parts.push({ kind: 'image', data: png });
    if (this.#has('files', 0.15)) parts.push({ kind: 'pdf', data: pdf, name: 'a report' });
    if (this.#random.chance(0.1)) parts.push({ kind: 'text', text: this.#random.pick(blanks) });
    if (this.#random.chance(0.2)) parts.push({ kind: 'text', text: this.#random.pick(texts) });
    return { role: 'user', parts, isMarked: parts.at(-1)?.kind === 'text' && this.#has('cache', 0.15) };
  }

  /** A turn of the model, and the results of its calls. */
  #reply(): readonly TalkTurn[] {
    const calls = this.#random.chance(0.5) ? this.#callList() : [];
    const isMute = calls.length > 0 && this.#random.chance(0.5);
    const thoughts = this.#has('thoughts', 0.3) ? [{ text: 'Hm, ü.', signature: 'c2lnbmF0dXJl' }] : [];
    const images = this.#has('made images', 0.1) ? [png] : [];
    const turn: TalkTurn = { role: 'assistant', thoughts, texts: isMute ? [] : this.#texts(2), images, calls };
    if (calls.length === 0) return [turn];
    const results = calls.map((call) => this.#result(call));
    return [turn, { role: 'tool', results: this.#random.chance(0.3) ? results.toReversed() : results }];
  }

  #callList(): readonly TalkCall[] {
    if (this.#tools.length === 0) return [];
    return Array.from({ length: 1 + this.#random.below(3) }, () => {
      const id =
        this.#random.pick(['call_', 'toolu_01', 'tooluse_A-', 'functions.boil:', '0'.repeat(70)]) + ++this.#calls;
      return { id, name: this.#random.pick(this.#tools).name, args: this.#random.pick(argumentTexts) };
    });
  }

  #result({ id, name }: TalkCall): TalkResult {
    const text = this.#random.pick(['done', '{"cups":2}', '[1,2]', 'ü 🫖']);
    return { id, name, text, images: this.#has('result images', 0.15) ? [png] : [] };
  }

  #tool(name: string): TalkTool {
    const random = this.#random;
    const parameters = random.chance(0.5)
      ? objectSchema(random, false)
      : { type: 'object', properties: { cups: { type: 'integer' } }, required: ['cups'] };
    return {
      ...{ name, description: random.chance(0.7) ? 'Does it.' : undefined, parameters },
      isStrict: this.#has('strict', 0.15),
    };
  }

  #options(): TalkOptions {
    const random = this.#random;
    const form = this.#tools.length === 0 ? random.pick(['schema', 'json', ...Array<string>(6).fill('text')]) : 'text';
    const some = <T>(probability: number, ...values: readonly T[]) =>
      random.chance(probability) ? random.pick(values) : undefined;
    return {
      maxTokens: some(0.9, 900, 4096),
      temperature: some(0.3, 0, 0.3, 1),
      topP: some(0.2, 0.5, 0.97),
      topK: this.#has('topK', 0.2) ? 40 : undefined,
      stop: this.#has('stop', 0.2) ? random.pick([['END'], ['a', 'b']]) : undefined,
      effort: some<TalkEffort>(0.15, 'low', 'medium', 'high'),
      schema: form === 'schema' ? objectSchema(random, false) : undefined,
      isJson: form === 'json' && this.#features.has('json'),
      choice: this.#tools.length === 0 ? undefined : this.#choice(),
      isSerial: this.#tools.length > 0 && this.#has('serial', 0.15),
    };
  }

  #choice(): TalkOptions['choice'] {
    if (!this.#random.chance(0.4)) return undefined;
    const named = { name: this.#random.pick(this.#tools).name };
    return this.#random.pick(['auto', 'required', named, this.#features.has('no choice') ? 'none' : 'auto'] as const);
  }
}
