// The parts of a message, typed: what each format reads its content into and writes its own blocks from.
import type { InlineData } from './media.ts';

export type Part = TextPart | ImagePart | AudioPart | FilePart;

/** Where the prompt up to and including a part is to be cached: the extension `cache_control`, or `prompt_cache_breakpoint`. */
export interface CacheMark {
  readonly ttl: '5m' | '1h' | undefined;
}

export interface TextPart {
  readonly kind: 'text';
  /** May be empty; vendors that refuse that want it left out. */
  readonly text: string;
  readonly cache: CacheMark | undefined;
}

/** A part that only some vendors take. */
interface MediaPart {
  /** Its place in the body, as `messages[0].content[1]`: a refusal names it. */
  readonly at: string;
}

export interface ImagePart extends MediaPart {
  readonly kind: 'image';
  readonly source:
    | { readonly kind: 'data'; readonly data: InlineData }
    | { readonly kind: 'url'; readonly url: string };
  readonly detail: 'auto' | 'low' | 'high' | undefined;
  readonly cache: CacheMark | undefined;
}

export interface AudioPart extends MediaPart {
  readonly kind: 'audio';
  readonly format: string;
  readonly base64: string;
}

export interface FilePart extends MediaPart {
  readonly kind: 'file';
  readonly source:
    | { readonly kind: 'data'; readonly data: InlineData }
    | { readonly kind: 'id'; readonly id: string }
    /** For the vendor to fetch. */
    | { readonly kind: 'url'; readonly url: string; readonly isVideo: boolean };
  /** The place of the data, id or URL in the body: a refusal of it names that. */
  readonly where: string;
  readonly name: string | undefined;
  /** Extension `citations: {"enabled": true}`: the response is to say which places of the file it rests on. */
  readonly citations: boolean;
  readonly cache: CacheMark | undefined;
}
