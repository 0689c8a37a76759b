/**
 * Whether a reader would see anything: a text of white space, control characters and marks without a shape (zero-width
 * spaces, fillers, byte-order marks) is as good as none.
 */
export const hasWords = (text: string): boolean => /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(text);
