/** What a callback receiver does with one request. To commit is to let the operation take effect. */
export type Behaviour =
  /** Answers after `delayMs`; commits just before a 2xx answer unless `commit` says otherwise. */
  | {
      readonly kind: 'answer';
      readonly status?: number;
      readonly delayMs?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly commit?: boolean;
    }
  /** Commits, then closes the connection without an answer. */
  | { readonly kind: 'commit_then_drop' }
  /** Commits at once and answers `afterMs` later, when the sender has given up. */
  | { readonly kind: 'commit_then_answer_late'; readonly afterMs: number; readonly status?: number }
  /** Commits, then says that it failed; 500 unless another status is given. */
  | { readonly kind: 'commit_then_fail'; readonly status?: number }
  /** Commits and answers `afterMs` later, even when the sender is gone by then. */
  | { readonly kind: 'commit_late'; readonly afterMs: number; readonly status?: number }
  /** Resets the connection after the request line and headers, before reading the body; commits nothing. */
  | { readonly kind: 'reset_before_reading' }
  /** Refuses with 429 (or another status) and Retry-After in seconds or as an HTTP date; commits nothing. */
  | { readonly kind: 'retry_after'; readonly retryAfter: number | Date | string; readonly status?: number }
  /** Reads the request and never answers; commits nothing. */
  | { readonly kind: 'hang' };

/** The behaviours one receiver is set to show: for the next requests, else for the path, else for all. */
export class BehaviourPlan {
  #default: Behaviour = { kind: 'answer' };
  readonly #byPath = new Map<string, Behaviour>();
  #next: { behaviour: Behaviour; left: number }[] = [];

  setDefault(behaviour: Behaviour): void {
    this.#default = behaviour;
  }

  setForPath(path: string, behaviour: Behaviour | null): void {
    if (behaviour === null) this.#byPath.delete(path);
    else this.#byPath.set(path, behaviour);
  }

  addNext(behaviour: Behaviour, times: number): void {
    if (times > 0) this.#next.push({ behaviour, left: times });
  }

  /** For a callback: uses up one of the next behaviours when there is one. */
  take(path: string): Behaviour {
    const [next] = this.#next;
    if (!next) return this.forPath(path) ?? this.#default;
    next.left -= 1;
    if (next.left <= 0) this.#next.shift();
    return next.behaviour;
  }

  forPath(path: string): Behaviour | null {
    return this.#byPath.get(path) ?? null;
  }
}
