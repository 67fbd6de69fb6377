// The typed parts of a message: each format reads its content into them, and writes its own blocks from them.
import type { InlineData } from './media.ts';

export type Part = TextPart | ImagePart | AudioPart | FilePart;

/**
 * Marks that the prompt up to and including a part is to be cached: the extension `cache_control`, or
 * `prompt_cache_breakpoint`.
 */
export interface CacheMark {
  readonly ttl: '5m' | '1h' | undefined;
}

export interface TextPart {
  readonly kind: 'text';
  /** May be empty; it is left out for vendors that refuse empty texts. */
  readonly text: string;
  readonly cache: CacheMark | undefined;
}

/** A part that only some vendors accept. */
interface MediaPart {
  /** Its location in the body, such as `messages[0].content[1]`: a refusal names it. */
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
    /** The vendor fetches it. */
    | { readonly kind: 'url'; readonly url: string; readonly isVideo: boolean };
  /** The location of the data, id or URL in the body: a refusal of it names this one. */
  readonly where: string;
  readonly name: string | undefined;
  /** Extension `citations: {"enabled": true}`: the response is to cite the passages of the file that it uses. */
  readonly citations: boolean;
  readonly cache: CacheMark | undefined;
}
