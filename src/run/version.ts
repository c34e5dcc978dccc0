/** Version of state.json's format (storage.md, state.json). */
export const SCHEMA_VERSION = 3;
