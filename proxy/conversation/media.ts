// Media in requests: parses data URLs, and detects images by their bytes instead of their declared type.
import { plainBase64 } from '../../common/plain-base64.ts';
import { invalid } from './invalid.ts';

export interface InlineData {
  /** Such as `image/png`, in lower case, without parameters. */
  readonly mediaType: string;
  readonly base64: string;
}

/**
 * An image that was fetched. Most are sent to a vendor at once. A large one should not be encoded on the event loop.
 */
export class FetchedImage implements InlineData {
  readonly mediaType: string;
  readonly bytes: Buffer;
  #base64: string | undefined;

  constructor(mediaType: string, bytes: Buffer) {
    this.mediaType = mediaType;
    this.bytes = bytes;
  }

  /** Whether its bytes were transferred to another thread. */
  get isGone(): boolean {
    const { buffer } = this.bytes;
    return buffer instanceof ArrayBuffer && buffer.detached;
  }

  get base64(): string {
    this.#base64 ??= this.bytes.toString('base64');
    return this.#base64;
  }
}

/** Undefined if the text is no data URL. @throws GatewayError invalid_request for a malformed one */
export function readDataUrl(url: string, at: string): InlineData | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const comma = url.indexOf(',');
  const head = /^data:([a-z0-9.+/-]*)(?:;[a-z0-9.=+_-]*)*;base64$/i.exec(url.slice(0, Math.max(comma, 0)));
  const base64 = plainBase64(url.slice(comma + 1));
  if (head === null || base64 === undefined) throw invalid(at, `${at} must be a base64 data URL`);
  return { mediaType: (head[1] ?? '').toLowerCase(), base64 };
}

/** Whether the first bytes are `%PDF-`. The base64 may have line breaks. */
export function isPdfBase64(base64: string): boolean {
  return base64.slice(0, 200).replaceAll(/\s/g, '').startsWith('JVBERi0');
}

const signatures: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[\s\S]{4}WEBP/, 'image/webp'],
];

/** The image's media type by its first bytes; undefined if it is none of PNG, JPEG, GIF and WebP. */
export function sniffImage(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 16);
  return signatures.find(([form]) => form.test(head))?.[1];
}

/** Like sniffImage, for base64. */
export function sniffBase64Image(base64: string): string | undefined {
  return sniffImage(Buffer.from(base64.slice(0, 24), 'base64'));
}
