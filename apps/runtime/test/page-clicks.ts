/** A report's page as a reader clicks through it, without a browser: its marks, and what they lead to. */
import { bears } from './told-figures.js';

/** What the first section says, before any click. */
export function firstSection(page: string): string {
  const [, id, text = ''] = /<section id="([^"]+)">([^]*?)<\/section>/.exec(page) ?? [];
  if (id !== 'answer') throw new Error(`the page begins with ${id ?? 'no section'}`);
  return text;
}

/**
 * What keeps a figure of the page from its ground, in words: a cell of a section's table without a mark, a mark that leads
 * nowhere or to a passage that does not bear the figure (one click), a passage that does not open to its place (two).
 */
export function groundsOutOfReach(page: string): string[] {
  const grounds = new Map(
    [...page.matchAll(/<li id="(c-[^"]+)"[^>]*>([^]*?)<\/li>/g)].map(([, id = '', text = '']) => [id, text]),
  );
  const unmarked = [...page.matchAll(/<section id="b-([^"]+)">([^]*?)<div class="grounds">/g)]
    .flatMap(([, block, text = '']) => cellsOf(text).map((cell) => ({ block, cell })))
    .filter(({ cell }) => /\d/.test(cell) && !cell.includes('class="cite"'))
    .map(({ block, cell }) => `${block}: “${cell}” bears no mark`);
  const lost = marksOf(page).flatMap(({ id, figure }) => {
    const ground = grounds.get(id);
    if (ground === undefined) return [`${id}: leads nowhere`];
    const passage = /<blockquote[^>]*>([^]*?)<\/blockquote>/.exec(ground)?.[1] ?? '';
    return [
      ...(figure === undefined || bears(passage, figure) ? [] : [`${id}: ${figure} is not in “${passage}”`]),
      ...(/<details><summary>[^<]+<\/summary>[^]*<mark>[^<]+<\/mark>/.test(ground) ? [] : [`${id}: does not open`]),
    ];
  });
  return [...unmarked, ...lost];
}

/** Each mark with the last figure before it. */
export function marksOf(html: string): { readonly id: string; readonly figure: string | undefined }[] {
  return [...html.matchAll(/([^<>]*)<a class="cite[^"]*" href="#(c-[^"]+)">/g)].map(([, before = '', id = '']) => ({
    id,
    figure: before
      .replace(/(?<=\d),(?=\d{3})/g, '')
      .match(/-?\d+(?:\.\d+)?/g)
      ?.at(-1),
  }));
}

/** The cells of a table but for each row's name, in parts where sources disagree. */
const cellsOf = (html: string): string[] =>
  [...html.matchAll(/<tr>([^]*?)<\/tr>/g)].flatMap(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].slice(1).flatMap(([, cell = '']) => cell.split(' / ')),
  );
