// Reads TXT records directly at the DNS servers (dns-resolve.ts says why). A query ends with its caller's signal, and in
// any case after a timeout.
import { Resolver } from 'node:dns/promises';
import type { ResolveOptions } from './dns-resolve.ts';

/**
 * @returns the texts of a name's TXT records, empty if it has none or does not exist
 * @throws Error if no server responds, or one fails
 */
export type ReadTxt = (name: string) => Promise<readonly string[]>;

const defaultTimeoutMs = 2000;
const tries = 2;

export function createReadTxt({ servers, timeoutMs = defaultTimeoutMs }: ResolveOptions = {}): ReadTxt {
  return async (name) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers !== undefined) resolver.setServers(servers);
    try {
      const records = await resolver.resolveTxt(name);
      // One record may be in several chunks.
      return records.map((chunks) => chunks.join(''));
    } catch (error) {
      if (error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA'))
        return [];
      throw error;
    }
  };
}
