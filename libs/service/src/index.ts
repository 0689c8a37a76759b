/** What every service process has: configuration, life from boot to drain, health, and what Nest injects. */
export { bootService, type BootOptions, type Service } from './boot-service.js';
export { Health, type Check, type HealthStatus } from './health.js';
export { InjectLogger, PlatformModule, type Platform } from './platform-module.js';
export {
  baseEnv,
  BEAT_IN_TIME,
  beatsInTime,
  ConfigError,
  migrateConfig,
  readConfig,
  serviceConfig,
  type BaseEnv,
  type ServiceConfig,
} from './read-config.js';
