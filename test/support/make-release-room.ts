import { type Circuits, createCircuits } from '../../apps/worker/src/release/create-circuits.ts';
import { createFinisher, type Finisher } from '../../apps/worker/src/release/create-finisher.ts';
import { createLeaseKeeper } from '../../apps/worker/src/release/create-lease-keeper.ts';
import type { ReleaseRoom } from '../../apps/worker/src/release/release-room.ts';
import { createSlots } from '../../apps/worker/src/wake/create-slots.ts';
import type { WorkerContext } from '../../apps/worker/src/worker-context.ts';

const PLACES = 4;

export interface PlantedRoom {
  readonly room: ReleaseRoom;
  /** What failed without being told to anybody else. */
  readonly failures: readonly unknown[];
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** The release room of a small worker, which is woken by nobody but its test. */
export function makeReleaseRoom(
  context: WorkerContext,
  finisher: Finisher = createFinisher(context),
  circuits: Circuits = createCircuits(),
): PlantedRoom {
  const failures: unknown[] = [];
  const makeSlots = () =>
    createSlots(
      PLACES,
      () => undefined,
      (error) => failures.push(error),
    );
  const [slots, lookups] = [makeSlots(), makeSlots()];
  const leases = createLeaseKeeper(context);
  return {
    room: { context, slots, leases, finisher, lookups: { slots: lookups, circuits } },
    failures,
    idle: async () => void (await Promise.all([slots.idle(), lookups.idle()])),
    stop: leases.stop,
  };
}
