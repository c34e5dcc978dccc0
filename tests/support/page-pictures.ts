import { join } from 'node:path';
import type { Browser } from 'playwright-core';

/** A picture for the docs: its content and width. */
interface Picture {
  file: string;
  /** The part of the address after `#`. */
  route: string;
  width: number;
  scheme: 'light' | 'dark';
}

export const PICTURES: readonly Picture[] = [
  { file: 'runs.png', route: '/', width: 1000, scheme: 'light' },
  { file: 'run.png', route: '/todos-40/todo-29', width: 1600, scheme: 'light' },
  { file: 'run-dark.png', route: '/todos-40/todo-29', width: 1600, scheme: 'dark' },
  { file: 'gate.png', route: '/delete-todos', width: 1000, scheme: 'light' },
  { file: 'narrow.png', route: '/todos-40/todo-29', width: 420, scheme: 'light' },
];

/** Takes the pictures for the docs from a server that shows `createStage`. */
export async function takePictures(browser: Browser, url: string, directory: string): Promise<void> {
  for (const { file, route, width, scheme } of PICTURES) {
    const context = await browser.newContext({
      ...{ viewport: { width, height: 1000 }, colorScheme: scheme, locale: 'en-GB', timezoneId: 'UTC' },
    });
    const page = await context.newPage();
    await page.goto(`${url}/#ticket=t${route}`);
    await page.locator('h1').waitFor();
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(directory, file), animations: 'disabled' });
    await context.close();
  }
}
