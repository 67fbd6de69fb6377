// Fails if the contract breaks released programs: proto/released has the contracts of versions that may still run
// (proto/README.md says when they change), proto/generated/contract.json is the current one.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Descriptor, findBreaks } from '../proto/compatibility.ts';

const proto = join(import.meta.dirname, '../proto');
const read = (name: string) => JSON.parse(readFileSync(join(proto, name), 'utf8')) as Descriptor;

const present = read('generated/contract.json');
const releases = readdirSync(join(proto, 'released')).filter((name) => name.endsWith('.json'));
if (releases.length === 0) throw new Error('proto/released contains no contract to compare with');

const lines = releases.flatMap((name) =>
  findBreaks(read(`released/${name}`), present).map(
    ({ where, what }) => `${where} (since ${name.replace('.json', '')}): ${what}`,
  ),
);
if (lines.length > 0) {
  console.error(`The contract breaks programs that are released:\n${lines.join('\n')}`);
  console.error('proto/README.md explains which changes are allowed, and how to make them.');
  process.exitCode = 1;
}
