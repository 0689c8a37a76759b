const STRONG =
  /\b(?:because|due to|owing to|reasons?|as a result|caused by|thanks to|driven by|led to|in order to|since (?!(?:19|20)\d{2}))|由于|因为|原因|因(?!此)|导致|所致|为了/iu;
/** What came before may be why, where the sentence is on what was asked. */
const WEAK = /\b(?:after|following)\s(?!tax|deduct|all\b|that\b|table|year|(?:the\s)?(?:end|close)\b|\d)/iu;

/** How plainly a sentence gives a cause: 2 says so, 1 tells what came before, 0 gives none. */
export const causeIn = (sentence: string): 0 | 1 | 2 => (STRONG.test(sentence) ? 2 : WEAK.test(sentence) ? 1 : 0);

/** Where the words that give the cause stand; the text's begin where it gives none. */
export const causeAt = (text: string): number => Math.max(0, STRONG.exec(text)?.index ?? WEAK.exec(text)?.index ?? 0);
