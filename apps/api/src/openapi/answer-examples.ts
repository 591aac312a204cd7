import type { z } from 'zod';
import {
  ACCEPTED,
  CALLBACK,
  CALLBACK_DETAIL,
  RECONCILIATION,
  RECONCILIATION_DETAIL,
  REVIEW,
} from './examples/callback-examples.ts';
import {
  BLIP,
  CHANNEL,
  CLOSED,
  EVENT,
  GATE,
  INCIDENT,
  INCIDENT_DETAIL,
  NOTIFICATION,
  READY,
  RESET,
  SILENCE,
} from './examples/incident-examples.ts';
import { OBSERVATION, SERVICE, SOURCE, SUBJECT } from './examples/inventory-examples.ts';
import type { SCHEMAS, SchemaName } from './schema-registry.ts';

type Answers = { readonly [N in SchemaName]?: z.output<(typeof SCHEMAS)[N]> };

const page = <T>(item: T) => ({ items: [item], nextCursor: null });

/** One answer of each kind, all of the same outage. A schema that is answered and has none here fails a test. */
export const ANSWER_EXAMPLES: Answers = {
  Incident: INCIDENT,
  IncidentPage: page(INCIDENT),
  IncidentDetail: INCIDENT_DETAIL,
  IncidentEvent: EVENT,
  EventsReady: READY,
  EventsReset: RESET,
  EventsClosed: CLOSED,
  Gate: GATE,
  GateList: { items: [GATE] },
  AcceptedCallback: ACCEPTED,
  CallbackPage: page(CALLBACK),
  CallbackDetail: CALLBACK_DETAIL,
  Review: REVIEW,
  ReconciliationPage: page(RECONCILIATION),
  ReconciliationDetail: RECONCILIATION_DETAIL,
  Silence: SILENCE,
  SilencePage: page(SILENCE),
  NotificationPage: page(NOTIFICATION),
  ChannelPage: page(CHANNEL),
  BlipPage: page(BLIP),
  ServicePage: page(SERVICE),
  SourcePage: page(SOURCE),
  SubjectPage: page(SUBJECT),
  ObservationPage: page(OBSERVATION),
  Health: { status: 'ok' },
};
