import packageJson from '../../package.json' with { type: 'json' };

/** The version of dev-cli, recorded with every run. */
export const VERSION: string = packageJson.version;
