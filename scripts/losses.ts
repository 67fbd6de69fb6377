// The tables of docs/losses.md: what each vendor gets of each field of a client's request. The words are outcomes of the
// code that requests go through (test/losses/), not a description of it.
import { vendorNames } from '../common/vendors.ts';
import type { ClientFormatName } from '../proxy/formats/client-format.ts';
import { type Outcome, outcomesOf } from '../test/losses/outcomes.ts';
import type { Probe } from '../test/losses/probe.ts';
import { lossTables } from '../test/losses/probes/index.ts';
import { code, table } from './markdown.ts';

/** By the names of their markers. */
export async function lossesTables(): Promise<Record<string, string>> {
  const names = Object.keys(lossTables) as ClientFormatName[];
  const tables = await Promise.all(names.map(async (name) => [`losses of ${name}`, await lossesTable(name)] as const));
  return Object.fromEntries(tables);
}

async function lossesTable(name: ClientFormatName): Promise<string> {
  const rows = await Promise.all(
    lossTables[name].probes.map(async (probe) => {
      const outcomes = await outcomesOf(name, probe);
      return [fieldCell(probe), ...vendorNames.map((vendor) => inWords(outcomes[vendor]))];
    }),
  );
  return table(['Field', ...vendorNames.map(code)], rows);
}

function fieldCell({ path, whole, silent }: Probe): string {
  return [code(path), ...(whole === true ? ['and below'] : []), ...(silent === undefined ? [] : [`(${silent})`])].join(
    ' ',
  );
}

function inWords(outcome: Outcome): string {
  return outcome.is === 'silent' ? '–' : outcome.is;
}
