import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
export interface MachineProject {
  project: string;
  remote_url: string;
  trust: string[];
}
export interface MachineConfig {
  name: string;
  slots: number;
  leaseSeconds: number;
  projects: MachineProject[];
  clones: string;
}
export function readMachineConfig(context: { home: string }, env: NodeJS.ProcessEnv): MachineConfig {
  const base = env['XDG_CONFIG_HOME'] || `${context.home}/.config`;
  const found = parse(readFileSync(`${base}/dev-cli/fleet.yaml`, 'utf8'));
  return {
    name: found.name,
    slots: found.slots ?? 2,
    leaseSeconds: found.lease_seconds ?? 60,
    projects: found.projects,
    clones: `${env['XDG_STATE_HOME'] || `${context.home}/.local/state`}/dev-cli/fleet`,
  };
}
export async function resolveDatabaseUrl(_context: unknown, call: { env: NodeJS.ProcessEnv }): Promise<string> {
  const url = call.env['DEV_CLI_DATABASE'] ?? '';
  delete call.env['DEV_CLI_DATABASE'];
  return url;
}
