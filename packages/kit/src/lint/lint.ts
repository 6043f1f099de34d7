import { CATEGORIES } from '../category.ts'
import type { Definition } from '../definition.ts'
import { specOf } from '../run/spec.ts'
import { lintAuth } from './lint-auth.ts'
import { lintFields } from './lint-fields.ts'
import { lintHosts } from './lint-hosts.ts'

/** What is wrong with an integration, one sentence each; empty when nothing is. */
export function lint(definition: Definition): string[] {
  return [
    ...lintFacts(definition),
    ...lintHosts(definition),
    ...lintAuth(definition),
    ...lintFields(specOf(definition)),
  ]
}

function lintFacts({
  key,
  name,
  version,
  category,
  stage,
  docs,
  icon,
  auth,
}: Definition): string[] {
  const faults: [boolean, string][] = [
    [
      /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(key),
      `key "${key}" must be lower case, words joined by _.`,
    ],
    [name.trim() === name && name !== '', 'name must not be empty.'],
    [SEMVER.test(version), `version "${version}" must be three numbers, such as 1.0.0.`],
    [CATEGORIES.includes(category), `category "${category}" is none of ${CATEGORIES.join(', ')}.`],
    [STAGES.has(stage ?? 'ALPHA'), `stage "${stage}" is none of ${[...STAGES].join(', ')}.`],
    [
      /^https:\/\/\S+$/.test(docs) && URL.canParse(docs),
      'docs must be the https URL it was written from.',
    ],
    [
      icon === undefined || /^[a-z0-9]+$/.test(icon),
      `icon "${icon}" must be a slug of simple-icons.`,
    ],
    [Object.keys(auth).length > 0, 'auth must have at least one way to authenticate.'],
  ]
  return faults.filter(([isFine]) => !isFine).map(([, fault]) => fault)
}

const SEMVER = /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/
const STAGES = new Set(['ALPHA', 'BETA', 'GENERALLY_AVAILABLE', 'DEPRECATED'])
