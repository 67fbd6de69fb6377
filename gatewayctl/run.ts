// Parses the command line and runs one command.

/** @returns the exit code */
export async function runGatewayctl(_args: readonly string[]): Promise<number> {
  return await Promise.reject(new Error('not built yet'));
}
