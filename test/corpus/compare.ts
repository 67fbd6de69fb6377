// Compares LiteLLM's translation of the corpus with the gateway's, on demand:
//   node test/corpus/compare.ts --python <a Python with litellm> [--kept <file>] [--show <words of a name>]
// With `--kept`, LiteLLM's results are read from the file, or stored there. Prints a table of the differences with who
// is right (verdicts.ts), and exits with 1 if a difference has no verdict yet.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type VendorName, vendorNames } from '../../common/vendors.ts';
import { GatewayError } from '../../proxy/errors.ts';
import { plainModels } from '../support/vendors.ts';
import { builtFor } from './build.ts';
import { differences, flattened } from './differences.ts';
import { type Called, callLiteLlm, type Requested } from './litellm.ts';
import { completionOf } from './read.ts';
import { corpusRequests } from './requests.ts';
import { corpusResponses } from './responses.ts';
import { type Difference, report } from './verdicts.ts';

const { values } = parseArgs({
  options: { python: { type: 'string' }, kept: { type: 'string' }, show: { type: 'string' } },
});
if (values.python === undefined) throw new Error('--python must name a Python with litellm');

const requests = vendorNames.flatMap((vendor) => corpusRequests.map((one) => ({ vendor, ...one })));
const played = (vendor: VendorName) => corpusResponses.find((one) => one.name === `${vendor}: a text`)?.whole ?? '';
const requested: Requested[] = [
  ...requests.map(({ vendor, body }) => ({
    vendor,
    model: plainModels[vendor],
    body,
    response: played(vendor),
  })),
  ...corpusResponses.map(({ vendor, model, whole }) => ({
    ...{ vendor, model, response: whole },
    body: { messages: [{ role: 'user', content: 'Is tea hot?' }] },
  })),
];
const theirs = await theirPart(values.python, values.kept);

const found: Difference[] = [];
for (const [at, { vendor, name, body }] of requests.entries()) {
  const own = await builtFor(vendor, body).then(
    ({ body: sent }) => flattened(JSON.parse(sent)),
    (error: unknown) => refusal(error),
  );
  const { sent, error } = theirs[at] ?? {};
  const other = sent === undefined ? new Map([['(refused)', error ?? '']]) : flattened(JSON.parse(sent));
  found.push(...differences(own, other).map((one) => ({ what: 'request' as const, vendor, name, ...one })));
}
for (const [at, response] of corpusResponses.entries()) {
  const { completion, error } = theirs[requests.length + at] ?? {};
  const own = flattened(completionOf(response));
  const other = completion === undefined ? new Map([['(refused)', error ?? '']]) : flattened(completion);
  const { vendor, name } = response;
  found.push(...differences(own, other).map((one) => ({ what: 'response' as const, vendor, name, ...one })));
}
if (values.show !== undefined) {
  for (const one of found) if (one.name.includes(values.show)) console.log(JSON.stringify(one));
}
process.exitCode = report(found, { requests: requests.length, responses: corpusResponses.length }) ? 0 : 1;

async function theirPart(python: string, kept: string | undefined): Promise<readonly Called[]> {
  if (kept !== undefined && existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'));
  const called = await callLiteLlm(python, requested);
  if (kept !== undefined) writeFileSync(kept, JSON.stringify(called));
  return called;
}

function refusal(error: unknown): Map<string, string> {
  if (error instanceof GatewayError) return new Map([['(refused)', error.message]]);
  throw error;
}
