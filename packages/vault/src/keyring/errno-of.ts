/** The system's code of a failed file operation, such as `EACCES`; its message is dropped. */
export function errnoOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return 'unknown error';
}
