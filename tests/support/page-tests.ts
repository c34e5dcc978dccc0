import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { startPageServer } from './page-server.js';
import { createStage } from './page-stage.js';
import { openPage } from './page-window.js';

/** What each test starts with. */
interface Scene {
  stage: ReturnType<typeof createStage>;
  server: Awaited<ReturnType<typeof startPageServer>>;
}

/** Creates a stage and its server for each test of a file; afterwards closes the server and all pages. */
export function stageEach(browser: Browser | null) {
  const scene = {} as Scene;
  const opened: { close: () => Promise<void> }[] = [];
  beforeEach(async () => {
    scene.stage = createStage();
    scene.server = await startPageServer(scene.stage);
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await scene.server.stop();
  });
  afterAll(() => browser?.close());
  return {
    scene,
    async open(route: string, options: Parameters<typeof openPage>[3] = {}) {
      if (browser === null) throw new Error('no browser');
      const one = await openPage(browser, scene.server.url, route, options);
      opened.push(one);
      return one;
    },
  };
}
