import { existsSync } from 'node:fs';

/** The machine's own browsers, tried if the one of the package @sparticuz/chromium does not start. */
const FOUND = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Arguments that the package @sparticuz/chromium passes and that are removed. With the first two, the browser is a
 * single process, which ends when its first window closes; the other two disable protections that a person's browser
 * has.
 */
const UNWANTED = ['--single-process', '--no-zygote', '--disable-web-security', '--allow-running-insecure-content'];

/** Also removed: they make the processor emulate a graphics card, which is slower than drawing without one. */
const GRAPHICS = ['--ignore-gpu-blocklist', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

/** Why a test or script that needs a browser is skipped. */
export const NO_BROWSER = 'no Chromium starts on this machine';

/**
 * Starts Chromium; returns null if none starts.
 * @returns {Promise<import('playwright-core').Browser | null>}
 */
export async function launchBrowser() {
  // Both are development dependencies, so they are missing where dev-cli is installed as a package.
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
