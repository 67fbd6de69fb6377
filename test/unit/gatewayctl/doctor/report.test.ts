// The diagnosis as text and JSON: it contains no control characters for a terminal and no credential.
import { describe, expect, it } from 'vitest';
import { createCredential } from '../../../../common/credential.ts';
import type { Diagnosis } from '../../../../gatewayctl/doctor/doctor.ts';
import { type Finding, gravest, listed, ok, skipped, span, warning } from '../../../../gatewayctl/doctor/finding.ts';
import { reportJson, reportText } from '../../../../gatewayctl/doctor/report.ts';

const diagnosis = (...findings: Finding[]): Diagnosis => ({
  ...{ server: 'gateway.example:50051', findings },
  failed: findings.some(({ verdict }) => verdict === 'failed'),
});

describe('the doctor’s report', () => {
  it.each([
    [[ok('name', 'a')], 'all is well'],
    [[ok('name', 'a'), skipped('tls', 'b')], 'all is well'],
    [[ok('name', 'a'), warning('tls', 'b', 'c')], 'nothing failed; 1 to look at'],
    [[ok('name', 'a'), { check: 'tls', verdict: 'failed', says: 'b' } as const], '1 of 2 checks failed'],
  ])('ends with a summary: %#', (findings, last) => {
    expect(reportText(diagnosis(...findings))).toMatch(new RegExp(`\n${last}\n$`));
  });

  it('contains no control character and no credential from texts of servers and proxies', () => {
    const token = createCredential('operator');
    const hostile = warning('grpc', `\u001b[2J${token}\r\n`, `\u009b31m${token}`);
    for (const written of [reportText(diagnosis(hostile)), JSON.stringify(reportJson(diagnosis(hostile)))]) {
      expect(written.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
      expect(written).not.toContain(token);
      expect(written).toContain('[credential]');
    }
  });
});

describe('parts of the doctor’s sentences', () => {
  it.each([
    [0, '0 ms'],
    [1999, '1999 ms'],
    [2000, '2 s'],
    [-90_000, '90 s'],
    [119_999, '120 s'],
    [120_000, '2 min'],
    [7_200_000, '2 h'],
    [172_799_999, '48 h'],
    [172_800_000, '2 days'],
    [3 * 86_400_000 - 1, '2 days'],
  ])('a time span of %i ms', (ms, text) => {
    expect(span(ms)).toBe(text);
  });

  it('a long list names only the first few items', () => {
    expect(listed(['a', 'b'])).toBe('a, b');
    expect(listed(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe('a, b, c, d, e and 2 more');
  });

  it('the worst result is chosen, and the first of equals', () => {
    const [good, none, odd] = [ok('name', 'a'), skipped('name', 'b'), warning('name', 'c', 'd')];
    expect(gravest([good, none, odd, warning('name', 'later', '')], none)).toBe(odd);
    expect(gravest([good, ok('name', 'later')], odd)).toBe(good);
    expect(gravest([], odd)).toBe(odd);
  });
});
