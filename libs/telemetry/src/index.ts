/** Logs and the names of measurements. */
export { GEN_AI, genAiSpan } from './gen-ai.js';
export { createLogger, cutCredentials, LOG_LEVELS, type Logger, type LoggerOptions, type LogLevel } from './logger.js';
export { nestLogger } from './nest-logger.js';
