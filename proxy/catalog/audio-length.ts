// The greatest possible length of a piece of sound, from its first bytes alone. The sender writes those bytes: where
// they could state less than a vendor would hear, the longest possible length counts.

/**
 * Seconds of sound in the file.
 * @param base64 its bytes, or a data URL of them
 * @returns undefined if the bytes give no bound
 */
export function audioSecondsMax(base64: string): number | undefined {
  const at = base64.startsWith('data:') ? base64.indexOf(',') + 1 : 0;
  const head = Buffer.from(base64.slice(at, at + headChars), 'base64');
  const bytes = ((base64.length - at) / 4) * 3;
  const form = head.toString('latin1', 0, 4);
  // Silence takes almost no bytes.
  if (form === 'fLaC') return undefined;
  if (form === 'RIFF') return wavSeconds(head, bytes);
  return bytes / (isMp3(head) ? mp3BytesPerSecond : bytesPerSecondMin);
}

const headChars = 64;
/** 8 kbit/s, the lowest rate of the format. */
const mp3BytesPerSecond = 1000;
/** The lowest rate of formats for speech, during silence. */
const bytesPerSecondMin = 32;

function isMp3(head: Buffer): boolean {
  return head.toString('latin1', 0, 3) === 'ID3' || (head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0);
}

/** Uses the slower of the two rates in the header, because they may contradict each other. */
function wavSeconds(head: Buffer, bytes: number): number | undefined {
  if (head.length < 36 || head.toString('latin1', 12, 16) !== 'fmt ') return undefined;
  const channels = head.readUInt16LE(22);
  const samples = head.readUInt32LE(24);
  const bytesPerSecond = head.readUInt32LE(28);
  const bits = head.readUInt16LE(34);
  const slowest = Math.min(bytesPerSecond, (samples * channels * bits) / 8);
  return slowest > 0 ? bytes / slowest : undefined;
}
