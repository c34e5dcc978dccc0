import packageJson from '../../package.json' with { type: 'json' };

/** The version of dev-cli, as it is recorded with every run. */
export const VERSION: string = packageJson.version;
