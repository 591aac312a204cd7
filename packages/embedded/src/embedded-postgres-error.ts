export type EmbeddedPostgresErrorCode =
  | 'unsupported_platform'
  | 'no_server_user'
  | 'data_folder_not_writable'
  | 'data_folder_in_use'
  | 'data_folder_corrupt'
  | 'version_mismatch'
  | 'password_missing'
  | 'port_in_use'
  | 'disk_full'
  | 'start_timeout'
  | 'start_failed';

/** Why the embedded Postgres did not start. `publicMessage` is one sentence for the operator, without secrets. */
export class EmbeddedPostgresError extends Error {
  readonly code: EmbeddedPostgresErrorCode;
  readonly publicMessage: string;

  constructor(code: EmbeddedPostgresErrorCode, publicMessage: string) {
    super(publicMessage);
    this.name = 'EmbeddedPostgresError';
    this.code = code;
    this.publicMessage = publicMessage;
  }
}
