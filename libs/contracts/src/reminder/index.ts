/** Reminder: turns given facts into candidates. Counts nothing itself, permits nothing, sends nothing (R1). */
export {
  REMINDER_TYPES,
  reminderType,
  subject,
  watermark,
  basis,
  candidate,
  composeRequest,
  reviewCandidate,
  quietUntil,
  composeReply,
  compose,
  statistics,
  reminderContracts,
  type ReminderType,
  type Watermark,
  type Candidate,
  type ComposeRequest,
  type QuietUntil,
  type ComposeReply,
} from './messages.js';
export { noticeLineBytes } from './notice-line-bytes.js';
export { measurementsOf, quietAfter, staysQuiet, type Quiet } from './quiet.js';
