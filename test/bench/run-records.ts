// `node test/bench/run-records.ts`: the cost of signed records in µs: signing a batch, checking a body with its root,
// checking a body with a known root, and a look-up in memory, which checks nothing.
import { systemClock } from '../../common/clock.ts';
import {
  createSigningKey,
  parseSigningKey,
  type RecordBody,
  type SignedRecord,
  signRecords,
  verifyingKey,
} from '../../common/record-signature.ts';
import { accessLimits } from '../../proxy/access/limits.ts';
import { openRecordKeys } from '../../proxy/access/record-keys.ts';
import { Records } from '../../proxy/access/records.ts';
import { FakeDatabase } from '../support/access/database.ts';
import { hashOf } from '../support/access/one-proxy.ts';
import { silentLog } from '../support/silent-log.ts';

const rounds = 2_000;
const key = parseSigningKey(createSigningKey());
const bodies: readonly RecordBody[] = [
  { kind: 'key', ref: hashOf(1), body: Buffer.alloc(300, 1) },
  { kind: 'ai_system', ref: 'ai_system:one', body: Buffer.alloc(150, 2) },
  { kind: 'organization', ref: 'organization:one', body: Buffer.alloc(4096, 3) },
];

/** The median of one call, in µs. */
function cost(act: (round: number) => void): number {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    act(round);
    times.push((performance.now() - from) * 1000);
  }
  return times.sort((a, b) => a - b)[rounds / 2] ?? Number.NaN;
}

const batch = (revision: number) =>
  signRecords(key, { epoch: 'epoch-0123456789', revision, signedAt: Date.now() }, bodies);

function organizationOf(records: readonly SignedRecord[]): SignedRecord {
  const [, , organization] = records;
  if (organization === undefined) throw new Error('there are three');
  return organization;
}

function checked(keys: ReturnType<typeof openRecordKeys>, record: SignedRecord): void {
  if (!keys.isGenuine(record)) throw new Error('a good signature was refused');
}

const keys = openRecordKeys(
  { keys: [verifyingKey(key.publicKey)], file: undefined, maxStaleMs: 3_600_000 },
  { log: silentLog, clock: systemClock, limits: accessLimits },
);
const batches = Array.from({ length: rounds }, (_, revision) => organizationOf(batch(revision)));
const known = organizationOf(batch(rounds));

const database = new FakeDatabase(systemClock);
database.createOrganization('north');
database.createKey(hashOf(1), { organizationId: 'north' });
const records = new Records({ clock: systemClock, maxStaleMs: 3_600_000, limits: accessLimits });
records.accept(hashOf(1), database.resolve(hashOf(1)), systemClock.monotonic());

const rows: readonly (readonly [string, number])[] = [
  ['a batch of three signed', cost((round) => void batch(round))],
  ['a body of 4 KiB and its root checked', cost((round) => checked(keys, batches[round] ?? known))],
  ['a body of 4 KiB whose root is known', cost(() => checked(keys, known))],
  ['a look-up in memory', cost(() => void records.look(hashOf(1)))],
];
for (const [what, us] of rows) process.stdout.write(`${what}: ${us.toFixed(1)} µs\n`);
