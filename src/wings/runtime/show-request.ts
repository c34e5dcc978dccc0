import type { Answer } from '../../base/answer.js';
import { findModel } from './core/models.js';
import { openRuntime, type RuntimeCall } from './runtime.js';
import type { SessionTool } from './tools/tool.js';

/**
 * `--dry-run`: shows the first request, its provider and the permissions (runtime.md, Commands). Sends and writes
 * nothing; starts no MCP servers.
 * @param own tools in addition to those of every session
 * @param message the user's first message
 * @throws DevCliError as `openRuntime`
 */
export async function showDryRun(
  scene: Omit<RuntimeCall, 'emit'>,
  own: readonly SessionTool[],
  message: string,
): Promise<Answer> {
  const runtime = await openRuntime({ ...scene, emit: () => {} });
  try {
    const { config, model, sandbox } = runtime;
    const { window, prices, source } = findModel(model.full, config.models);
    const request = {
      ...(await runtime.describe(scene.kind, own)),
      messages: [{ role: 'user', blocks: [{ type: 'text', text: message }] }],
    };
    const json = {
      ...{ ok: true, model: model.full, key: model.keySource, prices, price_source: source, window },
      ...{
        mode: config.mode,
        sandbox: sandbox !== null,
        rules: config.rules,
        mcp_servers: Object.keys(config.mcpServers),
      },
      ...{ request, ...(config.warnings.length > 0 && { warnings: config.warnings }) },
    };
    const lines = [
      `model: ${model.full}, ${window === null ? 'window unknown' : `${window} tokens`}`,
      `key: ${model.keySource}`,
      `price: ${prices === null ? 'unknown' : `${prices.input} USD per million input tokens, ${prices.output} per million output tokens`}`,
      `mode: ${config.mode}; sandbox: ${sandbox === null ? 'no' : 'yes'}`,
      ...(['deny', 'ask', 'allow'] as const).flatMap((list) => config.rules[list].map((rule) => `${list}: ${rule}`)),
      `tools: ${request.tools.map(({ name }) => name).join(', ')}`,
      ...request.system.map(({ text }) => `\n${text}`),
      `\n${message}`,
      ...config.warnings.map((line) => `\nwarning: ${line}`),
    ];
    return { exit: 0, json, text: () => lines.join('\n') };
  } finally {
    await runtime.close();
  }
}
