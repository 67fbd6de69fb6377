// Settings, start, signals, exit code. 64 = settings cannot be used, 1 = could not start, 0 = drained.

export async function runInjector(): Promise<void> {
  await Promise.reject(new Error('not built yet'));
}
