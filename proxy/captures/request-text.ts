// The JSON of a request as guardrails left it, up to a length: what they do not inspect is replaced by a note, because
// nobody has looked for secrets in it, and so are pictures and other files. Values that name a credential are left out.
// The work is bounded by the length, however large the request is.
import { writeJson } from '../../common/exact-json.ts';
import { isNumber } from '../../common/exact-number.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import { anything, type TextLocation } from '../../guardrails/inspection/inspection-schema.ts';

/** Without them a request is hard to read. They are words of the format, so longer strings are none of them. */
const shownNames = new Set(['role', 'type', 'model', 'mode', 'format', 'detail', 'status', 'finish_reason']);
const shownLengthMax = 128;
const digitsMax = 12;
const credentialName = /^(?:authorization(?:_token)?|headers|(?:x-)?api[-_]?key|access_token|token|password|secret)$/i;
const depthMax = 200;

export const notInspected = '[not inspected]';
const leftOut = '[left out]';

export interface BoundedText {
  readonly text: string;
  /** There was more. */
  readonly isCut: boolean;
}

/** @param location the schema of the body. @param lengthMax in UTF-16 units */
export function requestText(body: JsonObject, location: TextLocation, lengthMax: number): BoundedText {
  const writing = new Writing(lengthMax);
  writing.value(body, location, undefined);
  return { text: writing.text.slice(0, lengthMax), isCut: writing.isFull };
}

class Writing {
  text = '';
  readonly #lengthMax: number;
  #depth = 0;

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  get isFull(): boolean {
    return this.text.length > this.#lengthMax;
  }

  value(value: unknown, location: TextLocation, name: string | undefined): void {
    if (this.isFull) return;
    if (typeof value === 'string') this.#string(value, location, name);
    else if (isNumber(value)) this.#number(writeJson(value), location);
    else if (typeof value !== 'object' || value === null) this.text += writeJson(value ?? null);
    else if (isUnseen(location) || this.#depth >= depthMax) this.text += JSON.stringify(notInspected);
    else this.#nested(value, location);
  }

  #string(value: string, location: TextLocation, name: string | undefined): void {
    const isShown = isInspected(value, location) || isWord(value, name);
    // A string is written up to what there is room for, and may be far longer.
    const shown = isShown ? value.slice(0, this.#lengthMax - this.text.length + 1) : notInspected;
    this.text += JSON.stringify(shown);
  }

  /** Numbers that are not inspected are settings, which are short. */
  #number(digits: string, { strings }: TextLocation): void {
    this.text += strings === 'exempt' && digits.length > digitsMax ? JSON.stringify(notInspected) : digits;
  }

  #nested(value: object, location: TextLocation): void {
    this.#depth++;
    if (isObject(value)) this.#object(value, location.of?.(value) ?? location);
    else if (Array.isArray(value)) this.#list(value, location);
    this.#depth--;
  }

  #list(values: readonly unknown[], location: TextLocation): void {
    this.text += '[';
    for (const [index, value] of values.entries()) {
      if (this.isFull) return;
      if (index > 0) this.text += ',';
      this.value(value, location, undefined);
    }
    this.text += ']';
  }

  #object(value: JsonObject, { fields = {}, others = anything }: TextLocation): void {
    this.text += '{';
    let isFirst = true;
    for (const name in value) {
      if (this.isFull) return;
      if (value[name] === undefined) continue;
      this.text += `${isFirst ? '' : ','}${JSON.stringify(name)}:`;
      isFirst = false;
      const location = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (isCredential(name, value[name])) this.text += JSON.stringify(leftOut);
      else this.value(value[name], location ?? others, name);
    }
    this.text += '}';
  }
}

/** Nothing below it is inspected, or only for guardrails that demand it. */
function isUnseen({ deep, only }: TextLocation): boolean {
  return deep === true || only !== undefined;
}

/** Files count as not inspected, even if they are texts: they are long, and nobody reads base64. */
function isInspected(value: string, { strings, isExempt, only }: TextLocation): boolean {
  if (only !== undefined) return false;
  switch (strings) {
    case 'text':
    case 'fixed':
    case 'json':
      return true;
    case 'document':
    case 'file':
    case 'exempt':
      return isExempt?.(value) === false;
  }
}

function isWord(value: string, name: string | undefined): boolean {
  return name !== undefined && shownNames.has(name) && value.length <= shownLengthMax;
}

/** Such as those of an MCP server. A schema's property of this name is an object of other values than strings. */
function isCredential(name: string, value: unknown): boolean {
  if (!credentialName.test(name)) return false;
  return typeof value === 'string' || (isObject(value) && Object.values(value).every((one) => typeof one === 'string'));
}
