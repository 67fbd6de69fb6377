// Scripts in Redis: called by their hash, and sent whole to a server that does not know them yet.
import { createHash } from 'node:crypto';
import type { RedisClient } from './connection.ts';

export interface Script {
  readonly text: string;
  readonly sha: string;
}

export interface ScriptCall {
  /** All in one hash slot. */
  readonly keys: readonly string[];
  readonly args: readonly (string | number | Buffer)[];
}

export function createScript(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

export async function runScript(
  client: RedisClient,
  { text, sha }: Script,
  { keys, args }: ScriptCall,
): Promise<unknown> {
  try {
    return await client.evalsha(sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return client.eval(text, keys.length, ...keys, ...args);
  }
}
