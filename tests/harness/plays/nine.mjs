// One block with nine subagents in Codex CLI, which allows six at a time: each is closed once it has delivered.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, isThere } from '../player.mjs';

export const title = 'nine subagents of one block, six at a time';
export const cannot = { gemini: 'it has no limit of living subagents' };
export const prompt = 'Look around with nine agents.';

const IDS = Array.from({ length: 9 }, (_, index) => `looker-${index + 1}`);

export function prepare(project) {
  mkdirSync(join(project.root, '.dev', 'recipes'), { recursive: true });
  const agents = IDS.map(
    (id) => `      - { id: ${id}, type: code-explorer, prompt: Look., output: findings/${id}.md }`,
  );
  writeFileSync(
    join(project.root, '.dev', 'recipes', 'nine.yaml'),
    `name: nine\ntype: sequential\nskill: open\nblocks:\n  - id: look\n    type: subagent\n    agents:\n${agents.join('\n')}\n`,
  );
}

const agentTool = (tool, input) => ({ tool, ns: 'multi_agent_v1', input });

export async function* play(ctx) {
  const { next } = yield* call(ctx, 'dev-cli init nine --recipe nine --goal Look');
  const waiting = [...next.agents];
  const living = [];
  let most = 0;
  while (waiting.length + living.length > 0) {
    const agent = waiting[0];
    const message = `AGENT ${agent?.id} output=${agent?.output}`;
    const [spawned] =
      agent === undefined ? [{}] : yield agentTool('spawn_agent', { agent_type: `dev-cli-${agent.type}`, message });
    if (spawned.json?.agent_id !== undefined) {
      living.push(spawned.json.agent_id);
      waiting.shift();
      most = Math.max(most, living.length);
      continue;
    }
    const target = living.shift();
    yield agentTool('wait_agent', { targets: [target], timeout_ms: 60_000 });
    yield agentTool('close_agent', { target });
  }
  assert.equal(most, 6);
  const answer = yield* call(ctx, next.ack);
  assert.equal(answer.next.outcome, 'completed');
  yield 'Done.';
}

async function* look(ctx) {
  const [, id = '', output = ''] = /AGENT (\S+) output=(\S+)/.exec(ctx.request().firstUser) ?? [];
  const matter = `agent: ${id}\ntimestamp: 2026-01-01T00:00:00Z\nsummary: Nothing odd.`;
  yield ctx.write(output, `---\n${matter}\n---\n\nNothing odd.\n`);
  yield 'Done.';
}

export const agents = Object.fromEntries(IDS.map((id) => [`AGENT ${id} `, look]));

export function check(project) {
  for (const id of IDS) assert.ok(isThere(project, `.dev/specs/nine/findings/${id}.md`), id);
}
