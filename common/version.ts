// The version of all programs, from package.json: they are released together.
import packageJson from '../package.json' with { type: 'json' };

export const version = packageJson.version;
