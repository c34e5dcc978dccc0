import type { Browser } from 'playwright-core';

interface Window {
  width?: number;
  height?: number;
  scheme?: 'light' | 'dark';
  /** Whether `url` is a page in a file; by default it is the server's page, opened with a valid ticket. */
  isFile?: boolean;
}

/** Opens a route of a server's page, or of a file. The returned `faults` collects errors and requests to other servers. */
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
    // Skips the browser's own message about a request that failed, for example because the server is stopped.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load')) faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) faults.push(request.url());
  });
  await page.goto(isFile ? `${url}#${route}` : `${url}/#ticket=t${route}`);
  await page.locator('h1').waitFor();
  return { page, faults, close: () => context.close() };
}
