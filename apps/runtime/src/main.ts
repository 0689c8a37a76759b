import { bootRuntime } from './boot.js';
import { readRuntimeConfig } from './config.js';

await bootRuntime(readRuntimeConfig());
