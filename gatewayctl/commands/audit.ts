// The audit log.
import type { AuditReport } from '../audit-verify.ts';
import { type Given, type Invocation, type Resource, textOf, valuesOf } from '../command.ts';
import { printJson } from '../print-response.ts';
import { requireToken } from '../session.ts';

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

export const audit: Resource = {
  name: 'audit',
  about: 'who changed what',
  commands: {
    list: {
      method: 'Audit.List',
      about: 'list changes, newest first; with --platform those of no organization',
      options: [{ flags: '--target <id>', about: 'only of the target with this id', field: 'targetId' }],
      columns: {
        REVISION: 'revision',
        AT: 'at',
        ACTION: 'action',
        TARGET: 'targetKind',
        'TARGET ID': 'targetId',
        ACTOR: 'actorKind',
        'ACTOR ID': 'actorId',
        FROM: 'from',
      },
      notes: 'The values before and after, and the hashes that chain the events, are in the response with --json.',
      examples: ['audit list --limit 20', 'audit list --platform --json'],
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
