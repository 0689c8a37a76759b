/**
 * Text as a page can show it: control characters and lone surrogates become U+FFFD, and the marks that reverse the
 * direction of writing are shown as what they are, so that no text can dress up as another. Stored texts keep theirs.
 */
export function visibleText(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '\ufffd')
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, (mark) => `‹U+${mark.charCodeAt(0).toString(16).toUpperCase()}›`);
}

/** On one line, for names and titles. */
export const oneLine = (text: string): string => visibleText(text).replace(/\s+/g, ' ').trim();
