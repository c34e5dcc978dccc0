import { join } from 'node:path';
import type { Browser } from 'playwright-core';

/** A picture for the docs: what it shows, how wide. */
interface Picture {
  file: string;
  /** Behind `#`. */
  route: string;
  width: number;
  scheme: 'light' | 'dark';
  /** What is done before it is taken. */
  press?: readonly string[];
  whole?: boolean;
}

export const PICTURES: readonly Picture[] = [
  { file: 'runs.png', route: '/', width: 1000, scheme: 'light' },
  { file: 'run.png', route: '/todos-40/todo-29', width: 1600, scheme: 'light' },
  { file: 'run-dark.png', route: '/todos-40/todo-29', width: 1600, scheme: 'dark' },
  { file: 'gate.png', route: '/delete-todos', width: 1000, scheme: 'light' },
  { file: 'narrow.png', route: '/todos-40/todo-29', width: 420, scheme: 'light' },
];

/** Takes pictures of pages that a server shows. @param url with a session behind `#` */
export async function takePictures(
  browser: Browser,
  url: string,
  directory: string,
  pictures = PICTURES,
): Promise<void> {
  for (const { file, route, width, scheme, press = [], whole = false } of pictures) {
    const context = await browser.newContext({
      ...{ viewport: { width, height: 1000 }, colorScheme: scheme, locale: 'en-GB', timezoneId: 'UTC' },
    });
    const page = await context.newPage();
    await page.goto(`${url}/#ticket=t${route}`);
    await page.locator('h1').waitFor();
    await page.waitForTimeout(300);
    for (const key of press) await page.keyboard.press(key);
    await page.screenshot({ path: join(directory, file), fullPage: whole, animations: 'disabled' });
    await context.close();
  }
}
