// The doctor's verdicts on single programs, from their admin listeners, and on the end dates of their certificates.
import { describe, expect, it } from 'vitest';
import { checkCertificates } from '../../../../gatewayctl/doctor/certificates.ts';
import { checkProgram } from '../../../../gatewayctl/doctor/program.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const day = 86_400_000;

describe('the doctor’s check of a program by its admin listener', () => {
  const url = 'http://127.0.0.1:9092';
  const injector = 'gateway_injector_reviews_total{outcome="injected"} 3\n';
  const keeper = 'gateway_keeper_leader 1\ngateway_keeper_webhook_present 1\n';

  it.each([
    ['does not respond', { error: 'ECONNREFUSED' }, 'failed', 'no response (ECONNREFUSED)'],
    ['is a ready injector', { metrics: injector }, 'ok', '(injector): ready'],
    [
      'is a ready control plane',
      { metrics: 'gateway_control_plane_feed_revision 7\n' },
      'ok',
      '(control plane): ready',
    ],
    ['is a ready keeper', { metrics: keeper }, 'ok', '(keeper): ready'],
    [
      'is a proxy',
      { metrics: 'gateway_in_flight_requests 0\ngateway_feed_age_seconds 90\n' },
      'failed',
      'its feed is 90 s old',
    ],
    ['is something else', { metrics: 'up 1\n' }, 'warning', 'none of the gateway’s'],
    [
      'is a keeper that fails',
      { metrics: `${keeper}gateway_keeper_task_failing{task="image"} 1\n` },
      'failed',
      'fails at image',
    ],
    [
      'is a keeper without webhooks',
      { metrics: keeper.replace('present 1', 'present 0') },
      'warning',
      'pods start without sidecars',
    ],
  ] as const)('that %s', (_what, over, verdict, says) => {
    const seen = 'error' in over ? over : { ready: true, reason: 'ok', ...over };
    expect(checkProgram(url, seen)).toMatchObject({ verdict, says: expect.stringContaining(says) });
  });

  it('that waits for an image reports the name of the image it found', () => {
    const reason =
      'not ready: the sidecar’s image is the placeholder registry.invalid/model-gateway/proxy:0.1.0: name your own';
    expect(checkProgram(url, { ready: false, reason, metrics: injector })).toMatchObject({
      verdict: 'failed',
      says: expect.stringContaining('placeholder registry.invalid/model-gateway/proxy:0.1.0'),
      advice: expect.stringContaining('in your kustomization'),
    });
  });
});

describe('the doctor’s check of certificates that a program reports', () => {
  const seen = (...ends: readonly number[]) => ({
    ...{ ready: true, reason: 'ok' },
    metrics: ends
      .map((end, index) => `gateway_certificate_not_after_seconds{use="use-${index}"} ${end / 1000}`)
      .join('\n'),
  });

  it.each([
    ['none', [], undefined, ''],
    ['all far from their end', [now + 60 * day, now + 22 * day], 'ok', 'use-1 ends in 22 days'],
    ['one that ends soon', [now + 60 * day, now + 20 * day], 'warning', 'use-1 ends in 20 days'],
    ['one that ends now', [now + 6 * day, now + 20 * day], 'failed', 'use-0 ends in 6 days'],
    ['one that has ended', [now + 60 * day, now - day], 'failed', 'use-1 has ended 24 h ago'],
  ] as const)('%s', (_what, ends, verdict, says) => {
    const finding = checkCertificates('http://x', seen(...ends), now);
    expect(finding?.verdict).toBe(verdict);
    expect(finding?.says ?? '').toContain(says);
  });

  it('is left out when the program does not respond or shows no metrics', () => {
    expect(checkCertificates('http://x', { error: 'ECONNREFUSED' }, now)).toBeUndefined();
    expect(checkCertificates('http://x', { ready: true, reason: 'ok', metrics: undefined }, now)).toBeUndefined();
  });
});
