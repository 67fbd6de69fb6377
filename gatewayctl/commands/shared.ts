// Arguments and options that several resources have.
import { duration } from '../../common/settings.ts';
import type { Given } from '../command.ts';
import type { Noun } from '../names.ts';
import { pairOf } from '../pair.ts';
import { startOfDate } from '../time-words.ts';

/** The object of a command, by id or name. */
export function thing(noun: Noun): Given {
  return {
    flags: `<${noun.replace(' ', '-')}>`,
    about: `id or ${noun === 'price' ? 'model' : 'name'}`,
    field: 'id',
    noun,
  };
}

export const newName: Given = { flags: '<name>', about: 'its name', field: 'name' };

export const rename: Given = { flags: '--name <text>', about: 'another name', field: 'name' };

export const ifRevision: Given = {
  flags: '--if-revision <number>',
  about: 'only if it still has this revision',
  field: 'ifRevision',
};

export const allowedModels: Given = {
  flags: '--allow <glob>',
  about: "a model that may be called, or a glob over <provider>/<model>; repeat it for more, '' allows all",
  field: 'allowedModels.globs',
};

export const allowUnmatched: Given = {
  flags: '--allow-unmatched',
  about: 'also selectors that match no known model, such as a model newer than the catalog',
  field: 'allowUnmatched',
};

export const limitOption: Given = {
  flags: '--budget <id>',
  about: 'only of this budget: the id of its limit',
  field: 'limitId',
};

/** The subject of a limit. */
export const ofSystem: Given = {
  flags: '--system <system>',
  about: 'of this AI system',
  field: 'subject.id',
  noun: 'system',
  beside: { 'subject.kind': 'LIMIT_SUBJECT_KIND_AI_SYSTEM' },
};

export const ofPerson: Given = {
  flags: '--person <person>',
  about: 'of this person',
  field: 'subject.id',
  noun: 'person',
  beside: { 'subject.kind': 'LIMIT_SUBJECT_KIND_PERSON' },
};

export const ofKey: Given = {
  flags: '--key <key>',
  about: 'of this key',
  field: 'subject.id',
  noun: 'key',
  beside: { 'subject.kind': 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY' },
};

export const ofProviderKey: Given = {
  flags: '--provider-key <provider-key>',
  about: 'of this provider key; only budgets',
  field: 'subject.id',
  noun: 'provider key',
  beside: { 'subject.kind': 'LIMIT_SUBJECT_KIND_PROVIDER_KEY' },
};

/** A tag of a request. @throws Error that names the accepted form */
export function tagOf(text: string): { readonly name: string; readonly value: string } {
  const [name, value] = pairOf(text) ?? [];
  if (name === undefined || value === undefined) throw new Error(`must be name=value, not "${text}"`);
  return { name, value };
}

/** Leaves RFC 3339 unchanged; a date becomes its first instant in UTC. */
export const time = startOfDate;

/** The instant after this duration from now. */
export function fromNow(text: string): string {
  return instant(Date.now() + duration(text));
}

export function seconds(text: string): number {
  return Math.round(duration(text) / 1000);
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
