// Sets of ASCII characters, in the syntax of a regular expression's brackets, and a test for single characters.

/** By the names that operators and the table rows use. */
export const alphabets = {
  digit: '0-9',
  hex: '0-9a-f',
  HEX: '0-9A-Fa-f',
  upper: 'A-Z0-9',
  lower: 'a-z0-9',
  alnum: 'A-Za-z0-9',
  word: 'A-Za-z0-9_',
  base64: 'A-Za-z0-9+/=',
  /** Without padding. */
  base64raw: 'A-Za-z0-9+/',
  base64url: 'A-Za-z0-9_\\-',
  /** With padding. */
  base64pad: 'A-Za-z0-9_=\\-',
  base32: 'A-Z2-7',
  bech32: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
} as const;

export type AlphabetName = keyof typeof alphabets;

export function isAlphabetName(name: string): name is AlphabetName {
  return Object.hasOwn(alphabets, name);
}

export class CharacterSet {
  readonly #has = new Uint8Array(0x80);

  /** @param characters in the syntax of brackets */
  constructor(characters: string) {
    const expression = new RegExp(`[${characters}]`);
    for (let code = 0; code < 0x80; code++) {
      if (expression.test(String.fromCharCode(code))) this.#has[code] = 1;
    }
  }

  has(code: number): boolean {
    return code < 0x80 && this.#has[code] === 1;
  }
}
