// Sums of days and months under kills: node test/chaos/run-folds.ts [--kills 30] [--seed 1]
import { parseArgs } from 'node:util';
import { emptyPostgres, freshSqlite, type StoreDatabase } from '../support/databases.ts';
import { startDurablePostgres } from '../support/durable-servers.ts';
import { type FoldKills, killFolds } from './folds.run.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
});
const kills = { kills: Number(values.kills), seed: Number(values.seed) };

async function run(name: string, database: StoreDatabase, options: FoldKills): Promise<void> {
  try {
    const requests = await killFolds(database, options);
    console.log(`${name}: ${options.kills} kills, ${requests} requests, every total is exact`);
  } finally {
    await database.drop();
  }
}

await run('SQLite', await freshSqlite(), { ...kills, programs: 1 });
const server = await startDurablePostgres('local');
process.env.DATABASE_URL = server.url;
try {
  await run('PostgreSQL', await emptyPostgres(), { ...kills, programs: 3 });
} finally {
  await server.stop();
}
