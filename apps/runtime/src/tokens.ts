/** What Nest injects under a name rather than a class. */
export const CONFIG = Symbol('runtime config');
