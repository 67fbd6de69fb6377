import { describe, expect, it } from 'vitest';
import { plainBase64 } from '../../../../common/plain-base64.ts';
import { readDataUrl, sniffBase64Image, sniffImage } from '../../../../proxy/conversation/media.ts';

describe('a data URL', () => {
  it.each([
    ['data:image/png;base64,aGk=', 'image/png'],
    ['DATA:Image/PNG;Base64,aGk=', 'image/png'],
    ['data:text/plain;charset=utf-8;base64,aGk=', 'text/plain'],
    ['data:application/vnd.a+json;base64,aGk=', 'application/vnd.a+json'],
    ['data:;base64,aGk=', ''],
  ])('%s has the media type %j', (url, mediaType) => {
    expect(readDataUrl(url, 'x')).toEqual({ mediaType, base64: 'aGk=' });
  });

  it.each(['https://example.com', '', 'image/png;base64,aGk='])('%j is not a data URL', (url) => {
    expect(readDataUrl(url, 'x')).toBeUndefined();
  });

  it.each([
    'data:',
    'data:,',
    'data:image/png,hi',
    'data:image/png;base64',
    'data:image/png;base64,',
    'data:image/png;base64,a',
    'data:image/png;base64,a%20b',
    'data:a b;base64,aGk=',
  ])('%s is malformed', (url) => {
    expect(() => readDataUrl(url, 'x.url')).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'x.url' }),
    );
  });
});

describe('base64 text', () => {
  it.each([
    ['aGk=', 'aGk='],
    ['aA==', 'aA=='],
    ['aGVs', 'aGVs'],
    ['aGk', 'aGk='],
    ['aG-_', 'aG+/'],
    ['aG\r\nVs\n', 'aGVs'],
    ['aG\nk=\n', 'aGk='],
    ['', undefined],
    ['a', undefined],
    ['a===', undefined],
    ['aG=k', undefined],
    ['aG%k', undefined],
  ])('%j is sent as %j', (text, expected) => {
    expect(plainBase64(text)).toBe(expected);
  });
});

describe('the type of an image', () => {
  it.each([
    ['89504e470d0a1a0a', 'image/png'],
    ['ffd8ffe0', 'image/jpeg'],
    ['474946383961', 'image/gif'],
    ['474946383761', 'image/gif'],
    ['52494646000a0d0057454250', 'image/webp'],
    ['524946460000000041564920', undefined],
    ['25504446', undefined],
    ['', undefined],
  ])('is recognized by its bytes: %s is %s', (hex, expected) => {
    const bytes = Buffer.from(hex, 'hex');
    expect(sniffImage(bytes)).toBe(expected);
    expect(sniffBase64Image(bytes.toString('base64'))).toBe(expected);
  });
});
