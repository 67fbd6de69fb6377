// Counts the text of a stream in the callers' format, for the usage of a stream that is cut. Most events contain one
// piece of content and no other text of the model: these are counted from the bytes. All other events are parsed.
import { eventData } from '../../../common/event-stream.ts';
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import { textTokensMax } from '../../conversation/text-tokens.ts';

export class TextMeter {
  #tokens = 0;

  /** An event that no other code parses. */
  addEvent(event: Buffer): void {
    const content = onlyContent(event);
    if (content !== undefined) {
      this.#tokens += textTokensMax(content);
      return;
    }
    const data = eventData(event);
    const chunk = data === undefined ? undefined : parseJson(data);
    if (isObject(chunk)) this.addChunk(chunk);
  }

  addChunk({ choices }: JsonObject): void {
    if (!Array.isArray(choices)) return;
    for (const choice of choices) {
      const delta: unknown = isObject(choice) ? choice.delta : undefined;
      if (isObject(delta)) this.#tokens += messageTokensMax(delta);
    }
  }

  /** The most tokens that the text can consist of; see textTokensMax. */
  get tokens(): number {
    return this.#tokens;
  }
}

const deltaKey = Buffer.from('"delta":');
const contentHead = Buffer.from('{"content":"');

/**
 * The content of an event whose only delta contains content alone, without escapes; undefined for every other event.
 */
function onlyContent(event: Buffer): string | undefined {
  const at = event.indexOf(deltaKey);
  if (at === -1) return undefined;
  const head = at + deltaKey.length;
  const start = head + contentHead.length;
  if (start > event.length || event[0] === colon) return undefined;
  if (event.compare(contentHead, 0, contentHead.length, head, start) !== 0) return undefined;
  const end = event.indexOf(quote, start);
  if (end === -1 || event[end + 1] !== brace || event.indexOf(deltaKey, end) !== -1) return undefined;
  const content = event.toString('utf8', start, end);
  return content.includes('\\') ? undefined : content;
}

/** An event that begins with a colon is a comment, which keeps the connection open. */
const colon = 0x3a;
const quote = 0x22;
const brace = 0x7d;

/**
 * The most tokens of every string that the model wrote in a message or delta of the callers' format: content,
 * reasoning, refusals, names and arguments of calls, transcripts, and every unknown field that a vendor adds.
 */
export function messageTokensMax(message: JsonObject): number {
  let tokens = 0;
  for (const [name, field] of Object.entries(message)) {
    if (!notWritten.has(name) && !repeats(name, message)) tokens += fieldTokensMax(field);
  }
  return tokens;
}

/**
 * The most tokens of all messages of a whole response.
 * @param body in the callers' format; any other body has no text
 */
export function completionTokensMax(body: Buffer): number {
  const completion = parseJson(body.toString());
  const choices: readonly unknown[] =
    isObject(completion) && Array.isArray(completion.choices) ? completion.choices : [];
  const messages = choices.map((choice) => (isObject(choice) ? choice.message : undefined));
  return messages.reduce<number>((sum, one) => sum + (isObject(one) ? messageTokensMax(one) : 0), 0);
}

function fieldTokensMax(field: unknown): number {
  if (typeof field === 'string') return textTokensMax(field);
  if (Array.isArray(field)) return field.reduce<number>((sum, one) => sum + fieldTokensMax(one), 0);
  return isObject(field) ? messageTokensMax(field) : 0;
}

/** Fields with names, marks and data that the model did not write as text. */
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

/** Servers send reasoning under several names, and some send it under two of them at once. */
function repeats(name: string, { reasoning_content, reasoning }: JsonObject): boolean {
  if (name === 'reasoning') return typeof reasoning_content === 'string';
  return name === 'reasoning_details' && (typeof reasoning_content === 'string' || typeof reasoning === 'string');
}
