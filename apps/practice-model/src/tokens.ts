export const PRACTICE_CONFIG = Symbol('PracticeConfig');
