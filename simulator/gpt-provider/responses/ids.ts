// Ids of responses and their items: a prefix and 48 hexadecimal digits, the same in every run.
import { createHash } from 'node:crypto';

export type Prefix = 'resp' | 'msg' | 'rs' | 'fc' | 'ctc' | 'ws' | 'cmp';

/** @param sequence of the response that the object belongs to. @param index of the object in it */
export function idOf(prefix: Prefix, sequence: number, index = 0): string {
  const digits = createHash('sha256').update(`${prefix} ${sequence} ${index}`).digest('hex').slice(0, 48);
  return `${prefix}_${digits}`;
}
