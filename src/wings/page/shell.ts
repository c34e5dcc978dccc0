import { createHash } from 'node:crypto';
import { DevCliError } from '../../base/errors.js';
import type { Context } from '../../run/context.js';

/** The page without data, and its policy. */
export interface PageShell {
  html: string;
  /** Returns its Content-Security-Policy. @param connect where it may send requests */
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
 * Computes the policy of a page with one script and one style: it may load these two, by their digests, and nothing
 * else.
 */
export function createShell(html: string): PageShell {
  const source = (tag: 'script' | 'style') => {
    const [, text = ''] = new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`).exec(html) ?? [];
    return `${tag}-src 'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  };
  // The SVG of a recipe has its own style, which works only in an image.
  const loads = ["default-src 'none'", source('script'), source('style'), 'img-src data:'];
  const closed = ["base-uri 'none'", "form-action 'none'"];
  return { html, policy: (connect) => [...loads, `connect-src ${connect}`, ...closed].join('; ') };
}
