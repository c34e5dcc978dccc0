import { existsSync } from 'node:fs';

/** Browsers of the machine, tried where the package's browser does not start. */
const FOUND = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Removed from the package's arguments: with one process the browser ends with its first window, and pages must be as
 * safe as they are for people.
 */
const UNWANTED = ['--single-process', '--no-zygote', '--disable-web-security', '--allow-running-insecure-content'];

/** Its own arguments have a processor play the graphics card, which costs more than to draw without one. */
const GRAPHICS = ['--ignore-gpu-blocklist', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

/** Why something that needs a browser is left out. */
export const NO_BROWSER = 'no Chromium starts on this machine';

/**
 * Starts Chromium; null where none starts.
 * @returns {Promise<import('playwright-core').Browser | null>}
 */
export async function launchBrowser() {
  // An installed package has neither of these.
  const [driver, packaged] = await Promise.all([
    import('playwright-core').catch(() => null),
    import('@sparticuz/chromium').catch(() => null),
  ]);
  if (driver === null) return null;
  const own = (packaged?.default.args ?? []).filter((one) => ![...UNWANTED, ...GRAPHICS].includes(one));
  const args = [...own, '--disable-gpu'];
  const unpacked = await packaged?.default.executablePath().catch(() => undefined);
  for (const executablePath of [unpacked, ...FOUND.filter(existsSync)]) {
    if (executablePath === undefined) continue;
    const browser = await driver.chromium.launch({ executablePath, args }).catch(() => null);
    if (browser !== null) return browser;
  }
  return null;
}
