import { describe, expect, it } from 'vitest';
import { createSealKey, parseSealKeys } from '../../../../common/seal.ts';
import {
  guardrailUrl,
  sealWebhookSecret,
  unsealWebhookSecret,
  webhookAddresses,
  webhookUrl,
} from '../../../../control-plane/domain/webhook.ts';

const publicAlone = webhookUrl(webhookAddresses({ deny: [], allow: [] }));

describe('URLs of webhooks', () => {
  it.each([
    ['https://hooks.example.com/a/b', 'https://hooks.example.com/a/b'],
    ['https://hooks.example.com', 'https://hooks.example.com/'],
    ['https://hooks.example.com:8443/?token=a%20b', 'https://hooks.example.com:8443/?token=a%20b'],
    ['HTTPS://HOOKS.example.com/A', 'https://hooks.example.com/A'],
    ['https://1.1.1.1/', 'https://1.1.1.1/'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
    [`https://hooks.example.com/${'a'.repeat(2022)}`, `https://hooks.example.com/${'a'.repeat(2022)}`],
  ])('%s is accepted', (text, url) => {
    expect(publicAlone(text)).toEqual({ value: url });
  });

  it.each([
    ['', 'empty'],
    ['hooks.example.com', 'without a scheme'],
    ['http://hooks.example.com/', 'plain http'],
    ['ftp://hooks.example.com/', 'another scheme'],
    ['https://user:secret@hooks.example.com/', 'credentials'],
    ['https://user@hooks.example.com/', 'a user'],
    ['https://hooks.example.com/#part', 'a fragment'],
    ['https://hooks.example.com/a b', 'a space'],
    ['https://hooks.example.com\\@10.0.0.1/', 'a backslash'],
    [`https://hooks.example.com/${'a'.repeat(2023)}`, 'too long'],
    ['https://127.0.0.1/', 'loopback'],
    ['https://2130706433/', 'loopback in decimal'],
    ['https://0177.0.0.1/', 'loopback in octal'],
    ['https://0x7f.1/', 'loopback in hexadecimal'],
    ['https://127.1/', 'loopback, short'],
    ['https://[::1]/', 'loopback of IPv6'],
    ['https://[::ffff:127.0.0.1]/', 'loopback mapped into IPv6'],
    ['https://[::ffff:a00:1]/', 'a private address mapped into IPv6'],
    ['https://10.0.0.1/', 'private'],
    ['https://172.16.0.1/', 'private'],
    ['https://192.168.0.1:8443/', 'private'],
    ['https://100.64.0.1/', 'shared'],
    ['https://169.254.1.1/', 'link-local'],
    ['https://169.254.169.254/latest/meta-data', 'metadata'],
    ['https://168.63.129.16/', 'metadata at a public address'],
    ['https://[fd00:ec2::254]/', 'metadata of IPv6'],
    ['https://[fe80::1]/', 'link-local of IPv6'],
    ['https://[64:ff9b::a00:1]/', 'a private address behind NAT64'],
    ['https://0.0.0.0/', 'this host'],
    ['https://metadata.google.internal/', 'metadata by name'],
    ['https://metadata.goog/', 'metadata by name'],
    ['https://localhost/', 'localhost'],
    ['https://localhost./', 'localhost, rooted'],
    ['https://printer/', 'a name without a dot'],
    ['https://hooks.svc.cluster.local/', 'a name of the cluster'],
    ['https://１２７.０.０.１/', 'loopback in wide digits'],
  ])('%s is refused: %s', (text) => {
    expect(publicAlone(text)).toHaveProperty('problems');
  });
});

describe('URLs of webhooks when the platform lists allowed addresses', () => {
  const rule = { deny: ['10.9.0.0/16', '1.1.1.0/24'], allow: ['10.0.0.0/8', 'fd12::/16', '169.254.0.0/16'] };
  const listed = webhookUrl(webhookAddresses(rule));

  it.each([
    'https://hooks.example.com/',
    'https://10.1.2.3:8443/a',
    'https://[fd12::1]/',
    'https://pager.ops.svc.cluster.local/',
    'https://pager.internal/',
  ])('%s is accepted', (url) => {
    expect(listed(url)).toEqual({ value: url });
  });

  it.each([
    ['http://pager.ops.svc.cluster.local/', 'plain http'],
    ['https://192.168.0.1/', 'not listed'],
    ['https://127.0.0.1/', 'not listed'],
    ['https://10.9.0.1/', 'denied'],
    ['https://1.1.1.1/', 'denied'],
    ['https://169.254.169.254/', 'metadata, though listed'],
    ['https://metadata.google.internal/', 'metadata by name'],
    ['https://pager/', 'a name that no DNS server knows'],
    ['https://localhost/', 'a name that no DNS server knows'],
    ['https://me@pager.internal/', 'a user'],
  ])('%s is refused: %s', (url) => {
    expect(listed(url)).toHaveProperty('problems');
  });
});

describe('URLs of guardrail services that proxies call', () => {
  it.each(['https://checks.example.com/', 'https://10.0.0.1:8443/a', 'https://checks.guards.svc.cluster.local/'])(
    '%s is accepted, because the proxies check it',
    (url) => {
      expect(guardrailUrl(url)).toEqual({ value: url });
    },
  );

  it.each([
    'http://checks.guards.svc/',
    'https://user@checks.example.com/',
    'https://169.254.169.254/',
    'https://metadata.google.internal/',
  ])('%s is refused', (url) => {
    expect(guardrailUrl(url)).toHaveProperty('problems');
  });
});

describe('secrets of webhooks', () => {
  const keys = parseSealKeys(createSealKey());
  const location = { organizationId: 'organization', webhookId: 'webhook', version: 1 };
  const sealed = sealWebhookSecret(keys, location, 'whsec_AAAA');

  it('are unsealed for their own webhook', () => {
    expect(unsealWebhookSecret(keys, location, sealed)).toBe('whsec_AAAA');
  });

  it.each([{ organizationId: 'other' }, { webhookId: 'other' }, { version: 2 }])(
    'are not unsealed for another record: %j',
    (elsewhere) => {
      expect(unsealWebhookSecret(keys, { ...location, ...elsewhere }, sealed)).toBeUndefined();
    },
  );

  it('are not unsealed with another master key', () => {
    expect(unsealWebhookSecret(parseSealKeys(createSealKey()), location, sealed)).toBeUndefined();
  });
});
