// `node test/bench/run-resolves.ts [--organizations 50] [--keys 20] [--rounds 3]`: what it costs to bring keys into the
// caches of proxies, one by one and many in a call: processor time of the control plane (with its part of gRPC's
// encoding), of PostgreSQL, and of a proxy that decodes and verifies. Organizations have rows in every table that a
// record is made of. The last column is calculated: the time for 100,000 keys of one control plane on one core.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { systemClock } from '../../common/clock.ts';
import { createSealKey, parseSealKeys } from '../../common/seal.ts';
import { type AccessService, defaultAccessLimits } from '../../control-plane/services/access.ts';
import { openStore } from '../../control-plane/store/open.ts';
import { services } from '../../proto/load.ts';
import { accessLimits } from '../../proxy/access/limits.ts';
import { openRecordKeys } from '../../proxy/access/record-keys.ts';
import { decodeSignedMany, decodeSignedResolve } from '../../proxy/control-plane/wire-signed.ts';
import { Random } from '../support/access/random.ts';
import { startPostgres } from '../support/postgres.ts';
import { silentLog } from '../support/silent-log.ts';
import { storeOrganizations } from '../support/stored-organizations.ts';
import { anyProxy, startAccess } from '../support/watching.ts';

const { values: flags } = parseArgs({
  options: {
    organizations: { type: 'string', default: '50' },
    keys: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
  },
});
const together = accessLimits.resolvesTogetherMax;
const sealKeys = parseSealKeys(createSealKey());
const { Resolve, ResolveMany } = services.Access;

/** Sends nothing: the bytes that a connection would carry. */
interface Way {
  readonly name: string;
  /** @returns bytes by the hashes that they are about */
  request(service: AccessService, hashes: readonly string[]): Promise<[readonly string[], Buffer]>;
  decode(hashes: readonly string[], bytes: Buffer, keys: ReturnType<typeof recordKeys>): void;
  readonly keysOfEach: number;
}

const buffer = (hash: string) => Buffer.from(hash, 'hex');
const ways: readonly Way[] = [
  {
    name: 'one by one',
    keysOfEach: 1,
    request: async (service, [hash = '']) => {
      const response = await service.resolve(anyProxy, { keyHash: buffer(hash), signed: true });
      return [[hash], Resolve.responseSerialize(response)];
    },
    decode: ([hash = ''], bytes, keys) => void decodeSignedResolve(Resolve.responseDeserialize(bytes), hash, keys),
  },
  {
    name: `${together} in a call`,
    keysOfEach: together,
    request: async (service, hashes) => [
      hashes,
      ResolveMany.responseSerialize(await service.resolveMany(anyProxy, { keyHashes: hashes.map(buffer) })),
    ],
    decode: (hashes, bytes, keys) => void decodeSignedMany(ResolveMany.responseDeserialize(bytes), hashes, keys),
  },
];

function recordKeys() {
  const options = { log: silentLog, clock: systemClock, limits: accessLimits };
  return openRecordKeys({ keys: undefined, file: undefined, maxStaleMs: 3_600_000 }, options);
}

const ownUs = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Processor time of all processes of the database's connections, in µs; they are counted in hundredths of a second. */
async function postgresUs(client: Client | undefined): Promise<number> {
  if (client === undefined) return 0;
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity where datname is not null');
  return rows.reduce((sum, { pid }) => {
    const [, times = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const fields = times.split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) * 10_000;
  }, 0);
}

async function measure(name: string, url: string): Promise<void> {
  const store = await openStore({ url, log: silentLog, clock: systemClock });
  const client = name === 'PostgreSQL' ? new Client({ connectionString: url }) : undefined;
  await client?.connect();
  const limits = { ...defaultAccessLimits, unknownBurst: 1e9 };
  const { feed, service, time } = await startAccess(store, { sealKeys, limits });
  const plan = { organizations: Number(flags.organizations), keysOfEach: Number(flags.keys), sealKeys };
  const stored = await storeOrganizations(store, { ...plan, random: new Random(1).next, now: time.now() });
  await client?.query('analyze');
  // Neighbours in a call are of different organizations.
  const hashes = stored.map((_, n) => stored[(n * 37) % stored.length] ?? '');
  for (const way of ways) {
    const run = () => requestAll(service, way, hashes);
    await run();
    const [own, theirs] = [ownUs(), await postgresUs(client)];
    let responses: (readonly [readonly string[], Buffer])[] = [];
    for (let round = 0; round < Number(flags.rounds); round++) responses = await run();
    const count = Number(flags.rounds) * hashes.length;
    const planeUs = (ownUs() - own) / count;
    const databaseUs = ((await postgresUs(client)) - theirs) / count;
    const proxyUs = decodeAll(way, responses) / hashes.length;
    const bytes = responses.reduce((sum, [, body]) => sum + body.length, 0) / hashes.length;
    const cells = [`${name}, ${way.name}`.padEnd(30), ...[planeUs, databaseUs, proxyUs].map((us) => us.toFixed(0))];
    process.stdout.write(`${cells.join(' | ')} | ${bytes.toFixed(0)} | ${(planeUs / 10).toFixed(1)}\n`);
  }
  await feed.close();
  await client?.end();
  await store.close();
}

async function requestAll(service: AccessService, way: Way, hashes: readonly string[]) {
  const responses: (readonly [readonly string[], Buffer])[] = [];
  for (let from = 0; from < hashes.length; from += way.keysOfEach)
    responses.push(await way.request(service, hashes.slice(from, from + way.keysOfEach)));
  return responses;
}

/** @returns processor time in µs */
function decodeAll(way: Way, responses: readonly (readonly [readonly string[], Buffer])[]): number {
  const keys = recordKeys();
  const before = ownUs();
  for (const [hashes, bytes] of responses) way.decode(hashes, bytes, keys);
  return ownUs() - before;
}

process.stdout.write('µs a key: control plane | PostgreSQL | proxy | bytes a key | seconds for 100,000 keys\n');
await measure('SQLite', 'sqlite::memory:');
const postgres = await startPostgres('local');
try {
  await measure('PostgreSQL', postgres.url);
} finally {
  await postgres.stop();
}
