import { visibleText } from './visible-text.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Any text as text of a page or as an attribute's value in quotes. */
export const escapeHtml = (text: string): string => visibleText(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);
