/** What a drill or test can have asked of the make-believe outside that it cannot do. */
export type SimulatorErrorCode =
  | 'port_in_use'
  | 'listen_failed'
  | 'duplicate_subject'
  | 'unknown_device'
  | 'unknown_tunnel'
  | 'invalid_tunnel_id'
  | 'device_offline'
  | 'tunnel_not_started'
  | 'unsupported_url'
  | 'wait_timed_out'
  | 'closed';

/** The one error class of this package; its message is one sentence without any token, key or webhook URL. */
export class SimulatorError extends Error {
  readonly code: SimulatorErrorCode;

  constructor(code: SimulatorErrorCode, message: string) {
    super(message);
    this.name = 'SimulatorError';
    this.code = code;
  }
}
