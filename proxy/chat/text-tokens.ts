// The most tokens that a model can have generated a text as, for a response whose usage nobody reported. No tokenizer is at hand
// for each model, so every kind of character counts as densely as any vendor's vocabulary splits it: high, never low.
import { isObject, type JsonObject } from '../../common/json.ts';

/**
 * Words in small letters, also with one capital in front: three letters a token. The blank in front of a word is part of its token.
 * Other ASCII characters: a token each. Letters of other scripts: two bytes of UTF-8 a token. All else: a token a byte. Texts that
 * come in pieces may be counted piece by piece: their sum is not below what the whole text counts.
 */
export function textTokensMax(text: string): number {
  let tokens = 0;
  let wordLength = 0;
  const endWord = () => {
    tokens += Math.ceil(wordLength / lettersPerToken);
    wordLength = 0;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isSmallLetter(code)) {
      wordLength += 1;
      continue;
    }
    endWord();
    if (isCapital(code)) wordLength = 1;
    else if (code === blank) tokens += isLetter(text.charCodeAt(at + 1)) ? 0 : 1;
    else if (code < 0x80) tokens += 1;
    else {
      const character = String.fromCodePoint(text.codePointAt(at) ?? code);
      const bytes = utf8Bytes(code);
      tokens += letterOfAnyScript.test(character) ? bytes / 2 : bytes;
      at += character.length - 1;
    }
  }
  endWord();
  return Math.ceil(tokens);
}

const lettersPerToken = 3;
const blank = 0x20;
const letterOfAnyScript = /\p{L}/u;

function isSmallLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

/** NaN behind the end of the text. */
function isLetter(code: number): boolean {
  return (
    isSmallLetter(code) ||
    isCapital(code) ||
    (code >= 0x80 && letterOfAnyScript.test(String.fromCharCode(code)))
  );
}

/** Of the character that begins with this UTF-16 unit. */
function utf8Bytes(code: number): number {
  if (code < 0x800) return 2;
  return code >= 0xd800 && code <= 0xdbff ? 4 : 3;
}

/**
 * The same of every string that the model wrote in a message or delta of the callers' format: content, reasoning, refusals, names
 * and arguments of calls, transcripts, and whatever a vendor adds under a name that is not known here.
 */
export function messageTokensMax(message: JsonObject): number {
  let tokens = 0;
  for (const [name, field] of Object.entries(message)) {
    if (!notWritten.has(name) && !repeats(name, message)) tokens += fieldTokensMax(field);
  }
  return tokens;
}

function fieldTokensMax(field: unknown): number {
  if (typeof field === 'string') return textTokensMax(field);
  if (Array.isArray(field)) return field.reduce<number>((sum, one) => sum + fieldTokensMax(one), 0);
  return isObject(field) ? messageTokensMax(field) : 0;
}

/** Names, marks and data that are no text of the model's. */
const notWritten: ReadonlySet<string> = new Set([
  'role',
  'id',
  'type',
  'data',
  'url',
  'signature',
  'annotations',
  'thinking_blocks',
  'encrypted_content',
]);

/** Servers name the reasoning in one of several ways, and some send it under two of them. */
function repeats(name: string, { reasoning_content, reasoning }: JsonObject): boolean {
  if (name === 'reasoning') return typeof reasoning_content === 'string';
  return (
    name === 'reasoning_details' && (typeof reasoning_content === 'string' || typeof reasoning === 'string')
  );
}
