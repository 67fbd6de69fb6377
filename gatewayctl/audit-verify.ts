// Verifies the audit log from outside. The control plane walks its chain piece by piece; this file compares the chain
// with anchors, and with events in log lines, that were collected elsewhere. If the log was rewritten and rehashed from
// some point on, it contradicts them.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { type AuditAnchor, anchorSignature, readAnchorLine } from '../common/audit-anchor.ts';
import type { Client } from './client.ts';
import { usageMistake } from './failure.ts';
import { type Io, readGiven } from './io.ts';

export interface AuditReport {
  readonly events: number;
  readonly reached: { readonly revision: number; readonly hash: string };
  /** Number of anchors that were compared with the log. */
  readonly anchors: number;
  /** Revision of the newest anchor. No evidence outside the database covers later events. */
  readonly anchoredRevision: number | undefined;
  readonly findings: readonly AuditFinding[];
}

export interface AuditFinding {
  readonly revision: number;
  readonly reason: string;
  /** When the contradicting anchor was made. */
  readonly anchoredAt?: string;
}

export interface CollectedAnchors {
  readonly anchors: readonly AuditAnchor[];
  readonly forged: readonly AuditAnchor[];
}

/**
 * Reads the anchors in a file; other lines are ignored.
 * @param keys public keys; if there are any, only anchors that one of them signed count
 * @throws Failure if the file cannot be read, or contains no anchor
 */
export async function collectedAnchors(file: string, keys: readonly KeyObject[], io: Io): Promise<CollectedAnchors> {
  const lines = (await readGiven(file, io)).split('\n');
  const all = lines.flatMap((line) => readAnchorLine(line) ?? []);
  const isForged = (anchor: AuditAnchor) => anchorSignature(anchor, keys) === 'forged';
  const counts = (anchor: AuditAnchor) => keys.length === 0 || anchorSignature(anchor, keys) === 'good';
  const found = { anchors: all.filter(counts), forged: all.filter(isForged) };
  if (found.anchors.length > 0 || found.forged.length > 0) return found;
  const signed = keys.length === 0 ? '' : ' that the given keys have signed';
  throw usageMistake(`${file} contains no anchor of the audit log${signed}`);
}

/** @throws Failure if the file is not an Ed25519 public key */
export async function readPublicKey(file: string, io: Io): Promise<KeyObject> {
  const pem = await readGiven(file, io);
  const key = publicKeyOf(pem);
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw usageMistake(`${file} is no Ed25519 public key in PEM`);
}

function publicKeyOf(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}

/** @throws CallFailure */
export async function verifyAudit(client: Client, given: CollectedAnchors): Promise<AuditReport> {
  const walked = await walk(client);
  const stored = await storedHashes(client, given.anchors);
  const wrong = given.anchors
    .filter(({ revision, hash }) => stored.get(revision) !== hash)
    .toSorted((a, b) => a.revision - b.revision);
  const revisions = given.anchors.map(({ revision }) => revision);
  return {
    events: walked.events,
    reached: walked.reached,
    anchors: given.anchors.length,
    anchoredRevision: revisions.length === 0 ? undefined : revisions.reduce((a, b) => Math.max(a, b)),
    findings: [
      ...walked.flaws,
      ...wrong.map((anchor) => finding(anchor, contradicted(stored.get(anchor.revision)))),
      ...given.forged.map((anchor) => finding(anchor, 'the signature of an anchor is not genuine')),
    ],
  };
}

function contradicted(hash: string | undefined): string {
  return hash === undefined ? 'an event that was anchored is missing' : 'it is not the event that was anchored';
}

function finding({ revision, at }: AuditAnchor, reason: string): AuditFinding {
  return { revision, reason, anchoredAt: new Date(at).toISOString() };
}

async function walk(client: Client) {
  let [events, reached] = [0, { revision: 0, hash: '' }];
  for (;;) {
    const { revision: afterRevision, hash: afterHash } = reached;
    const piece = await client.call('Audit.Verify', reached.hash === '' ? {} : { afterRevision, afterHash });
    events += piece.events;
    reached = { revision: Number(piece.reached?.revision ?? 0), hash: piece.reached?.hash ?? '' };
    if (!piece.isEnd) continue;
    const { flaw } = piece;
    const flaws = flaw ? [{ revision: Number(flaw.revision), reason: flaw.reason }] : [];
    return { events, reached, flaws };
  }
}

const revisionsMax = 500;

async function storedHashes(client: Client, anchors: readonly AuditAnchor[]) {
  const revisions = [...new Set(anchors.map(({ revision }) => revision))];
  const stored = new Map<number, string>();
  for (let from = 0; from < revisions.length; from += revisionsMax) {
    const requested = revisions.slice(from, from + revisionsMax);
    const { links } = await client.call('Audit.Verify', { revisions: requested.map(String) });
    for (const { revision, hash } of links) stored.set(Number(revision), hash);
  }
  return stored;
}
