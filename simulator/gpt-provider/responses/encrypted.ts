// Encrypted content of reasoning and of compacted conversations. Valid content proves that this simulator made it for
// the same account (API key). The key is no secret; no other program is likely to use it.
import { createHash, createHmac } from 'node:crypto';
import { Refusal } from '../refusal.ts';

const prefix = 'gAAAAAB';
const markBytes = 32;

/** @param account the API key. @param text what the content stands for */
export function encryptedFor(account: string, text: string): string {
  const payload = createHash('sha512').update(text).digest();
  return prefix + Buffer.concat([mark(account, payload), payload]).toString('base64url');
}

/** @throws Refusal 400, for content of another account or another program */
export function checkEncrypted(account: string, content: string): void {
  const bytes = Buffer.from(content.slice(prefix.length), 'base64url');
  const payload = bytes.subarray(markBytes);
  // The decoder ignores characters that are not base64, but all issued content is canonical.
  const canonical = content === prefix + bytes.toString('base64url');
  if (canonical && mark(account, payload).equals(bytes.subarray(0, markBytes))) return;
  const shown = content.length < 12 ? content : `${content.slice(0, 4)}...${content.slice(-4)}`;
  const message = `The encrypted content ${shown} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
  throw new Refusal(400, { message, code: 'invalid_encrypted_content' });
}

function mark(account: string, payload: Buffer): Buffer {
  return createHmac('sha256', `simulated encryption ${account}`).update(payload).digest();
}
