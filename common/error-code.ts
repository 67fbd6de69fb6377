// An error in a word that may be logged anywhere: messages of connection errors name the host, and some say more.

export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error ? String(error.code) : error.name;
}
