// Secrets that must appear nowhere, and the search for them: whole or in part, unchanged, in hexadecimal and in base64
// at any offset. `unseen` shows that the search would find a leak in the data that it searched.

export interface Leak {
  readonly canary: string;
  readonly where: string;
  readonly form: string;
  /** The surrounding bytes, to find the path of the leak. */
  readonly amid: string;
}

interface Needle {
  readonly canary: string;
  readonly form: string;
  readonly bytes: Buffer;
}

/** Data by name of its source. */
export type Haystack = ReadonlyMap<string, Buffer>;

/** A leak of twice as many bytes in a row contains at least one whole piece of this size. */
const pieceBytes = 16;

export class Canaries {
  readonly #secrets = new Map<string, Buffer>();

  /** @returns the value, so that it can be registered where it is made */
  add(name: string, value: string): string {
    this.#secrets.set(name, Buffer.from(value));
    return value;
  }

  /** A base64 key that is also used as its bytes. */
  addKey(name: string, base64: string): void {
    this.add(name, base64);
    this.#secrets.set(`${name}, decoded`, Buffer.from(base64, 'base64'));
  }

  get names(): readonly string[] {
    return [...this.#secrets.keys()];
  }

  search(haystack: Haystack): readonly Leak[] {
    const needles = this.#needles();
    return [...haystack].flatMap(([where, bytes]) =>
      [...firstIndexes(bytes, needles)].map(([{ canary, form }, at]) => ({
        ...{ canary, where, form },
        amid: around(bytes, at),
      })),
    );
  }

  /**
   * Plants every secret, in one form or another, in a copy of each source. @returns those that the search does not find
   */
  unseen(haystack: Haystack): readonly string[] {
    const needles = this.#needles();
    return [...haystack].flatMap(([where, bytes], location) => {
      const chosen = [...this.#secrets].map(([canary, secret], turn) => {
        const all = Object.entries(plants(secret));
        const [form, plant] = all[(location + turn) % all.length] ?? ['itself', secret];
        return { canary, form, plant };
      });
      const copy = spread(
        bytes,
        chosen.map(({ plant }) => plant),
      );
      const seen = new Set([...firstIndexes(copy, needles).keys()].map(({ canary }) => canary));
      return chosen.flatMap(({ canary, form }) => (seen.has(canary) ? [] : [`${canary} as ${form} in ${where}`]));
    });
  }

  #needles(): readonly Needle[] {
    return [...this.#secrets].flatMap(([canary, secret]) => needlesOf(canary, secret));
  }
}

/** The bytes with these parts at equal distances. */
function spread(bytes: Buffer, parts: readonly Buffer[]): Buffer {
  const distance = Math.ceil(bytes.length / (parts.length + 1));
  const pieces = parts.flatMap((part, at) => [bytes.subarray(at * distance, (at + 1) * distance), part]);
  return Buffer.concat([...pieces, bytes.subarray(parts.length * distance)]);
}

/**
 * The first index of each needle that the bytes contain. One pass for all needles, which are looked up by their first
 * four bytes: there are thousands of them, and megabytes to search.
 */
function firstIndexes(bytes: Buffer, needles: readonly Needle[]): ReadonlyMap<Needle, number> {
  const byStart = Map.groupBy(needles, ({ bytes: needle }) => needle.readInt32LE());
  const marks = new Uint8Array(2 ** 16);
  for (const start of byStart.keys()) marks[markOf(start)] = 1;
  const found = new Map<Needle, number>();
  let start = 0;
  for (let at = -3; at + 3 < bytes.length; at++) {
    start = (start >>> 8) | ((bytes[at + 3] ?? 0) << 24);
    if (at < 0 || marks[markOf(start)] === 0) continue;
    for (const needle of byStart.get(start) ?? []) {
      if (found.has(needle)) continue;
      if (needle.bytes.equals(bytes.subarray(at, at + needle.bytes.length))) found.set(needle, at);
    }
  }
  return found;
}

function markOf(start: number): number {
  return Math.imul(start, 0x9e3779b1) >>> 16;
}

function around(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', Math.max(0, at - 300), at + 100);
}

function needlesOf(canary: string, secret: Buffer): readonly Needle[] {
  return pieces(secret).flatMap((piece) =>
    Object.entries(forms(piece)).map(([form, bytes]) => ({ canary, form, bytes })),
  );
}

function pieces(secret: Buffer): readonly Buffer[] {
  const starts = Array.from({ length: Math.floor(secret.length / pieceBytes) }, (_, at) => at * pieceBytes);
  return [...starts, secret.length - pieceBytes].map((start) => secret.subarray(start, start + pieceBytes));
}

function forms(piece: Buffer): Readonly<Record<string, Buffer>> {
  const hex = piece.toString('hex');
  const base64 = [0, 1, 2].flatMap((offset) => {
    const text = base64At(piece, offset);
    const forUrls = text.replaceAll('+', '-').replaceAll('/', '_');
    return [
      [`base64 at ${offset}`, Buffer.from(text)],
      [`base64url at ${offset}`, Buffer.from(forUrls)],
    ] as const;
  });
  return {
    plain: piece,
    hexadecimal: Buffer.from(hex),
    HEXADECIMAL: Buffer.from(hex.toUpperCase()),
    ...Object.fromEntries(base64),
  };
}

/** The digits that depend only on the piece, when it begins at this offset modulo three. */
function base64At(piece: Buffer, offset: number): string {
  const before = Buffer.alloc(offset);
  const digits = Math.floor(((offset + piece.length) * 8) / 6);
  return Buffer.concat([before, piece])
    .toString('base64')
    .slice(Math.ceil((offset * 8) / 6), digits);
}

/** Possible forms of a leak: the secret or most of it, alone or encoded with the surrounding bytes. */
export function plants(secret: Buffer): Readonly<Record<string, Buffer>> {
  const amid = (before: string) => Buffer.concat([Buffer.from(before), secret, Buffer.from('; and more')]);
  const base64 = ['', 'x', 'xy'].map(
    (before) => [`base64 behind ${before.length}`, Buffer.from(amid(before).toString('base64'))] as const,
  );
  return {
    itself: secret,
    'its greater part': secret.subarray(0, 2 * pieceBytes),
    hexadecimal: Buffer.from(secret.toString('hex')),
    ...Object.fromEntries(base64),
    base64url: Buffer.from(amid('').toString('base64url')),
  };
}
