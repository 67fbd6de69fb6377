// `npm run check`: what is worth asking after every change, in under a minute: types, lint, unit and golden tests, side by side. Ends
// with the line `N passed, N failed`, as `npm test` does, which runs this and everything else.
import { checks, conclude, runCheck, runTests } from './checks.ts';

// Of random cases a quarter: `npm test` tries all.
process.env.GATEWAY_TEST_ROUNDS ??= '0.25';
const quick = checks.flatMap(({ name, inLoop }) => (inLoop === undefined ? [] : [runCheck(name, inLoop)]));
// One process: it loads every module once, while lint and types take the other core.
conclude(await Promise.all([...quick, runTests(['--project=unit', '--maxWorkers=1'], 'failures')]));
