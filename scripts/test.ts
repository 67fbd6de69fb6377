// `npm test`: every check of the project, each named with its result and time, none left out because an earlier one failed. Ends with
// the line `N passed, N failed`. `npm test -- test/unit/common` runs those test files only.
import { checks, conclude, runCheck, runTests } from './checks.ts';
import type { Counts } from './test-report.ts';

const paths = process.argv.slice(2);
const results: Counts[] = [];
if (paths.length === 0) {
  results.push(...(await Promise.all(checks.map(({ name, command }) => runCheck(name, command)))));
}
results.push(await runTests(paths, 'all'));
conclude(results);
