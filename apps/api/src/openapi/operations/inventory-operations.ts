import { observationsQuery } from '../../observation/observation-routes.ts';
import { servicesQuery } from '../../service/service-routes.ts';
import { sourcesQuery } from '../../source/source-routes.ts';
import { subjectsQuery } from '../../subject/subject-routes.ts';
import { EXAMPLE, type Operation } from '../operation.ts';

const READ = ['incidents:read'] as const;
const UNLIMITED = 'Not for a key that is limited to some services, since it is not kept by service.';

export const INVENTORY_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/services',
    id: 'listServices',
    tag: 'inventory',
    summary: 'Services with their gate and last verification, newest first',
    scopes: READ,
    query: servicesQuery,
    answer: { status: 200, description: 'A page of services.', schema: 'ServicePage' },
    example: { path: '/v1/services?limit=10' },
  },
  {
    method: 'get',
    path: '/v1/sources',
    id: 'listSources',
    tag: 'inventory',
    summary: 'Webhooks, and when each was last heard, newest first',
    description: UNLIMITED,
    scopes: READ,
    query: sourcesQuery,
    answer: { status: 200, description: 'A page of sources.', schema: 'SourcePage' },
    example: { path: '/v1/sources' },
  },
  {
    method: 'get',
    path: '/v1/subjects',
    id: 'listSubjects',
    tag: 'inventory',
    summary: 'Devices and tunnels by their aliases, newest first',
    description: UNLIMITED,
    scopes: READ,
    query: subjectsQuery,
    answer: { status: 200, description: 'A page of subjects.', schema: 'SubjectPage' },
    example: { path: `/v1/subjects?type=device&service=${EXAMPLE.service}` },
  },
  {
    method: 'get',
    path: '/v1/observations',
    id: 'listObservations',
    tag: 'inventory',
    summary: 'What was reported, newest first',
    description: UNLIMITED,
    scopes: READ,
    query: observationsQuery,
    answer: { status: 200, description: 'A page of observations.', schema: 'ObservationPage' },
    example: { path: '/v1/observations?status=disconnected&since=2026-01-01T00:00:00Z' },
  },
];
