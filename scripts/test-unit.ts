// `npm run test:unit`: only unit and golden tests. `npm run test:unit -- --watch [path…]` runs those again that a
// change affects.
import { conclude, runTests, watchTests } from './checks.ts';

// A quarter of the random cases; `npm test` runs all.
process.env.GATEWAY_TEST_ROUNDS ??= '0.25';
const given = process.argv.slice(2);
const paths = given.filter((argument) => argument !== '--watch');
const args = ['--project=unit', ...paths];
if (paths.length < given.length) process.exitCode = await watchTests(args);
else conclude([await runTests(args, 'all')]);
