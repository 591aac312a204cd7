import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as contract from './index.ts';
import {
  approvalSchema,
  type CallbackRequest,
  callbackRequestSchema,
  gateSchema,
  problemSchema,
  SCOPES,
  serviceNameSchema,
} from './index.ts';

const gate = {
  service: 'agent',
  decision: 'allowed',
  state: 'open',
  reason: 'verified',
  generation: 3,
  since: '2026-01-01T00:00:00.000Z',
  validUntil: '2026-01-01T00:00:05.000Z',
  incident: null,
};

const request: CallbackRequest = {
  service: 'agent',
  url: 'https://hooks.example.org/',
  method: 'POST',
  safety: 'unsafe',
  repeat: 'forbidden',
};

describe('the contract', () => {
  const schemas = Object.entries(contract).filter(([name]) => name.endsWith('Schema')) as [string, z.ZodType][];

  it.each(schemas)('%s can be told as JSON Schema', (_name, schema) => {
    expect(z.toJSONSchema(schema, { io: 'input' })).toHaveProperty('$schema');
  });

  it('names each scope once', () => {
    expect(new Set(SCOPES).size).toBe(SCOPES.length);
  });
});

describe('a gate', () => {
  it('may have a reason that this version does not know', () => {
    expect(gateSchema.parse({ ...gate, reason: 'something_new' }).reason).toBe('something_new');
  });

  it.each([
    { decision: 'maybe' },
    { decision: undefined },
    { state: 'ajar' },
    { generation: 0 },
    { generation: '3' },
    { validUntil: 'soon' },
    { validUntil: '2026-01-01T00:00:05' },
    { reason: 'Verified!' },
  ])('cannot be read with %j', (change) => {
    expect(gateSchema.safeParse({ ...gate, ...change }).success).toBe(false);
  });

  it('may carry more than this version knows', () => {
    expect(gateSchema.parse({ ...gate, more: 1 })).toEqual(gate);
  });
});

describe('a callback request', () => {
  it('fills in no headers and no body', () => {
    expect(callbackRequestSchema.parse(request)).toEqual({ ...request, headers: {}, body: null });
  });

  it('takes any JSON value for a body as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(callbackRequestSchema.parse({ ...request, body }).body).toBe(body);
      }),
    );
  });

  it.each(['service', 'url', 'method', 'safety', 'repeat'])('needs %s', (field) => {
    expect(callbackRequestSchema.safeParse({ ...request, [field]: undefined }).success).toBe(false);
  });

  it.each([
    { extra: 1 },
    { headers: { a: 1 } },
    { headers: [] },
    { deadline: 'tomorrow' },
    { deadline: '1999-12-31T23:59:59Z' },
    { deadline: '9999-01-01T00:00:00Z' },
    { deadline: '2026-02-30T00:00:00Z' },
  ])('refuses %j', (change) => {
    expect(callbackRequestSchema.safeParse({ ...request, ...change }).success).toBe(false);
  });

  it.each(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123+05:30'])('takes the deadline %s', (deadline) => {
    expect(callbackRequestSchema.parse({ ...request, deadline }).deadline).toBe(deadline);
  });
});

describe('an approval', () => {
  const approval = { reason: 'seen in the books', payloadHash: 'a1'.repeat(32) };

  it('names what was looked at, and may name how long it lasts', () => {
    expect(approvalSchema.parse(approval)).toEqual(approval);
    expect(approvalSchema.parse({ ...approval, for: '30m' }).for).toBe('30m');
  });

  it.each([
    { reason: '' },
    { reason: undefined },
    { payloadHash: undefined },
    { payloadHash: 'A1'.repeat(32) },
    { payloadHash: 'a1'.repeat(31) },
    { for: 'soon' },
    { extra: 1 },
  ])('cannot be read with %j', (change) => {
    expect(approvalSchema.safeParse({ ...approval, ...change }).success).toBe(false);
  });
});

describe('a service name', () => {
  it.each(['a', 'A-1', 'agent.two_3', 'x'.repeat(63)])('may be %s', (name) => {
    expect(serviceNameSchema.safeParse(name).success).toBe(true);
  });

  it.each(['', '-a', '.a', 'a b', 'a/b', 'ä', 'a\n', 'a\u0000', 'x'.repeat(64)])('may not be %j', (name) => {
    expect(serviceNameSchema.safeParse(name).success).toBe(false);
  });
});

describe('a problem', () => {
  it('names fields and codes', () => {
    const problem = {
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'The query is not valid.',
      code: 'malformed_request',
      errors: [{ field: 'limit', problem: 'out_of_range' }],
    };
    expect(problemSchema.parse(problem)).toEqual(problem);
    expect(problemSchema.safeParse({ ...problem, errors: [{ field: 'limit', problem: 'is 501' }] }).success).toBe(
      false,
    );
  });
});
