// Invariants of the table of vendors that its types cannot express.
import { describe, expect, it } from 'vitest';
import {
  canonicalVendorName,
  isEndpoint,
  isRegion,
  isVendorName,
  vendorNames,
  vendors,
} from '../../../common/vendors.ts';
import { providerSettings } from '../../../control-plane/domain/provider-key.ts';
import { checkEndpoint, checkRegion } from '../../../proxy/upstream/base-urls.ts';

describe('names of vendors', () => {
  it('each mean one vendor', () => {
    const names = vendorNames.flatMap((name) => [name, ...vendors[name].aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(['constructor', 'toString', '__proto__', '', 'openai/gpt-4o'])('do not include %j', (text) => {
    expect(isVendorName(text)).toBe(false);
    expect(canonicalVendorName(text)).toBeUndefined();
  });
});

const region = (length: number) => `eu-${'w'.repeat(length - 5)}-1`;
const settingsOf = providerSettings('managed-cloud-models', () => false);

describe('a region', () => {
  it.each(['eu-west-1', 'us-gov-east-12', region(32), region(33), region(64)])(
    'that the control plane stores is accepted by the proxy: %s',
    (text) => {
      expect(isRegion(text)).toBe(true);
      expect(settingsOf({ region: text })).toHaveProperty('value.region', text);
      expect(checkRegion(text)).toBe(text);
    },
  );

  it.each(['eu-west', 'EU-WEST-1', 'eu-west-1.example.com', 'eu-west-1/', region(65)])(
    'is refused by both planes when it could name another host: %s',
    (text) => {
      expect(settingsOf({ region: text })).toHaveProperty('problems');
      expect(() => checkRegion(text)).toThrow();
    },
  );
});

describe('an endpoint', () => {
  it.each(['my-resource', 'a.b', 'a'.repeat(63)])('is accepted by both planes: %s', (text) => {
    expect(isEndpoint(text)).toBe(true);
    expect(checkEndpoint(text)).toBe(text);
  });

  it.each(['My-Resource', 'a'.repeat(64), 'a@b', 'a/b', '', '-a'])('is refused by both planes: %j', (text) => {
    expect(isEndpoint(text)).toBe(false);
    expect(() => checkEndpoint(text)).toThrow();
  });
});
