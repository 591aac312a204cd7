export type {
  AppName,
  Config,
  DeadManConfig,
  LocaltonetConfig,
  OutboundConfig,
  PolicyConfig,
  ProbesConfig,
  ReceiverConfig,
  ReporterProbeConfig,
  RetentionConfig,
  ServiceConfig,
  SourceConfig,
  TracesConfig,
  UrlProbeConfig,
} from './config/config.ts';
export { ConfigError, type ConfigIssue, EnvError } from './config/config-error.ts';
export { configJsonSchema } from './config/config-json-schema.ts';
export { loadConfig, parseConfig } from './config/load-config.ts';
export { loadPolicies } from './config/load-policies.ts';
export type { ChannelConfig, ChannelTarget, NotifyConfig, RouteConfig } from './config/notify-config.ts';
export { formatDuration, parseDuration, parsePeriod } from './config/parse-duration.ts';
export { type LogLevel, type ProcessEnv, readProcessEnv } from './config/read-process-env.ts';
export type { Env } from './config/resolve-values.ts';
export type { RetryConfig } from './config/retry-config.ts';
export { isPlainTerminal, wantsNoColor } from './config/wants-no-color.ts';
export { writeStarterConfig } from './config/write-starter-config.ts';
export { errorCode } from './log/clean-field.ts';
export { createLogger, type Log, type LogDestination, type LoggerOptions } from './log/create-logger.ts';
export { EVENT_CATALOG, type LogEvent, type LogFields } from './log/event-catalog.ts';
export { createMetrics, type Metrics } from './metrics/create-metrics.ts';
export { type LabelsOf, METRIC_CATALOG, type MetricKey } from './metrics/metric-catalog.ts';
export type { CloseStep } from './process/close-in-order.ts';
export { commandLine } from './process/command-line.ts';
export { describeFailure, type FailureReport } from './process/describe-failure.ts';
export { endWith } from './process/end-with.ts';
export { outliveReaders } from './process/outlive-readers.ts';
export { type AppContext, type AppOptions, type ReadyMessage, type RunningApp, runApp } from './process/run-app.ts';
export { screenSize } from './process/screen-size.ts';
export { type AdminServer, type AdminServerOptions, startAdminServer } from './process/start-admin-server.ts';
export { ChildFailed, type ChildSpec, type SupervisedChild, superviseChild } from './process/supervise-child.ts';
export { untilInterrupted } from './process/until-interrupted.ts';
export { ensureSecretFile, readSecretFile } from './secret-file/ensure-secret-file.ts';
export { replaceSecretFile } from './secret-file/replace-secret-file.ts';
export { cleanAttributes, type SpanAttributes } from './trace/clean-attributes.ts';
export { SPAN_CATALOG, type SpanName } from './trace/span-catalog.ts';
