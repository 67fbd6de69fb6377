// The texts of a stream in a client's format, as its caller reads them: for captures, which keep the texts and not the
// events around them. Whatever is not understood is left out; nothing here fails a stream.
import { EventSplitter, eventData } from '../../common/event-stream.ts';
import { isObject, type JsonObject, parseJson } from '../../common/json.ts';

/** A piece of a text. Pieces of one kind and index are one text. */
export interface StreamedText {
  readonly kind: 'text' | 'reasoning' | 'refusal' | 'call';
  /** Of the choice, part or call, as the format counts them. */
  readonly index: string;
  /** Of the called tool, in the first piece of a call. */
  readonly name?: string;
  readonly text: string;
}

export interface TextReader {
  /** @param bytes that the caller gets @returns what they complete */
  push(bytes: Buffer): readonly StreamedText[];
}

export type TextsOfEvent = (event: JsonObject) => readonly StreamedText[];

/** For server-sent events with JSON. */
export function sseTexts(textsOf: TextsOfEvent): TextReader {
  const events = new EventSplitter();
  return {
    push: (bytes) => events.push(bytes).flatMap((event) => textsOfJson(eventData(event) ?? '', textsOf)),
  };
}

/** For a JSON list that is written piece by piece, with a line between two members. */
export function listTexts(textsOf: TextsOfEvent): TextReader {
  return {
    push: (bytes) =>
      bytes
        .toString()
        .split(/,?\r\n/)
        .flatMap((member) => textsOfJson(member.replace(/^\[/, '').replace(/\]$/, ''), textsOf)),
  };
}

export function textsOfJson(json: string, textsOf: TextsOfEvent): readonly StreamedText[] {
  const event = parseJson(json);
  return isObject(event) ? textsOf(event) : [];
}

/** @returns no piece if there is no text. @param text of the event, of any type */
export function pieceOf(
  kind: StreamedText['kind'],
  index: unknown,
  { text, name }: { readonly text: unknown; readonly name?: unknown },
): readonly StreamedText[] {
  const called = typeof name === 'string' && name !== '' ? name : undefined;
  const written = typeof text === 'string' ? text : '';
  if (written === '' && called === undefined) return [];
  return [{ kind, index: String(index ?? 0), ...(called !== undefined && { name: called }), text: written }];
}
