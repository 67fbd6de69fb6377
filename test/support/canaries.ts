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
    const needles = [...this.#secrets].flatMap(([canary, secret]) => needlesOf(canary, secret));
    return [...haystack].flatMap(([where, bytes]) =>
      needles.flatMap(({ canary, form, bytes: needle }) => {
        const at = bytes.indexOf(needle);
        return at === -1 ? [] : [{ canary, where, form, amid: around(bytes, at) }];
      }),
    );
  }

  /**
   * Plants each secret, in one form or another, in a copy of each source. @returns those that the search does not find
   */
  unseen(haystack: Haystack): readonly string[] {
    return [...haystack].flatMap(([where, bytes], location) =>
      [...this.#secrets].flatMap(([canary, secret], turn) => {
        const all = Object.entries(plants(secret));
        const [form, plant] = all[(location + turn) % all.length] ?? ['itself', secret];
        const middle = Math.floor(bytes.length / 2);
        const copy = Buffer.concat([bytes.subarray(0, middle), plant, bytes.subarray(middle)]);
        const seen = needlesOf(canary, secret).some((needle) => copy.includes(needle.bytes));
        return seen ? [] : [`${canary} as ${form} in ${where}`];
      }),
    );
  }
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
