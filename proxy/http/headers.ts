// Request headers, parsed once: only those that the gateway knows, and which of them were sent twice with different
// values. Beside those, only headers that a format names reach a vendor.
import { containsCredential } from '../../common/credential.ts';
import { uuidv7 } from '../../common/uuid.ts';
import { repeatsKey } from '../access/repeated-keys.ts';

const knownHeaders = new Set([
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'x-svc-vk',
  'project-api-key',
  'x-svc-direct-key',
  'cloud-access-key-id',
  'cloud-secret-access-key',
  'cloud-session-token',
  'cloud-region-name',
  'content-type',
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
  'anthropic-version',
  'x-goog-api-client',
  'x-request-id',
  'x-svc-route-tag',
  'x-claude-code-session-id',
  'session-id',
  'x-session-affinity',
  'user-agent',
  'traceparent',
]);

/** Of ASCII letters. */
const caseBit = 0x20;

export class RequestHeaders {
  readonly #raw: readonly string[];
  readonly #values = new Map<string, string>();
  readonly #conflicts: string[] = [];
  /** The number of `Host` headers; exactly one is valid. */
  readonly hosts: number;

  /** @param raw alternating names and values, as node:http's `rawHeaders` */
  constructor(raw: readonly string[]) {
    this.#raw = raw;
    let hosts = 0;
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = (raw[i] ?? '').toLowerCase();
      if (name === 'host') hosts++;
      if (knownHeaders.has(name)) this.#add(name, raw[i + 1] ?? '');
    }
    this.hosts = hosts;
  }

  /** The first value, without white space around it. */
  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /**
   * @param accepts whether a header of this name, in lower case, is wanted
   * @returns alternating names and values, without values that repeat a key
   */
  matching(accepts: (name: string) => boolean): readonly string[] {
    const found: string[] = [];
    for (let i = 0; i + 1 < this.#raw.length; i += 2) {
      const name = (this.#raw[i] ?? '').toLowerCase();
      const value = this.#raw[i + 1] ?? '';
      if (accepts(name) && this.#isHarmless(value)) found.push(name, value);
    }
    return found;
  }

  /** As `matching`: headers whose names begin so. @param beginning in lower case */
  beginningWith(beginning: string): readonly string[] {
    const found: string[] = [];
    const first = beginning.charCodeAt(0);
    for (let i = 0; i + 1 < this.#raw.length; i += 2) {
      const sent = this.#raw[i] ?? '';
      // Most names are of other headers, and making each of them lower case would cost more than everything else here.
      if (sent.length <= beginning.length || (sent.charCodeAt(0) | caseBit) !== first) continue;
      const name = sent.toLowerCase();
      const value = this.#raw[i + 1] ?? '';
      if (name.startsWith(beginning) && this.#isHarmless(value)) found.push(name, value);
    }
    return found;
  }

  /** Whether the value repeats no key. */
  #isHarmless(value: string): boolean {
    return !containsCredential(value) && !repeatsKey(value, this, true);
  }

  /** Names that were sent more than once with different values. */
  get conflicts(): readonly string[] {
    return this.#conflicts;
  }

  #add(name: string, value: string): void {
    const trimmed = value.trim();
    const before = this.#values.get(name);
    if (before === undefined) this.#values.set(name, trimmed);
    else if (before !== trimmed) this.#conflicts.push(name);
  }
}

/** The caller's `x-request-id` if it is harmless, else a new UUIDv7. It is logged and returned. */
export function requestId(headers: RequestHeaders): string {
  const sent = headers.get('x-request-id');
  if (sent === undefined || !/^[A-Za-z0-9._-]{1,64}$/.test(sent)) return uuidv7();
  return containsCredential(sent) || repeatsKey(sent, headers, true) ? uuidv7() : sent;
}

const headerBytesMax = 512;

/**
 * The one encoder of response header values: visible ASCII and spaces, at most 512 bytes; everything else becomes `?`.
 */
export function headerValue(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, headerBytesMax);
}
