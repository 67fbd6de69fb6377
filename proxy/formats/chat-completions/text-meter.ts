// How much text has come of a stream in the callers' format, for the usage of one that is cut. Most events hold one piece of
// content and nothing else that the model wrote: it is counted where it is in the bytes. All others are parsed.
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import { textTokensMax } from '../../conversation/text-tokens.ts';
import { eventData } from '../sse.ts';

export class TextMeter {
  #tokens = 0;

  /** An event that nobody else parses. */
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

  /** The most tokens that the text can have been; see textTokensMax. */
  get tokens(): number {
    return this.#tokens;
  }
}

const deltaKey = Buffer.from('"delta":');
const contentHead = Buffer.from('{"content":"');

/** The content of an event with one delta that holds nothing else and no escapes; undefined for every other one. */
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

/** Comments keep a connection open. */
const colon = 0x3a;
const quote = 0x22;
const brace = 0x7d;

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

/** The same of all messages of a whole response. @param body in the callers' format; what is none has no text */
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
