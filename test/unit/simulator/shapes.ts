// What a stream is made of, whatever its texts: to compare the simulator's with a transcript of the vendor's.
import { readFile } from 'node:fs/promises';
import { eventsOf } from './post-chat.ts';

/** The keys of each event, nested ones joined by dots. */
export function shapes(events: readonly object[]): readonly (readonly string[])[] {
  return events.map((event) => [...new Set(keysOf(event))].sort());
}

function keysOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries = Array.isArray(value) ? value.map((item) => ['[]', item] as const) : Object.entries(value);
  return entries.length === 0
    ? [`${path}{}`]
    : entries.flatMap(([key, item]) => keysOf(item, `${path}.${key}`));
}

/** Events of a stream that ends with `[DONE]`. */
export function transcript(name: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return readFile(new URL(`../../transcripts/${name}`, import.meta.url), 'utf8').then(eventsOf);
}
