import { sha256 } from '../../base/sha256.js';
import shipped from '../../generated/shipped-texts.js';
import type { CapturedAgent, CapturedRecipe } from '../resolved.js';

// What ships is read and judged when dev-cli is built (scripts/shipped-texts.ts). A text is known by its digest: one that has been
// changed since is read and judged like everybody's.

/** What `scripts/shipped-texts.ts` finds out. */
export interface ShippedTexts {
  /** The data of YAML files, by the digest of their text. */
  yaml: Readonly<Record<string, Record<string, unknown>>>;
  /** Agent definitions, by the digest of their text. */
  agents: Readonly<Record<string, ShippedAgent>>;
  /** The digests of the recipes in which lint finds nothing, all their sources shipped. */
  sound: readonly string[];
}

interface ShippedAgent {
  captured: CapturedAgent;
  /** `AgentDefinition.maySave`. */
  maySave: boolean;
}

/** Returns the data of a YAML file that ships; undefined for any other text. */
export function findShippedYaml(text: string): Record<string, unknown> | undefined {
  return shipped.yaml[sha256(text)];
}

/** Returns what a shipped agent definition says; undefined for any other text. */
export function findShippedAgent(text: string): ShippedAgent | undefined {
  return shipped.agents[sha256(text)];
}

/** Whether a recipe ships, with all that it uses, and was found without fault. */
export function isKnownSound({ digest }: Pick<CapturedRecipe, 'digest'>): boolean {
  return shipped.sound.includes(digest);
}
