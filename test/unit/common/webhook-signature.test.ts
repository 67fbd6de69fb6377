import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { createWebhookSecret, signedHeaders } from '../../../common/webhook-signature.ts';

const body = '{"type":"budget.threshold_reached","data":{"name":"Größe €"}}';
const message = { id: '01980000-0000-7000-8000-000000000001', at: Date.now(), body };

describe('signatures of webhooks', () => {
  it('match the example of the specification', () => {
    // The example is the specification's own.
    const headers = signedHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      at: 1_614_265_330_000,
      body: '{"test": 2432232314}',
    });
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('are accepted by the public verifier', () => {
    const secret = createWebhookSecret();
    expect(new Webhook(secret).verify(body, signedHeaders(secret, message))).toEqual(JSON.parse(body));
  });

  it('are refused with another secret, body, id or time', () => {
    const secret = createWebhookSecret();
    const headers = signedHeaders(secret, message);
    const verifier = new Webhook(secret);
    expect(() => new Webhook(createWebhookSecret()).verify(body, headers)).toThrow('No matching signature');
    expect(() => verifier.verify(`${body} `, headers)).toThrow('No matching signature');
    expect(() => verifier.verify(body, { ...headers, 'webhook-id': 'other' })).toThrow('No matching signature');
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => verifier.verify(body, { ...headers, 'webhook-timestamp': later })).toThrow('No matching signature');
  });
});

describe('secrets of webhooks', () => {
  it('are 32 random bytes after whsec_', () => {
    const [one, other] = [createWebhookSecret(), createWebhookSecret()];
    expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(other).not.toBe(one);
  });
});
