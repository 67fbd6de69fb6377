// `npm test`: runs every check of the project and prints each with its result and time, also after a failure. The last
// line is `N passed, N failed`. `npm test -- test/unit/common` runs only those test files.
import { checks, conclude, runCheck, runTests } from './checks.ts';
import type { Counts } from './test-report.ts';

// Half of the random cases; the long forms run more.
process.env.GATEWAY_TEST_ROUNDS ??= '0.5';
const paths = process.argv.slice(2);
const results: Counts[] = [];
if (paths.length === 0) {
  results.push(...(await Promise.all(checks.map(({ name, command }) => runCheck(name, command)))));
}
results.push(await runTests(paths, 'all'));
conclude(results);
