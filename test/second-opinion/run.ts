// Compares the cost of requests with a second opinion: responses of five vendors are read and priced by the gateway's
// own code, and by LiteLLM's transformers and calculator from its package. On demand only, never among the tests,
// because it needs Python and that package.
//   python3 -m venv <folder> && <folder>/bin/pip install litellm
//   node_modules/.bin/node test/second-opinion/run.ts <folder>/bin/python [--all]
// Exits with 1 if decisions.ts does not decide a difference, or has a decision without a difference.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { catalogInForce } from '../../catalog/in-force.ts';
import { parseChatRequest } from '../../proxy/formats/chat-completions/read-request.ts';
import { PriceTable } from '../../proxy/pricing/price-book.ts';
import { providersByName } from '../../proxy/providers/index.ts';
import { chatCallOf } from '../support/charged-calls.ts';
import { goldenCall } from '../support/golden.ts';
import { type Difference, decisionOf, decisions } from './decisions.ts';
import { type PlayedVendor, playedVendors } from './models.ts';
import { differencesTable, summaryTable } from './report.ts';
import type { PlayedUsage } from './usages.ts';

export interface Case {
  readonly id: string;
  readonly vendor: string;
  readonly theirs: string;
  readonly model: string;
  readonly usage: PlayedUsage;
}

const cases: readonly Case[] = playedVendors.flatMap((vendor) =>
  vendor.models.flatMap((model) => vendor.usages.map((usage) => caseOf(vendor, model, usage))),
);

function caseOf({ vendor, theirs }: PlayedVendor, model: string, usage: PlayedUsage): Case {
  return { id: `${vendor}/${model}: ${usage.what}`, vendor, theirs, model, usage };
}

interface OwnCost {
  /** Nano-dollars; undefined if no price is known. */
  readonly cost: number | undefined;
  /** Whether all parts have a price. */
  readonly isCovered: boolean;
}

function ownCost({ vendor, model, usage: { response, requested = {}, head = {}, region } }: Case): OwnCost {
  const provider = providersByName.get(vendor);
  if (provider === undefined) throw new Error(`there is no provider ${vendor}`);
  const fields = { model, messages: [{ role: 'user', content: 'Hello' }], ...requested };
  const golden = goldenCall(provider, parseChatRequest(Buffer.from(JSON.stringify(fields))));
  const target = { ...golden.target, ...(region !== undefined && { region }) };
  const body = Buffer.from(bodyOf(response, model));
  const { usage } = provider.format.readResponse({ ...golden, target }, { head, body });
  const prices = new PriceTable().of({ ...chatCallOf(vendor, model, requested), targets: [target] });
  if (usage === undefined || prices === undefined) return { cost: undefined, isCovered: false };
  return { cost: prices.costOf(usage), isCovered: prices.covers(usage) };
}

function bodyOf(response: object, model: string): string {
  return JSON.stringify(response).replaceAll('{model}', model);
}

interface TheirCost {
  readonly id: string;
  readonly cost?: string;
  readonly failed?: string;
}

async function theirCosts(python: string): Promise<{ version: string; costs: Map<string, TheirCost> }> {
  const script = fileURLToPath(new URL('litellm_costs.py', import.meta.url));
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  for (const { id, theirs, model, usage } of cases) {
    const { response, requested = {}, head = {}, region } = usage;
    const reported = {
      id,
      theirs,
      model,
      requested,
      head,
      region,
      response: JSON.parse(bodyOf(response, model)),
    };
    child.stdin.write(`${JSON.stringify(reported)}\n`);
  }
  child.stdin.end();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${python} ended with ${code}`);
  const [first = '{}', ...lines] = out.trim().split('\n');
  const costs = lines.map((line) => JSON.parse(line) as TheirCost);
  return { version: JSON.parse(first).version, costs: new Map(costs.map((one) => [one.id, one])) };
}

/** Theirs is a sum of floating-point numbers, ours is rounded up once. */
function isSame(own: number, theirs: number): boolean {
  return Math.abs(own - theirs) <= 1 + theirs * 1e-9;
}

function compared(one: Case, { cost: theirText, failed }: TheirCost): Difference | undefined {
  const { cost: own, isCovered } = ownCost(one);
  const theirs = theirText === undefined ? undefined : Number(theirText) * 1e9;
  if (own !== undefined && theirs !== undefined && isSame(own, theirs)) return undefined;
  const { vendor, model, usage } = one;
  return {
    ...{ vendor, model, usage: usage.what, own, theirs, isCovered },
    ...(failed !== undefined && { failed }),
  };
}

async function main(): Promise<void> {
  const [python, ...options] = process.argv.slice(2);
  if (python === undefined) throw new Error('say which Python has LiteLLM: run.ts <folder>/bin/python [--all]');
  const { version, costs } = await theirCosts(python);
  const differences = cases.flatMap((one) => compared(one, costs.get(one.id) ?? { id: one.id }) ?? []);
  const undecided = differences.filter((one) => decisionOf(one) === undefined);
  const idle = decisions.filter((one) => !differences.some((difference) => decisionOf(difference) === one));
  const say = (text: string) => process.stdout.write(`${text}\n`);
  say(`LiteLLM ${version}; the catalog of ${catalogInForce().asOf}\n`);
  say(summaryTable(cases, differences));
  say(differencesTable(differences, options.includes('--all')));
  for (const one of undecided) say(`not decided: ${JSON.stringify(one)}`);
  for (const { what } of idle) say(`nothing to decide any more: ${what}`);
  process.exitCode = undecided.length + idle.length > 0 ? 1 : 0;
}

await main();
