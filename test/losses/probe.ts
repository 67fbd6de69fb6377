// One row of the table of losses: a field of a client's request, in a request that differs from another one in this
// field alone. outcomes.ts shows what each vendor gets of it, and docs/losses.md is written from that.
import type { VendorName } from '../../common/vendors.ts';

export type Json = object;

export interface Probe {
  /** As sdk-fields.ts writes it. */
  readonly path: string;
  readonly with: Json;
  readonly without: Json;
  /** It includes the fields below it, none of which another format has. */
  readonly whole?: true;
  /** Why a vendor of another format need not get it, although nobody is informed. */
  readonly silent?: string;
  /** The field that the client is informed of, if that is not this one or one around it. */
  readonly namedAs?: string;
  /** The vendors' models, where a plain one does not have what the field is about. */
  readonly models?: Models;
}

export type Models = Readonly<Partial<Record<VendorName, string>>>;
export type Notes = Pick<Probe, 'silent' | 'models' | 'whole' | 'namedAs'>;

export interface ProbesOf<Request extends object> {
  /** A field of the body, or the field that its path ends in. @param fields beside the other fields of `base` */
  field(path: string, fields: Partial<Request>, notes?: Notes): Probe;
  /** A field that needs others. */
  beside(path: string, others: Partial<Request>, fields: Partial<Request>, notes?: Notes): Probe;
}

/** @param base the smallest request of the format */
export function probesOf<Request extends object>(base: Request): ProbesOf<Request> {
  return {
    field: (path, fields, notes) => ({ path, with: { ...base, ...fields }, without: { ...base }, ...notes }),
    beside: (path, others, fields, notes) => ({
      path,
      with: { ...base, ...others, ...fields },
      without: { ...base, ...others },
      ...notes,
    }),
  };
}

/** Models that reason in each vendor's way. */
export const reasoningModels: Models = {
  'gpt-provider': 'gpt-5',
  'studio-ai': 'gpt-5',
  'search-provider': 'gemini-2.5-flash',
};

export const whole: Notes = { whole: true };
