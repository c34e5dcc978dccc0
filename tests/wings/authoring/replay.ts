import type { Library } from '../../../src/recipe/load/library.js';
import type { RunState } from '../../../src/run/state.js';
import { NO_FIXTURES } from '../../../src/wings/authoring/fixtures.js';
import { type PlayResult, playScript } from '../../../src/wings/authoring/play.js';
import type { ReportedFinding } from '../../../src/wings/authoring/verify/report.js';
import { verifyRecipe } from '../../../src/wings/authoring/verify/verify.js';
import { libraryWith } from '../../core/recipe/library-fixture.js';

/** Creates a project with these recipes, whose keys are their names. */
export function projectWith(recipes: Record<string, string>, more: Record<string, string> = {}): Library {
  const files = Object.entries(recipes).map(([name, text]) => [`.dev/recipes/${name}.yaml`, text]);
  return libraryWith({ ...Object.fromEntries(files), ...more });
}

/** A finding whose script was played on the real protocol in memory. */
export interface Replayed {
  finding: ReportedFinding;
  play: PlayResult;
  state: RunState | null;
}

/** Verifies a recipe and plays each finding's script. @throws Error if the run departs from a script */
export async function replay(library: Library, name: string): Promise<Replayed[]> {
  const { report } = await verifyRecipe(library, name);
  const replayed: Replayed[] = [];
  for (const finding of report.findings) {
    const { given, steps, end } = finding.script;
    const signal = new AbortController().signal;
    const played = await playScript(name, { given, steps, end } as Parameters<typeof playScript>[1], {
      library,
      signal,
      fixtures: NO_FIXTURES,
    });
    if (played.findings.length > 0) {
      throw new Error(`${finding.kind}: ${played.findings[0]?.message}\n${JSON.stringify(finding.script, null, 1)}`);
    }
    replayed.push({ finding, play: played, state: played.last === null ? null : await played.on.read() });
  }
  return replayed;
}
