import type { HandlersOf } from '../../protocol/ports.js';
import type { HARNESS_SPECS } from './specs.js';

/** Handlers of the commands about harnesses. */
export const HANDLERS: HandlersOf<typeof HARNESS_SPECS> = {
  install: async (context, input, { cwd }) => (await import('./install/install.js')).install(context, input, cwd),
  uninstall: async (context, input, { cwd }) => (await import('./install/install.js')).uninstall(context, input, cwd),
  doctor: async (context, input, call) => (await import('./doctor/doctor.js')).runDoctor(context, input, call),
  'guard off': async (context, { name }) => (await import('./guard/switch.js')).switchGuard(context, name, 'off'),
  'guard on': async (context, { name }) => (await import('./guard/switch.js')).switchGuard(context, name, 'on'),
  hook: async (context, input, call) => (await import('./hooks/hook.js')).runHook(context, input, call),
  demo: async ({ library }, { change }) => (await import('./demo.js')).showDemo(library.shipped, change),
};
