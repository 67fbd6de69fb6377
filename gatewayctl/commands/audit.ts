// The audit log.
import { changesText } from '../audit-changes.ts';
import type { AuditReport } from '../audit-verify.ts';
import { type Given, type Invocation, type Resource, textOf, valuesOf } from '../command.ts';
import { printJson } from '../print-response.ts';
import { requireToken } from '../session.ts';
import { startOf } from '../time-words.ts';

const anchors: Given = {
  flags: '--anchors <file>',
  about:
    "records that were collected elsewhere: log lines of the control plane, bodies of its webhook, files of the anchors' folder, one a line; - for standard input",
};
const keys: Given = {
  flags: '--public-key <file>',
  about: 'PEM of the Ed25519 key that signs anchors; only anchors that it signed count. Repeat it for more',
  several: true,
};

const times = 'a date, RFC 3339, so long ago such as 1h, or today, yesterday, week, month';
const changes: Given = { flags: '--changes', about: 'print what each changed, before and after, in place of a table' };
const follow: Given = { flags: '--follow', about: 'print events as they happen, the oldest first' };

export const audit: Resource = {
  name: 'audit',
  about: 'who changed what',
  commands: {
    list: {
      method: 'Audit.List',
      about: 'list changes, newest first; with --platform those of no organization',
      arguments: [
        { flags: '[event]', about: 'only this event: its revision, as the list shows it', field: 'revision' },
      ],
      options: [
        { flags: '--actor <person>', about: 'only by this person; me is you', field: 'actorId', noun: 'person' },
        {
          flags: '--actor-kind <kind>',
          about: 'only by such actors',
          field: 'actorKind',
          choices: ['person', 'bootstrap', 'system', 'virtual_key'],
        },
        {
          flags: '--action <action>',
          about: 'only this action, such as VirtualKeys.Rotate, or every action of a service, such as VirtualKeys',
          field: 'action',
        },
        { flags: '--since <time>', about: `only from then on: ${times}`, field: 'since', read: startOf },
        { flags: '--until <time>', about: 'only before then, in the same forms', field: 'until', read: startOf },
        { flags: '--target <id>', about: 'only of the target with this id', field: 'targetId' },
        { flags: '--target-kind <kind>', about: 'only of such targets, such as virtual_key', field: 'targetKind' },
        changes,
        follow,
      ],
      complete: (request, { given }) => (given.has(changes) ? { ...request, names: true } : request),
      itemText: { given: changes, text: changesText },
      follow: { given: follow, after: 'afterRevision', position: 'revision', since: 'since' },
      columns: {
        REVISION: 'revision',
        AT: 'at',
        ACTION: 'action',
        TARGET: 'targetKind',
        NAME: '?targetName',
        'TARGET ID': 'targetId',
        ACTOR: 'actorKind',
        BY: '?actorName',
        'ACTOR ID': 'actorId',
        FROM: 'from',
      },
      notes:
        'The whole states before and after, and the hashes that chain the events, are in the response with -o json; --changes prints what differs between them, with the present names of ids. Secrets are in neither. --follow prints later events as they happen, with --since those from then on too, until it is interrupted.',
      examples: [
        'audit list --limit 20',
        'audit list --actor "Ada Admin" --since yesterday',
        'audit list --action VirtualKeys.Rotate --since 7d',
        'audit list --target-kind limit --limit 5 --changes',
        'audit list 4711 --changes',
        'audit list --follow --changes',
        'audit list --platform --json',
      ],
    },
    verify: {
      about: "verify the chain of all organizations' events, for operators of the platform",
      options: [anchors, keys],
      run: verify,
      notes:
        'Without --anchors, a log whose hashes were all computed anew looks intact. Exit code 1: something does not fit.',
      examples: [
        'audit verify',
        'audit verify --anchors control-plane.log --public-key audit-public.pem',
        'audit verify --anchors - --json',
      ],
    },
  },
};

async function verify(invocation: Invocation): Promise<number> {
  const { io, options } = invocation;
  requireToken(await invocation.session());
  const { collectedAnchors, readPublicKey, verifyAudit } = await import('../audit-verify.ts');
  const publicKeys = await Promise.all(valuesOf(invocation, keys).map((file) => readPublicKey(file, io)));
  const file = textOf(invocation, anchors.flags);
  const collected = file === undefined ? { anchors: [], forged: [] } : await collectedAnchors(file, publicKeys, io);
  const report = await verifyAudit(await invocation.client(), collected);
  const isIntact = report.findings.length === 0;
  if (options.json === true) await printJson({ intact: isIntact, ...report }, invocation);
  else await io.out(shown(report));
  return isIntact ? 0 : 1;
}

function shown({ events, anchors: count, anchoredRevision, findings }: AuditReport): string {
  const lines = findings.map(({ revision, reason, anchoredAt }) => {
    const when = anchoredAt === undefined ? '' : ` (anchored at ${anchoredAt})`;
    return `revision ${revision}: ${reason}${when}`;
  });
  const verdict = findings.length === 0 ? 'the audit log is intact' : 'the audit log was tampered with';
  const outside =
    anchoredRevision === undefined
      ? 'no anchors were given: a log whose hashes were all computed anew would not be detected'
      : `${count} anchors, up to revision ${anchoredRevision}`;
  return `${[...lines, `${verdict}: ${events} events`, outside].join('\n')}\n`;
}
