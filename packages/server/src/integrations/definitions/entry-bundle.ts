import type { Catalogue } from '@linchpin/catalogue'
import { ALMOST_MATCHING, bundleEntry, type Entry, lintEntry } from '@linchpin/kit/entry'
import { type Runner, RunnerError, type Tenant } from '@linchpin/runner'
import Type, { type Static } from 'typebox'
import { fieldError, validationFailed } from '../../platform/errors.ts'
import { OptionalField } from '../../platform/http/schema.ts'

/** An entry as it is sent: what is missing is added, and everything is checked. */
export const EntryInput = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        'The integration as data, instead of `sourceUrl` and `bundle`: hosts, authentication, check and identity, as in `entry.schema.json`. `runtime`, `key`, `name`, `category`, `version` and `docs` may be left out. At most 64 kB.',
    },
  ),
)
export type EntryInput = Static<typeof EntryInput>

export interface EntryBundleDeps {
  readonly bundledCatalogue: Pick<Catalogue, 'runtimes'>
  readonly runner: Pick<Runner, 'testPatterns'>
}

/** What an entry need not say, because the definition says it, and the member of the request that has the entry. */
export interface EntryDefaults extends Pick<Entry, 'name' | 'version'> {
  readonly member?: 'entry' | 'patch'
}

/** An integration as data, as a field of a request. */
export const EntryField = OptionalField(EntryInput)

/**
 * The bundle of an entry: the entry, and the code that runs it.
 *
 * @throws ApiError `validation_failed` with the path of what is wrong
 * @throws RunnerError when its patterns could not be tried, as with `overloaded`
 */
export async function bundleTenantEntry(
  { bundledCatalogue: { runtimes }, runner }: EntryBundleDeps,
  input: EntryInput,
  tenant: Tenant,
  { name, version, member = 'entry' }: EntryDefaults,
): Promise<Uint8Array> {
  const invalid = (path: string, message: string) => invalidEntry(member, path, message)
  const latest = Math.max(...runtimes.keys())
  const { $schema, ...given } = input
  const entry = { runtime: latest, key: 'custom', name, category: 'OTHER', version, ...given }
  const [problem] = lintEntry(entry, { isPrivate: true })
  if (problem !== undefined) throw invalid(problem.path, problem.message)
  const runtime = runtimes.get(entry.runtime)
  if (runtime === undefined)
    throw invalid('runtime', `must be one of ${[...runtimes.keys()].join(', ')}.`)
  await assertQuickPatterns(runner, input, tenant, invalid)
  return new TextEncoder().encode(bundleEntry(entry as unknown as Entry, runtime))
}

/**
 * Runs the patterns of an entry on texts that almost match, in the sandbox: one that takes exponential time would fail every form
 * that has the field.
 *
 * @throws ApiError `validation_failed` with the path of the pattern
 */
async function assertQuickPatterns(
  runner: EntryBundleDeps['runner'],
  input: EntryInput,
  tenant: Tenant,
  invalid: (path: string, message: string) => Error,
): Promise<void> {
  for (const { path, pattern } of listPatterns(input)) {
    const tests = ALMOST_MATCHING.map((value) => ({ pattern, value }))
    await runner.testPatterns(tests, tenant).catch((error: unknown) => {
      if (!(error instanceof RunnerError) || error.code === 'overloaded' || !error.isConclusive)
        throw error
      throw invalid(path, 'takes exponential time for some values. Avoid nested repetition.')
    })
  }
}

function listPatterns({ fields, auth }: EntryInput): { path: string; pattern: string }[] {
  const forms = [
    ['fields', fields],
    ...Object.entries(auth ?? {}).map(([name, each]) => [`auth.${name}.fields`, each.fields]),
  ]
  return forms.flatMap(([path, form]) =>
    Object.entries((form ?? {}) as Readonly<Record<string, { pattern?: string }>>).flatMap(
      ([name, { pattern }]) =>
        pattern === undefined ? [] : [{ path: `${path}.${name}.pattern`, pattern }],
    ),
  )
}

function invalidEntry(member: string, path: string, message: string) {
  return validationFailed(
    fieldError(path === '' ? member : `${member}.${path}`, 'invalid', toSentence(message)),
  )
}

function toSentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1)
}
