import type { Message } from '../protocol/chat-request.js';
import { findMetrics } from './extract/metrics.js';

interface ReviewedBlock {
  block: string;
  title: string;
  text: string;
}
interface Point {
  block: string | null;
  issue: string;
  suggestion: string;
}

/** A verdict from simple checks of form: citations, empty cells, conflicts that no sentence mentions, measures left out. */
export function reviewReport(messages: readonly Message[]): string {
  const material = messages.filter((m) => m.role === 'user').map((m) => m.content);
  const blocks = material.flatMap(blocksIn);
  const question = questionIn(material);
  const points = [...blocks.flatMap(pointsOn), ...unquoted(blocks), ...leftOut(question, blocks)].slice(0, 12);
  return JSON.stringify({ verdict: points.length === 0 ? 'ok' : 'revise', points });
}

function pointsOn({ block, text }: ReviewedBlock): Point[] {
  const points: Point[] = [];
  const hasFigures = /\d/u.test(text) && text.includes('|');
  if (hasFigures && !/\[\d+\]/u.test(text)) {
    points.push({ block, issue: 'Figures without citations.', suggestion: 'Cite the passage of each figure.' });
  }
  if (/\|\s*—\s*(?=\|)/u.test(text)) {
    points.push({ block, issue: 'A name has no figure.', suggestion: 'Look for it, or say that it was not found.' });
  }
  if (/\|[^|\n]*\d[^|\n]* \/ [^|\n]*\d[^|\n]*\|/u.test(text) && !/disagree|conflict|不一致|矛盾/iu.test(text)) {
    points.push({
      block,
      issue: 'Two values stand side by side without a word.',
      suggestion: 'Say that the sources disagree.',
    });
  }
  return points;
}

/** A conflict or correction told in figures alone: once for the whole report. */
function unquoted(blocks: readonly ReviewedBlock[]): Point[] {
  const told = blocks.find(({ text }) => /disagree|conflict|corrected from|不一致|矛盾|更正为/iu.test(text));
  if (!told || blocks.some(({ text }) => /^> /mu.test(text))) return [];
  const issue = 'Sources differ here or correct each other, and the report gives none of their words.';
  return [{ block: told.block, issue, suggestion: 'Quote the passages word for word, so that a reader can judge.' }];
}

function leftOut(question: string, blocks: ReviewedBlock[]): Point[] {
  const said = new Set(blocks.flatMap((b) => findMetrics(`${b.title}\n${b.text}`).map((m) => m.key)));
  const asked = [
    ...new Set(
      findMetrics(question)
        .filter((m) => !m.weak)
        .map((m) => m.key),
    ),
  ];
  return asked
    .filter((key) => !said.has(key))
    .map((key) => ({ block: null, issue: `The report says nothing of ${key}.`, suggestion: `Add a block on ${key}.` }));
}

/** Blocks wherever they stand in JSON; else each Markdown section is one. */
function blocksIn(content: string): ReviewedBlock[] {
  const found: ReviewedBlock[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(walk);
    if (typeof value !== 'object' || value === null) return;
    const { block, title, text } = value as Record<string, unknown>;
    if (typeof block === 'string' && typeof text === 'string') {
      found.push({ block, title: typeof title === 'string' ? title : '', text });
    } else Object.values(value).forEach(walk);
  };
  for (const json of jsonIn(content)) walk(json);
  if (found.length > 0) return found;
  return content
    .split(/^#{1,4} /mu)
    .slice(1)
    .map((section) => {
      const [title = '', ...rest] = section.split('\n');
      return {
        block: /\(([a-z0-9-]+)\)|`([a-z0-9-]+)`/u.exec(title)?.[1] ?? title.trim(),
        title,
        text: rest.join('\n'),
      };
    });
}

function jsonIn(content: string): unknown[] {
  const from = content.search(/[[{]/u);
  const to = Math.max(content.lastIndexOf('}'), content.lastIndexOf(']'));
  try {
    return from < 0 ? [] : [JSON.parse(content.slice(from, to + 1)) as unknown];
  } catch {
    return content.split('\n').flatMap((line) => {
      try {
        return line.startsWith('{') ? [JSON.parse(line) as unknown] : [];
      } catch {
        return [];
      }
    });
  }
}

function questionIn(material: string[]): string {
  for (const content of material) {
    for (const json of jsonIn(content)) {
      const question = (json as { question?: unknown }).question;
      if (typeof question === 'string') return question;
    }
    const line = /^(?:Question|问题)\s*[:：]\s*(.+)$/imu.exec(content)?.[1];
    if (line !== undefined) return line;
  }
  return '';
}
