// A running plane's data about itself: metrics and readiness on its admin listener, and its log lines.

export interface Observed {
  readonly adminUrl: string;
}

/** The sum of a metric's samples with these labels; 0 if there is none. */
export async function metric(
  { adminUrl }: Observed,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  let sum = 0;
  for (const line of text.split('\n')) {
    const [, sample, shown = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (sample === name && wanted.every((label) => shown.split(',').includes(label))) sum += Number(value);
  }
  return sum;
}

/** "ok", or the reason why the plane is not ready; undefined once its admin listener is closed. */
export async function readiness({ adminUrl }: Observed): Promise<string | undefined> {
  const response = await fetch(`${adminUrl}/readyz`).catch(() => undefined);
  return (await response?.text())?.trim();
}

export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

/** The lines of a log with this message, oldest first. */
export function logged(log: readonly string[] | string, message: string): readonly LogLine[] {
  const lines = typeof log === 'string' ? log.split('\n') : log;
  return lines
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine)
    .filter(({ msg }) => msg === message);
}
