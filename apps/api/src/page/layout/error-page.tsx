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
  text: 'Gates are held for everybody as long as it is away, and nothing that was acknowledged to Localtonet is lost. Reload in a moment; if it stays so, look at PostgreSQL and its disk first.',
};

export const OUR_MISTAKE: ErrorWords = {
  title: 'Something went wrong here',
  text: 'It was noted in the log of the api. What you asked for was not done; try again, or use the command line.',
};

export function answerError(c: Context<ApiEnv>, status: ContentfulStatusCode, { title, text }: ErrorWords): Response {
  const viewer = c.get('key') === undefined ? null : viewerOf(c);
  return answerPage(
    c,
    { title, viewer },
    <div class="narrow">
      <h1>{title}</h1>
      <p class="lead">{text}</p>
      <p>
        <a href="/">Back to Now</a>
      </p>
    </div>,
    status,
  );
}
