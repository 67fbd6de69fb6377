import { describe, expect, it } from 'vitest';
import { audioSecondsMax } from '../../../../proxy/catalog/audio-length.ts';
import { audioTokensMax } from '../../../../proxy/catalog/media-allowances.ts';

interface Wav {
  readonly channels?: number;
  readonly samples?: number;
  readonly bits?: number;
  readonly bytesPerSecond?: number;
  readonly chunk?: string;
}

/** A WAV file whose first 44 bytes are the header. */
function wav({ channels = 1, samples = 16_000, bits = 16, bytesPerSecond, chunk = 'fmt ' }: Wav, bytes: number) {
  const file = Buffer.alloc(bytes);
  file.write('RIFF', 0, 'latin1');
  file.write('WAVE', 8, 'latin1');
  file.write(chunk, 12, 'latin1');
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(samples, 24);
  file.writeUInt32LE(bytesPerSecond ?? (samples * channels * bits) / 8, 28);
  file.writeUInt16LE(bits, 34);
  return file.toString('base64');
}

const padded = (head: Buffer, bytes: number) =>
  Buffer.concat([head, Buffer.alloc(bytes - head.length)]).toString('base64');

describe('the longest duration of sound', () => {
  it.each<[string, string, number]>([
    ['as long as its header declares', wav({}, 96_000), 3],
    ['as long in a data URL', `data:audio/wav;base64,${wav({}, 96_000)}`, 3],
    ['half as long on two channels', wav({ channels: 2 }, 96_000), 1.5],
    [
      'as long as the slower of two rates allows, the sample rate',
      wav({ samples: 1, bytesPerSecond: 1e9 }, 96_000),
      48_000,
    ],
    ['as long as the slower of two rates allows, the byte rate', wav({ bytesPerSecond: 1 }, 96_000), 96_000],
    ['as long as the lowest rate of MP3 allows', padded(Buffer.from([0xff, 0xfb, 0x90]), 3000), 3],
    ['as long as the sound after a tag', padded(Buffer.from('ID3'), 3000), 3],
    ['as long as the densest speech in an unknown format', padded(Buffer.from('OggS'), 9600), 300],
  ])('sound lasts %s', (_what, base64, seconds) => {
    expect(audioSecondsMax(base64)).toBeCloseTo(seconds, 2);
  });

  it.each<[string, string]>([
    ['of FLAC', padded(Buffer.from('fLaC'), 4000)],
    ['of a WAV without a rate', wav({ samples: 0 }, 4000)],
    ['of a WAV that begins otherwise', wav({ chunk: 'JUNK' }, 4000)],
    ['of a WAV that ends in its header', wav({}, 96_000).slice(0, 20)],
  ])('the duration is unknown for sound %s', (_what, base64) => {
    expect(audioSecondsMax(base64)).toBeUndefined();
  });

  it('the most tokens of sound follow each vendor’s rule', () => {
    const second = wav({}, 31_998);
    expect(audioTokensMax('gpt-provider/gpt-audio', second)).toBe(11);
    expect(audioTokensMax('search-provider/gemini-2.5-flash', second)).toBe(33);
    expect(audioTokensMax('acme/m', second)).toBe(51);
    expect(audioTokensMax('acme/m', padded(Buffer.from('fLaC'), 40))).toBe(Number.POSITIVE_INFINITY);
  });
});
