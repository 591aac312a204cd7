import { z } from 'zod';

/** The probe layers in dependency order: the first that fails names the outage. */
export const layerSchema = z.enum(['local_liveness', 'local_readiness', 'device', 'tunnel', 'public', 'application']);
