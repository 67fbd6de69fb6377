// `node test/conformance/run-hang-ups.ts [vendor…]`. Plays responses that break off at every byte of each vendor's
// response, whole and streamed, and prints a table of charges and generated output. Takes some minutes. Exits with 1 if
// a charge is wrong.
import { type VendorName, vendors } from '../../simulator/vendors.ts';
import { casesOf, playAll, type Verdict } from './hang-ups/play.ts';

let faults = 0;
console.log(
  '| vendor | response | what happens | cases | exact | by text | by reservation | charged / generated, least | wrong |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
const wanted = process.argv.slice(2);
for (const vendor of Object.keys(vendors) as VendorName[]) {
  if (wanted.length > 0 && !wanted.includes(vendor)) continue;
  const verdicts = await playAll(casesOf(vendor), 32);
  const groups = Map.groupBy(verdicts, ({ case: { stream, action, hangUp } }) =>
    [stream ? 'stream' : 'whole', action === 'leave' ? `${action}, ${hangUp}` : action].join(' | '),
  );
  for (const [name, all] of groups) console.log(row(`${vendor} | ${name}`, all));
  for (const { case: one, fault } of verdicts)
    if (fault !== undefined && faults++ < 20) console.error(JSON.stringify(one), fault);
}
process.exitCode = faults === 0 ? 0 : 1;

function row(name: string, verdicts: readonly Verdict[]): string {
  const count = (is: (one: Verdict) => boolean) => verdicts.filter(is).length;
  const exact = count(({ booking }) => !booking.estimated);
  const reserved = count(({ booking }) => booking.estimated && booking.cost === booking.reserved);
  const least = Math.min(...verdicts.map(({ booking, cost }) => booking.cost / cost));
  const wrong = count(({ fault }) => fault !== undefined);
  const cells = [verdicts.length, exact, verdicts.length - exact - reserved, reserved, least.toFixed(2), wrong];
  return `| ${name} | ${cells.join(' | ')} |`;
}
