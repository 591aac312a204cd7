import type { Gate } from '@tidegate/client';

/** Gates by the name of their service; one that is absent is not registered. */
export type Gates = ReadonlyMap<string, Gate>;

export interface GateReader {
  /**
   * The gates of the named services (at least those; all when null), from a read that began after this call. Throws as
   * the store does.
   */
  read(services: readonly string[] | null): Promise<Gates>;
}

interface Batch {
  names: Set<string> | null;
  readonly gates: Promise<Gates>;
  settle(read: Promise<Gates>): void;
}

/**
 * Batches reads: those asked for while one is under way share the next one. Nothing is kept, and nobody is answered from
 * a read that began before they asked, so that a gate shut before a question is shut in its answer (I2).
 */
export function createGateReader(readNow: (services: readonly string[] | null) => Promise<Gates>): GateReader {
  let reading = false;
  let next: Batch | null = null;

  function startNext(): void {
    if (reading || next === null) return;
    const batch = next;
    next = null;
    reading = true;
    const read = readNow(batch.names === null ? null : [...batch.names]);
    batch.settle(read);
    const onEnd = () => {
      reading = false;
      startNext();
    };
    read.then(onEnd, onEnd);
  }

  return {
    read(services) {
      next ??= newBatch();
      if (services === null) next.names = null;
      for (const service of services ?? []) next.names?.add(service);
      const { gates } = next;
      startNext();
      return gates;
    },
  };
}

function newBatch(): Batch {
  let settle: Batch['settle'] = () => {};
  const gates = new Promise<Gates>((resolve) => {
    settle = resolve;
  });
  return { names: new Set(), gates, settle };
}
