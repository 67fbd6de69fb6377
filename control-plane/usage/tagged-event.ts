// A usage event with the tags of its request, and the set of metadata under which it is summed.
import type { UsageEventRow } from '../store/schema.ts';

export type Metadata = Readonly<Record<string, string>>;

/** An event with the tags of its request, which are stored as its set only. */
export interface TaggedEventRow extends UsageEventRow {
  /** Absent: none. */
  readonly tags?: Metadata;
}

/** The fields of an event, or of a correction, by which its metadata is found. */
export type KeyUse = Pick<TaggedEventRow, 'at' | 'organization_id' | 'key_id' | 'project_key_id' | 'tags'>;

/** @returns the id of an event's set; empty if it has none */
export type SetOf = (event: KeyUse) => string;
