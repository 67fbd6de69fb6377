// Sums of days and months when programs that fold are killed: the short form, over SQLite. run-folds.ts is the long one.
import { expect, it } from 'vitest';
import { freshSqlite } from '../support/databases.ts';
import { startingSeed } from '../support/seed.ts';
import { killFolds } from './folds.run.ts';

const seed = startingSeed();

it(`sums are those of the requests after a kill (seed ${seed})`, async () => {
  const database = await freshSqlite();
  try {
    expect(await killFolds(database, { seed, kills: 1, programs: 1 })).toBeGreaterThan(0);
  } finally {
    await database.drop();
  }
});
