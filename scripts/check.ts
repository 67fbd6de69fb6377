// `npm run check`: the checks for every change, in under a minute: types, lint, unit and golden tests, in parallel. The
// last line is `N passed, N failed`, as of `npm test`, which also runs everything else.
import { checks, conclude, runCheck, runTests } from './checks.ts';

// A quarter of the random cases; `npm test` runs all.
process.env.GATEWAY_TEST_ROUNDS ??= '0.25';
const quick = checks.flatMap(({ name, inLoop }) => (inLoop === undefined ? [] : [runCheck(name, inLoop)]));
// Two processes: many tests wait for a worker or a timer while the other process computes.
conclude(await Promise.all([...quick, runTests(['--project=unit', '--maxWorkers=2'], 'failures')]));
