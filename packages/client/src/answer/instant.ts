import { z } from 'zod';

/** A point in time as RFC 3339 text with its offset; Tidegate itself writes UTC. */
export const instantSchema = z.iso.datetime({ offset: true });
