// `npm test`: runs every check of the project and prints each with its result and time, also after a failure. The last
// line is `N passed, N failed`. The other checks run beside the tests, which wait for a sixth of their time.
// `npm test -- test/unit/common` runs only those test files.
import { type Check, checks, conclude, runCheck, runTests } from './checks.ts';
import type { Counts } from './test-report.ts';

// Half of the random cases; the long forms run more.
process.env.GATEWAY_TEST_ROUNDS ??= '0.5';
const paths = process.argv.slice(2);
const beside = paths.length === 0 ? checks : [];
const [tests, others] = await Promise.all([runTests(paths, 'all'), oneByOne(beside)]);
conclude([...others, tests]);

async function oneByOne(list: readonly Check[]): Promise<readonly Counts[]> {
  const results: Counts[] = [];
  for (const { name, command } of list) results.push(await runCheck(name, command));
  return results;
}
