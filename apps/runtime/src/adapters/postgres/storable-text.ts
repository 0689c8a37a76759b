/** As a text column takes it: no NUL and no lone surrogate. Word for word a question stands in the record (C1). */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\u0000', ' ');
