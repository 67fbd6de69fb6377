// The responses that the vendor stored. They belong to the account, that is the API key, and to nobody else. Bounded in
// number and bytes: the oldest are dropped.
import type { Json } from '../../checks.ts';

export interface StoredResponse {
  readonly id: string;
  /** The API key. */
  readonly account: string;
  /** The response before its end. */
  readonly opened: Json;
  /** The response as it ends. */
  readonly response: Json;
  /** The events of its stream. */
  readonly events: () => Iterable<Json>;
  /** The items that it was made from, of previous responses too, each with an id. */
  readonly input: readonly Json[];
  readonly background: boolean;
  /** `queued` and `in_progress` only in the background. */
  status: string;
  /** Reads until a response in the background is over. */
  readsLeft: number;
}

export interface ResponseStore {
  /** @param bytes its approximate size */
  add(stored: StoredResponse, bytes: number): void;
  find(account: string, id: string): StoredResponse | undefined;
  /** An input or output item of a stored response. */
  findItem(account: string, id: string): Json | undefined;
  /** @returns whether it was there */
  remove(account: string, id: string): boolean;
}

const responsesMax = 1_000;
const bytesMax = 64 * 1024 * 1024;

export function createResponseStore(): ResponseStore {
  const entries = new Map<string, { readonly stored: StoredResponse; readonly bytes: number }>();
  let totalBytes = 0;
  const drop = (id: string) => {
    totalBytes -= entries.get(id)?.bytes ?? 0;
    entries.delete(id);
  };
  const find = (account: string, id: string) => {
    const stored = entries.get(id)?.stored;
    return stored?.account === account ? stored : undefined;
  };
  return {
    add(stored, bytes) {
      entries.set(stored.id, { stored, bytes });
      totalBytes += bytes;
      for (const id of entries.keys()) {
        if (entries.size <= responsesMax && (totalBytes <= bytesMax || entries.size === 1)) break;
        drop(id);
      }
    },
    find,
    findItem(account, id) {
      for (const { stored } of entries.values()) {
        if (stored.account !== account) continue;
        const item = [...stored.input, ...outputOf(stored)].find((one) => one.id === id);
        if (item !== undefined) return item;
      }
      return undefined;
    },
    remove(account, id) {
      const stored = find(account, id);
      if (stored !== undefined) drop(id);
      return stored !== undefined;
    },
  };
}

export function outputOf({ response }: StoredResponse): readonly Json[] {
  return response.output as readonly Json[];
}
