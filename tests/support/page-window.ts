import type { Browser } from 'playwright-core';

interface Window {
  width?: number;
  height?: number;
  scheme?: 'light' | 'dark';
  /** By default the server's page, with a ticket that it takes. */
  isFile?: boolean;
}

/** Opens a page of a server, or a file, at a place of it. `faults`: what the page has complained about, and what it asked of others. */
export async function openPage(browser: Browser, url: string, route: string, options: Window = {}) {
  const { width = 1280, height = 1600, scheme = 'light', isFile = false } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    locale: 'en-GB',
    timezoneId: 'Asia/Tokyo',
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    // That a server is away is said by the browser, too.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load')) faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) faults.push(request.url());
  });
  await page.goto(isFile ? `${url}#${route}` : `${url}/#ticket=t${route}`);
  await page.locator('h1').waitFor();
  return { page, faults, close: () => context.close() };
}
