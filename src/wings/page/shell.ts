import { createHash } from 'node:crypto';
import { DevCliError } from '../../base/errors.js';
import type { Context } from '../../run/context.js';

/** The page without data, and its Content-Security-Policy. */
export interface PageShell {
  html: string;
  /** Returns its Content-Security-Policy. @param connect where the page may send requests */
  policy(connect: "'self'" | "'none'"): string;
}

/**
 * Reads the page that ships with dev-cli.
 * @throws DevCliError `INTERNAL` if it is missing; `IO`
 */
export function readShell({ reader, library }: Pick<Context, 'reader' | 'library'>): PageShell {
  const html = reader.read(`${library.shipped}/dist/page.html`);
  if (html === null) throw new DevCliError('INTERNAL', 'The page is missing from this installation.');
  return createShell(html);
}

/**
 * Computes the policy of a page with one script and one style: the page may use these two, identified by their digests,
 * and images in `data:` URLs, but nothing else.
 */
export function createShell(html: string): PageShell {
  const source = (tag: 'script' | 'style') => {
    const [, text = ''] = new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`).exec(html) ?? [];
    return `${tag}-src 'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  };
  // A recipe's SVG has a `<style>`, which this policy blocks unless the SVG is loaded as an image: hence `data:`.
  const loads = ["default-src 'none'", source('script'), source('style'), 'img-src data:'];
  const closed = ["base-uri 'none'", "form-action 'none'"];
  return { html, policy: (connect) => [...loads, `connect-src ${connect}`, ...closed].join('; ') };
}
