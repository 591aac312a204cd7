import type { Duplex } from 'node:stream';
import { PROBLEM_MEDIA_TYPE } from '@tidegate/client';
import { ANSWER_HEADERS } from '../answer/answer.ts';
import { type ProblemInit, problemBody } from '../answer/problem.ts';

/** Answers what Node could not read as a request, then hangs up; nothing of it is repeated. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = problemBody(problemOf(error.code));
  const text = JSON.stringify(body);
  const headers = {
    ...ANSWER_HEADERS,
    'content-type': PROBLEM_MEDIA_TYPE,
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${body.status} ${body.title}\r\n${lines.join('')}\r\n${text}`);
}

function problemOf(code: string | undefined): ProblemInit {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, code: 'headers_too_large', detail: 'The headers of the request are too large.' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, code: 'request_too_slow', detail: 'The request did not arrive in time.' };
    default:
      return { status: 400, code: 'malformed_request', detail: 'This is not an HTTP request.' };
  }
}
