// Labelled texts for personal data, written for these tests: values in typical contexts, sentences in a dozen
// languages, similar texts that are not personal data, and disguises.
import { alike } from './personal-data/alike.ts';
import { disguised, missed } from './personal-data/disguised.ts';
import { sentences } from './personal-data/prose.ts';
import { addresses, cards, emails, ibans, nationalIds, phones } from './personal-data/values.ts';

export interface LabelledSpan {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

export interface LabelledText {
  readonly text: string;
  /** The country whose phone numbers are matched without a country code. */
  readonly country: string;
  readonly spans: readonly LabelledSpan[];
}

const labels: Readonly<Record<string, string>> = {
  E: 'EMAIL',
  T: 'PHONE',
  C: 'PAYMENT_CARD',
  B: 'IBAN',
  N: 'NATIONAL_ID',
  I: 'IP_ADDRESS',
};

const locations = [
  '%',
  'Please use % from now on.',
  '{"value":"%","state":"open"}',
  'name;value;state\nDoe;%;open\n',
  'const value = "%";',
  '2026-11-22T10:15:03Z INFO saved value=% status=200',
  '"%", she wrote.',
  'Kind regards\nJane Doe\n%\nExample Ltd',
  '| Jane Doe | % | yes |',
  '<td>%</td>',
  '(%)',
  'It was %, was it not?',
  'Das ist %. Danke!',
  "('%', 17, NULL)",
];

/** Puts each value into three contexts, in turn. */
function inPositions(values: string, letter: string): readonly string[] {
  return lines(values).flatMap((line, index) => {
    const [, country = '', before = '', value = ''] = /^(?:([A-Z]{2})>)?(?:(.*)\|)?(.*)$/.exec(line) ?? [];
    return [0, 5, 9].map((step) => {
      const location = locations[(index + step) % locations.length] ?? '%';
      return `${country === '' ? '' : `${country}>`}${location.replace('%', () => `${before}‹${letter} ${value}›`)}`;
    });
  });
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

function parse(line: string): LabelledText {
  const [, country = 'US', marked = ''] = /^(?:([A-Z]{2})>)?(.*)$/s.exec(line) ?? [];
  const spans: LabelledSpan[] = [];
  let text = '';
  for (const part of marked.replaceAll('\\n', '\n').split(/(‹[^›]*›)/)) {
    const [, letter, value] = /^‹(.) ([^›]*)›$/.exec(part) ?? [];
    const start = text.length;
    text += value ?? part;
    if (letter !== undefined) spans.push({ start, end: text.length, label: labels[letter] ?? letter });
  }
  return { text, country, spans };
}

export const corpus: readonly LabelledText[] = [
  ...inPositions(emails, 'E'),
  ...inPositions(phones, 'T'),
  ...inPositions(cards, 'C'),
  ...inPositions(ibans, 'B'),
  ...inPositions(nationalIds, 'N'),
  ...inPositions(addresses, 'I'),
  ...[sentences, alike, disguised, missed].flatMap(lines),
].map(parse);
