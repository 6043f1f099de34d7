import { CATEGORIES } from '../category.ts'
import type { Definition } from '../definition.ts'
import { createSpec } from '../run/create-spec.ts'
import { lintAuth } from './lint-auth.ts'
import { lintFields } from './lint-fields.ts'
import { findHostPlaceholders, lintHosts } from './lint-hosts.ts'

/** What the lint found in a file, one sentence per problem. */
export interface FileLint {
  readonly errors: readonly string[]
  /** Placeholders of `new`: the integration can be tested with them, but not published. */
  readonly placeholders: readonly string[]
}

export interface LintOptions {
  /** Of one workspace, not of a catalogue: it needs no documentation, and its patterns run only in the sandbox. Default: false. */
  readonly isPrivate?: boolean
}

/** Lints an integration. Returns one sentence per problem; empty if there is none. */
export function lint(definition: Definition, options: LintOptions = {}): string[] {
  // Nothing else can be checked without them, and bundlers do not check types.
  const { isPrivate = false } = options
  const missing = REQUIRED_FIELDS.filter(
    (name) => definition[name] === undefined && !(isPrivate && name === 'docs'),
  )
  if (missing.length > 0) return missing.map((name) => `${name} is missing.`)
  return [
    ...lintMetadata(definition),
    ...lintHosts(definition),
    ...lintAuth(definition),
    ...lintFields(createSpec(definition), findHostPlaceholders(definition), !isPrivate),
  ]
}

function lintMetadata({
  key,
  name,
  version,
  category,
  stage,
  docs,
  icon,
  auth,
  apiBaseUrl,
  identity,
  checkInterval = 0,
}: Definition): string[] {
  const rules: [boolean, string][] = [
    [
      /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(key),
      `key "${key}" must be lower case, words joined by _.`,
    ],
    [name.trim() === name && name !== '', 'name must not be empty.'],
    [SEMVER.test(version), `version "${version}" must be three numbers, such as 1.0.0.`],
    [
      CATEGORIES.includes(category),
      `category "${category}" is not one of ${CATEGORIES.join(', ')}.`,
    ],
    [STAGES.has(stage ?? 'ALPHA'), `stage "${stage}" is not one of ${[...STAGES].join(', ')}.`],
    [
      docs === undefined || (/^https:\/\/\S+$/.test(docs) && URL.canParse(docs)),
      'docs must be the https URL of the provider documentation.',
    ],
    [
      icon === undefined || /^[a-z0-9]+$/.test(icon),
      `icon "${icon}" must be a slug of simple-icons.`,
    ],
    [Object.keys(auth).length > 0, 'auth must have at least one authentication method.'],
    [!('' in auth), 'an authentication method has no name.'],
    [!apiBaseUrl?.includes('?'), 'apiBaseUrl must not have a query.'],
    [
      typeof identity !== 'object' || (identity.id !== undefined && identity.label !== undefined),
      'identity needs id and label.',
    ],
    [
      checkInterval === 0 ||
        (Number.isInteger(checkInterval) && checkInterval >= 900 && checkInterval <= 604_800),
      'checkInterval must be 900 to 604800 seconds (15 minutes to 7 days), or 0 for never.',
    ],
  ]
  return rules.filter(([isValid]) => !isValid).map(([, message]) => message)
}

const REQUIRED_FIELDS = [
  'key',
  'name',
  'category',
  'version',
  'hosts',
  'docs',
  'auth',
  'check',
] as const
const SEMVER = /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/
const STAGES = new Set(['ALPHA', 'BETA', 'GENERALLY_AVAILABLE', 'DEPRECATED'])
