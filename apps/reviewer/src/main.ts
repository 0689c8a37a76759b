import { createLogger } from '@waymark/telemetry';
import { bootReviewer } from './boot.js';
import { readReviewerConfig, SERVICE } from './config.js';

const config = readReviewerConfig();
await bootReviewer(config, createLogger(SERVICE, { level: config.logLevel }));
