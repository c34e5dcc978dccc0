import { sha256 } from '../../base/sha256.js';
import shipped from '../../generated/shipped-texts.js';
import type { CapturedAgent, CapturedRecipe } from '../captured.js';

// Shipped files are parsed and linted when dev-cli is built (scripts/shipped-texts.ts) and recognised by the digest of
// their text. A shipped file that was changed since is parsed and linted like any other.

/** The results of `scripts/shipped-texts.ts`. */
export interface ShippedTexts {
  /** The data of YAML files, by the digest of their text. */
  yaml: Readonly<Record<string, Record<string, unknown>>>;
  /** Agent definitions, by the digest of their text. */
  agents: Readonly<Record<string, ShippedAgent>>;
  /** The digests of recipes that use only shipped files and in which lint found nothing. */
  sound: readonly string[];
}

interface ShippedAgent {
  captured: CapturedAgent;
  /** See `AgentDefinition.maySave`. */
  maySave: boolean;
}

/** Returns the data of a shipped YAML file; undefined for any other text. */
export function findShippedYaml(text: string): Record<string, unknown> | undefined {
  return shipped.yaml[sha256(text)];
}

/** Returns the parsed definition of a shipped agent; undefined for any other text. */
export function findShippedAgent(text: string): ShippedAgent | undefined {
  return shipped.agents[sha256(text)];
}

/** Whether a recipe is shipped with all that it uses, and lint found no fault in it. */
export function isKnownSound({ digest }: Pick<CapturedRecipe, 'digest'>): boolean {
  return shipped.sound.includes(digest);
}
