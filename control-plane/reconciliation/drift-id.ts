// The id of a difference: made from what it is of, so that it is the same whenever a day is compared, and whoever read it can name it.

import { hash } from 'node:crypto';
import type { BillRowKind, BillVendor } from '../../proto/words/money.ts';

export interface DriftPlace {
  readonly vendor: BillVendor;
  readonly day: string;
  /** Id of its group. */
  readonly group: string;
  readonly model: string;
  readonly kind: BillRowKind;
}

/** A UUID of version 8 (RFC 9562). */
export function driftId({ vendor, day, group, model, kind }: DriftPlace): string {
  const digits = hash('sha256', JSON.stringify([vendor, day, group, model, kind]), 'hex');
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`];
  return [...parts, `8${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}
