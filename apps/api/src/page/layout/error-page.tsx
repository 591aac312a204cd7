import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ApiEnv } from '../../api-context.ts';
import { viewerOf } from '../session/viewer.ts';
import { answerPage } from './answer-page.tsx';

/** What went wrong, and what to do about it. */
export interface ErrorWords {
  readonly title: string;
  readonly text: string;
}

export const NOTHING_HERE: ErrorWords = {
  title: 'There is nothing here',
  text: 'Either it does not exist, or your API key may not see it. Old incidents are removed once their retention is over.',
};

export const STORE_AWAY: ErrorWords = {
  title: 'The database does not answer',
  text: 'Gates are held for everybody as long as it is away, and nothing that was acknowledged to Localtonet is lost. This page comes back as soon as it does; without JavaScript, reload it. If it stays so, look at PostgreSQL and its disk first.',
};

export const OUR_MISTAKE: ErrorWords = {
  title: 'Something went wrong here',
  text: 'It was noted in the log of the api. If you ordered something, look first whether it was done; then try again, or use the command line.',
};

/** An order may still be carried out, or was when the answer to it was lost. */
export const ORDER_UNSURE: ErrorWords = {
  title: STORE_AWAY.title,
  text: 'Whether what you ordered was done is not known: go back, and look before you order it again. Gates are held for everybody as long as the database is away.',
};

export function answerError(c: Context<ApiEnv>, status: ContentfulStatusCode, { title, text }: ErrorWords): Response {
  const viewer = c.get('key') === undefined ? null : viewerOf(c);
  // What a form ordered is never asked for again by itself.
  const comesBack = status === 503 && c.req.method === 'GET';
  return answerPage(
    c,
    { title, viewer, comesBack },
    <div id={comesBack ? 'away' : undefined} class="narrow">
      <h1>{title}</h1>
      <p class="lead">{text}</p>
      <p>
        <a class="onward" href="/">
          Back to Now
        </a>
      </p>
    </div>,
    status,
  );
}
