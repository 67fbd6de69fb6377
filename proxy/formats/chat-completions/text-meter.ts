// How much text has come of a stream in the callers' format, for the usage of one that is cut. Most events hold one piece of
// content and nothing else that the model wrote: it is counted where it stands in the bytes. All others are parsed.
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import { messageTokensMax, textTokensMax } from '../../conversation/text-tokens.ts';
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
