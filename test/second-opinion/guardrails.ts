// Compares guardrails with second opinions: values from the test cases of gitleaks, detect-secrets and Presidio, and
// megabytes of benign text, are given to the gateway's own kinds, to Presidio's recognizers and to LiteLLM's content
// filter. On demand only, never among the tests, because it needs Python and their packages.
//   python3 -m venv <folder> && <folder>/bin/pip install presidio-analyzer litellm
//   node_modules/.bin/node test/second-opinion/guardrails.ts <folder>/bin/python [megabytes]
// Prints recall by type, and the matches in benign text per megabyte. Without a Python it prints only the gateway's
// figures.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Random } from '../support/access/random.ts';
import { projectRoot } from '../support/process.ts';
import { type BenignText, benignTexts, partNumbers } from '../unit/guardrails/foreign/benign.ts';
import {
  casesOfPresidio,
  countIn,
  isCovered,
  personalDataIn,
  plantedSecrets,
  secretsIn,
} from '../unit/guardrails/foreign/score.ts';

interface Span {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

type Peer = 'presidio' | 'litellm';

interface Seen {
  readonly id: number;
  readonly presidio?: readonly Span[];
  readonly litellm?: readonly Span[];
}

interface Row {
  readonly type: string;
  /** The form of a secret: the vendor or kind that it belongs to. */
  readonly form?: string;
  readonly text: string;
  readonly ours: boolean;
  /** Whether these spans contain the match that a peer must find. */
  isFound(spans: readonly Span[]): boolean;
}

const secretRows: readonly Row[] = plantedSecrets().map((one) => ({
  type: one.set,
  form: one.type,
  text: one.text,
  ours: isCovered(one, secretsIn(one.text)),
  isFound: (spans) => isCovered(one, spans),
}));

const personalRows: readonly Row[] = casesOfPresidio()
  .filter(({ count }) => count > 0)
  .map((one) => ({
    type: one.type,
    text: one.text,
    ours: countIn(one) >= one.count,
    isFound: (spans) => spans.filter(({ label }) => label === one.label).length >= one.count,
  }));

const megabytes = Number(process.argv[3] ?? 2);
const benign: readonly BenignText[] = [
  ...benignTexts(projectRoot, megabytes),
  { what: 'part numbers', file: 'made', text: partNumbers(new Random(7), 1000).join('\n') },
];
const rows = [...secretRows, ...personalRows];

async function peersOn(python: string, texts: readonly string[]): Promise<readonly Seen[]> {
  const script = fileURLToPath(new URL('guardrail_peers.py', import.meta.url));
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  for (const [id, text] of texts.entries()) child.stdin.write(`${JSON.stringify({ id, text })}\n`);
  child.stdin.end();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${python} ended with ${code}`);
  const [versions = '', ...lines] = out.trim().split('\n');
  process.stdout.write(`${versions}\n\n`);
  return lines.map((line) => JSON.parse(line) as Seen);
}

const line = (cells: readonly (string | number)[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);
const share = (found: number, all: number) => `${found}/${all} (${Math.round((100 * found) / all)} %)`;

/** In a set of secrets, how many forms are found in all their contexts and notations. */
function wholeForms(rows: readonly { readonly form: string; readonly isFound: boolean }[]): string {
  const forms = [...Map.groupBy(rows, ({ form }) => form).values()];
  return share(forms.filter((own) => own.every(({ isFound }) => isFound)).length, forms.length);
}

function printForms(seen: readonly Seen[]): void {
  line(['forms found in every context', 'ours', 'Presidio', 'LiteLLM content filter']);
  line(['---', '---', '---', '---']);
  const numbered = secretRows.map((row, id) => ({ row, id, form: row.form ?? row.type }));
  for (const [type, own] of Map.groupBy(numbered, ({ row }) => row.type)) {
    const of = (peer: Peer) => {
      const responses = own.flatMap(({ row, id, form }) =>
        seen[id]?.[peer] ? [{ form, isFound: row.isFound(seen[id][peer]) }] : [],
      );
      return responses.length === 0 ? '–' : wholeForms(responses);
    };
    const ours = wholeForms(own.map(({ row, form }) => ({ form, isFound: row.ours })));
    line([type, ours, of('presidio'), of('litellm')]);
  }
  process.stdout.write('\n');
}

function printRecall(seen: readonly Seen[]): void {
  line(['recall of', 'ours', 'Presidio', 'LiteLLM content filter']);
  line(['---', '---', '---', '---']);
  const numbered = rows.map((row, id) => ({ row, id }));
  for (const [type, own] of Map.groupBy(numbered, ({ row }) => row.type)) {
    const of = (peer: Peer) => {
      const responses = own.flatMap(({ row, id }) => (seen[id]?.[peer] ? [row.isFound(seen[id][peer])] : []));
      return responses.length === 0 ? '–' : share(responses.filter((isFound) => isFound).length, responses.length);
    };
    const ours = own.filter(({ row }) => row.ours).length;
    line([type, share(ours, own.length), of('presidio'), of('litellm')]);
  }
  process.stdout.write('\n');
}

function printBenign(seen: readonly Seen[]): void {
  const bytes = benign.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) / 1e6;
  const counts = new Map<string, Record<'ours' | Peer, number>>();
  const count = (label: string, who: 'ours' | Peer) => {
    const row = counts.get(label) ?? { ours: 0, presidio: 0, litellm: 0 };
    counts.set(label, row);
    row[who]++;
  };
  for (const [index, { text }] of benign.entries()) {
    for (const { label } of personalDataIn(text)) count(label, 'ours');
    for (const _ of secretsIn(text)) count('secrets', 'ours');
    const response = seen[rows.length + index];
    for (const peer of ['presidio', 'litellm'] as const)
      for (const { label } of response?.[peer] ?? []) count(label, peer);
  }
  process.stdout.write(`${bytes.toFixed(2)} MB of benign text, of them 1,000 lines with numbers of parts\n\n`);
  line(['found in benign text', 'ours', 'Presidio', 'LiteLLM content filter', 'ours per MB']);
  line(['---', '---', '---', '---', '---']);
  for (const [label, { ours, presidio, litellm }] of counts)
    line([label, ours, presidio, litellm, (ours / bytes).toFixed(1)]);
}

const python = process.argv[2];
const seen =
  python === undefined
    ? []
    : await peersOn(
        python,
        [...rows, ...benign].map(({ text }) => text),
      );
printRecall(seen);
printForms(seen);
printBenign(seen);
