// The report of `missing-changes`: undone revocations first, each with the command that repeats it, then the other
// changes. The lines come from outside the database, so control characters are replaced before a terminal or a shell
// can act on them.
import type { AuditEvent } from '../store/audit-chain.ts';
import type { MissingChanges, UndoneChange } from './missing-changes.ts';
import { commandFor, fieldsOf } from './revocations.ts';

export function missingChangesReport({ undone, flaws }: MissingChanges): readonly string[] {
  const of = (kind: UndoneChange['kind']) => undone.filter((one) => one.kind === kind).map(({ event }) => event);
  const revocations = of('revocation');
  const repeated = of('repeated');
  const others = of('other');
  return [
    `${undone.length} changes of the log are not in the database`,
    ...flaws.map((flaw) => `do not rely on this list: ${flaw}`),
    ...(revocations.length > 0 ? ['', 'to be repeated, since it took something away that is there again:'] : []),
    ...revocations.flatMap((event) => [describe(event) + detail(event), `    ${commandOf(event)}`]),
    ...(repeated.length > 0 ? ['', 'took something away too, and has been repeated since:'] : []),
    ...repeated.map(describe),
    ...(others.length > 0 ? ['', 'undone as well:'] : []),
    ...others.map(describe),
  ];
}

function describe({
  at,
  actor_kind,
  actor_id,
  action,
  target_kind,
  target_id,
  after,
  before,
  revision,
}: AuditEvent): string {
  const name = nameIn(after, revision) ?? nameIn(before, revision);
  const words = [action, target_kind, target_id, ...(name === undefined ? [] : [JSON.stringify(name)])];
  return `${new Date(at).toISOString()}  ${plain(words.join(' '))}, by ${plain(`${actor_kind} ${actor_id}`)}`;
}

/** The values that the operator needs besides the id to repeat the command. */
function detail({ action, after, before, revision }: AuditEvent): string {
  if (before === null) return `: ${plain(after ?? '')}`;
  return action.includes('.Update') ? `: ${plain(changedFields({ after, before, revision }))}` : '';
}

function commandOf(event: AuditEvent): string {
  const id = /^[\w.-]+$/.test(event.target_id) && event.before !== null ? ` ${event.target_id}` : '';
  return `gatewayctl ${commandFor(event)}${id}`;
}

function changedFields({ after, before, revision }: Pick<AuditEvent, 'after' | 'before' | 'revision'>): string {
  const was = fieldsOf(before, revision);
  return Object.entries(fieldsOf(after, revision))
    .filter(([name, is]) => name !== 'revision' && JSON.stringify(is) !== JSON.stringify(was[name]))
    .map(([name, is]) => `${name}: ${JSON.stringify(was[name])} → ${JSON.stringify(is)}`)
    .join(', ');
}

function nameIn(text: string | null, revision: number): string | undefined {
  const { name } = fieldsOf(text, revision);
  return typeof name === 'string' ? name : undefined;
}

function plain(text: string): string {
  return text.replace(/[^\P{C}]/gu, '\uFFFD');
}
