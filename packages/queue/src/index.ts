export { type Alarm, BUCKET_MS, ROOMS, type Room } from './alarm.ts';
export type { AlarmHandler, QueueFailure } from './backend.ts';
export { createQueue, type Queue, type QueueOptions } from './create-queue.ts';
export { type AlarmData, JOB_CATALOG, type JobEntry } from './job-catalog.ts';
export type { Consumer } from './start-consumer.ts';
