import { existsSync } from 'node:fs';
import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

/** Browsers of the machine, tried where the one of the package does not start. */
const FOUND = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Starts Chromium; null where there is none that starts: then what needs it is skipped. */
export async function launchBrowser(): Promise<Browser | null> {
  const args = sparticuz.args.filter((one) => one !== '--disable-web-security');
  const packaged = await sparticuz.executablePath().catch(() => null);
  for (const executablePath of [packaged, ...FOUND.filter(existsSync)]) {
    if (executablePath === null) continue;
    const browser = await chromium.launch({ executablePath, args }).catch(() => null);
    if (browser !== null) return browser;
  }
  return null;
}
