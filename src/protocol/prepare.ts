import type { JsonObject } from '../base/json.js';
import { DevCliError } from '../base/errors.js';
import { externalCommands } from '../recipe/capture.js';
import type { CapturedRecipe } from '../recipe/resolved.js';
import type { RunState } from '../run/state.js';
import { isTrusted } from '../store/trust.js';
import type { Context } from './context.js';

/** What `init` is given. */
export interface InitInput {
  recipe?: string;
  workflow?: string;
  quick?: boolean;
  standard?: boolean;
  autopilot?: boolean;
  interactive?: boolean;
  execute?: boolean;
  goal?: string;
  set?: Record<string, string>;
  force?: boolean;
  new?: boolean;
}

/** What a run is to be made of, settled before anything is touched. */
export type Prepared =
  /** A run of this recipe is there; it may be resumed without its recipe file. */
  | { kind: 'resume'; recipe: string; warnings: string[] }
  | {
      kind: 'new';
      recipe: string;
      captured: CapturedRecipe;
      mode: Record<string, string>;
      goal: string | null;
      vars: JsonObject;
      preferences: RunState['preferences'];
      warnings: string[];
    };
