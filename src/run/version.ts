/** Version of state.json's format; one migration per step leads up to it (storage.md, state.json). */
export const SCHEMA_VERSION = 2;
