import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

/**
 * What a handler answers with that has written to Node's own response itself. The server tells it by its header, but never of
 * its own lightweight `Response`, and that is what its module makes where another server has put it in place of Node's before:
 * it would be written over the stream, and so end it. Once its body was looked at, it is an ordinary one.
 */
export function alreadySent(): Response {
  void RESPONSE_ALREADY_SENT.body;
  return RESPONSE_ALREADY_SENT;
}
