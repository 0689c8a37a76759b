/** The part of sanitize-html that we use; the package ships no types. */
declare module 'sanitize-html' {
  interface Options {
    allowedTags: string[];
    allowedAttributes: Record<string, string[]>;
    allowedSchemes: string[];
    allowedClasses?: Record<string, string[]>;
    allowProtocolRelative?: boolean;
    disallowedTagsMode?: 'discard' | 'escape' | 'recursiveEscape' | 'completelyDiscard';
    nestingLimit?: number;
    transformTags?: Record<
      string,
      (tag: string, attributes: Record<string, string>) => { tagName: string; attribs: Record<string, string> }
    >;
  }
  export default function sanitizeHtml(dirty: string, options: Options): string;
}
