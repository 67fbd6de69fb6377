// The structure of a stream without its texts, to compare the simulator's streams with a recorded transcript of the
// vendor's.
import { readFile } from 'node:fs/promises';
import { eventsOf } from './post-chat.ts';

/** Returns the keys of each event; nested keys are joined by dots. */
export function shapes(events: readonly object[]): readonly (readonly string[])[] {
  return events.map((event) => [...new Set(keysOf(event))].sort());
}

function keysOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries = Array.isArray(value) ? value.map((item) => ['[]', item] as const) : Object.entries(value);
  return entries.length === 0 ? [`${path}{}`] : entries.flatMap(([key, item]) => keysOf(item, `${path}.${key}`));
}

/** Returns the events of a recorded stream that ends with `[DONE]`. */
export function transcript(name: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return readFile(new URL(`../../transcripts/${name}`, import.meta.url), 'utf8').then(eventsOf);
}
