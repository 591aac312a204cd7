import { z } from 'zod';
import { checkPolicies } from './check-config.ts';
import type { Config } from './config.ts';
import { configSchema } from './config-schema.ts';
import { describeIssues } from './describe-issue.ts';
import { placeIssues, readSource, throwIssues } from './load-config.ts';
import { readYaml } from './read-yaml.ts';
import { toMass, toPolicies } from './to-config.ts';

const policyFileSchema = z.strictObject({ policies: configSchema.shape.policies, mass: configSchema.shape.mass });

/**
 * Reads a file that holds `policies` and, if wanted, `mass` of the config, with its defaults and its errors. References to
 * the environment have no place in thresholds, and a file that gives none is a slip of the pen.
 * @throws ConfigError
 */
export function loadPolicies(file: string): Pick<Config, 'policies' | 'mass'> {
  const yaml = readYaml(readSource(file));
  throwIssues(yaml.errors.map(({ line, message }) => ({ file, line, key: '', message })));
  const content = yaml.document.toJS() ?? {};
  const parsed = policyFileSchema.safeParse(content);
  if (!parsed.success) {
    throwIssues(placeIssues(parsed.error.issues.flatMap(describeIssues), yaml, file));
    throw new Error('A file without issues did not parse.');
  }
  throwIssues(placeIssues(checkPolicies(parsed.data.policies), yaml, file));
  if (isEmpty(content.policies) && isEmpty(content.mass)) {
    throwIssues([{ file, line: 1, key: '', message: 'gives no thresholds: name a policy, or mass' }]);
  }
  return { policies: toPolicies(parsed.data.policies), mass: toMass(parsed.data.mass) };
}

function isEmpty(section: object | undefined): boolean {
  return section === undefined || Object.keys(section).length === 0;
}
