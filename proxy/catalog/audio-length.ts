// How long a piece of sound is at most, from its first bytes alone. Whoever sends it writes them: where they could say less than a
// vendor hears, the longest is taken.

/**
 * Seconds of sound in the file.
 * @param base64 its bytes, or a data URL of them
 * @returns undefined where its bytes bound nothing
 */
export function audioSecondsMax(base64: string): number | undefined {
  const at = base64.startsWith('data:') ? base64.indexOf(',') + 1 : 0;
  const head = Buffer.from(base64.slice(at, at + headChars), 'base64');
  const bytes = ((base64.length - at) / 4) * 3;
  const form = head.toString('latin1', 0, 4);
  // Silence takes next to nothing.
  if (form === 'fLaC') return undefined;
  if (form === 'RIFF') return wavSeconds(head, bytes);
  return bytes / (isMp3(head) ? mp3BytesPerSecond : bytesPerSecondMin);
}

const headChars = 64;
/** 8 kbit/s, the least of the format. */
const mp3BytesPerSecond = 1000;
/** Of formats for speech, where nobody speaks. */
const bytesPerSecondMin = 32;

function isMp3(head: Buffer): boolean {
  return head.toString('latin1', 0, 3) === 'ID3' || (head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0);
}

/** By the slower of the two rates that its header has: it could contradict itself. */
function wavSeconds(head: Buffer, bytes: number): number | undefined {
  if (head.length < 36 || head.toString('latin1', 12, 16) !== 'fmt ') return undefined;
  const channels = head.readUInt16LE(22);
  const samples = head.readUInt32LE(24);
  const bytesPerSecond = head.readUInt32LE(28);
  const bits = head.readUInt16LE(34);
  const slowest = Math.min(bytesPerSecond, (samples * channels * bits) / 8);
  return slowest > 0 ? bytes / slowest : undefined;
}
