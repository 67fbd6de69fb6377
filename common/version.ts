// The version of all programs, as package.json says it: they are released together.
import packageJson from '../package.json' with { type: 'json' };

export const version = packageJson.version;
