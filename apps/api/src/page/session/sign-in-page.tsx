/** Why the last attempt did not succeed, or why there is one to make. */
export type SignInProblem = 'refused' | 'limited' | 'left' | 'ended';

const PROBLEMS: Record<SignInProblem, string> = {
  refused: 'This is not a live API key of this Tidegate. Check that all of it was pasted, beginning with tdg_.',
  limited:
    'This is not a live API key either, and there were too many wrong ones: wait half a minute before you try others. A live one is let in at any time.',
  left: 'You are signed out.',
  ended:
    'You were signed out: the API key was revoked or has expired, or the session ended. What you sent since then was not done.',
};

export function SignInPage({ problem, next }: { problem: SignInProblem | null; next: string }) {
  return (
    <div class="narrow">
      <h1>Sign in</h1>
      {problem === null ? null : (
        <p id="problem" class={problem === 'left' ? 'notice' : 'notice notice-bad'} role="alert">
          {PROBLEMS[problem]}
        </p>
      )}
      <form method="post" action="/sign-in" class="stack">
        <input type="hidden" name="next" value={next} />
        {/* Password managers keep a password under a name. */}
        <input type="text" name="username" value="tidegate" autocomplete="username" hidden readonly />
        <label for="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          required
          autocomplete="current-password"
          autocapitalize="none"
          spellcheck={false}
          aria-describedby={problem === null ? 'key-hint' : 'key-hint problem'}
          autofocus
        />
        <p id="key-hint" class="hint">
          The admin key is in the file admin-key of the data folder. Give each person their own key with{' '}
          <code>tidegate keys create</code>: what they do is kept under its name.
        </p>
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
    </div>
  );
}
