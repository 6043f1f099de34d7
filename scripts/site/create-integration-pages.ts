import type { Entry } from '@linchpin/kit/entry'
import type { AuthSpecification, InputSpecification, Spec } from '@linchpin/runner/protocol'
import type { EvidenceRow, EvidenceSource } from '../../packages/catalogue/src/evidence/evidence.ts'
import {
  readEntryFile,
  readEvidence,
} from '../../packages/catalogue/src/evidence/evidence-files.ts'
import { computeStage } from '../../packages/catalogue/src/evidence/stage.ts'
import {
  type CatalogueEntry,
  getCatalogueScopeLabel,
  loadCatalogue,
} from '../../packages/catalogue/src/index.ts'
import { type ApiPage, toProse } from './create-api-pages.ts'

/** A page for each integration of the catalogue: what to register, what customers enter, what happens then, and the sources. */
export async function createIntegrationPages(): Promise<ApiPage[]> {
  const { entries } = await loadCatalogue()
  const listed = entries.filter(({ key }) => key !== 'acme_sandbox')
  return Promise.all(
    listed.map(async (integration) => {
      const { key, name } = integration
      const entry = await readEntryFile(key)
      const markdown = createPage(integration, entry, await readEvidence(key))
      return { path: `catalogue/${key}`, title: name, markdown }
    }),
  )
}

/** The list of the catalogue with a link to the page of each integration. */
export function linkIntegrationPages(markdown: string): string {
  return markdown.replaceAll(/^(- \[[^\]]*\]\([^)]*\) )`(\w+)`:/gm, '$1[`$2`](./catalogue/$2.md):')
}

function createPage(
  integration: CatalogueEntry,
  entry: Entry | undefined,
  evidence: readonly EvidenceRow[],
): string {
  const { key, name, category, docs, versions } = integration
  const spec: Spec = JSON.parse(versions[0]?.spec ?? '{}')
  const types = Object.entries(spec.auth_specification)
  return [
    `# ${toProse(name)}`,
    `Key \`${key}\`, category ${category}, version ${versions[0]?.version}. [Documentation of the provider](${docs}), which Linchpin does not belong to.`,
    ...types
      .filter(([, type]) => type.authorization_url !== undefined)
      .map(([authType, type]) => createRegistration(integration, authType, type, entry)),
    createForms(spec),
    createAfter(spec, entry),
    createSources(entry, evidence),
  ].join('\n\n')
}

function createRegistration(
  { key, name }: CatalogueEntry,
  authType: string,
  type: AuthSpecification,
  entry: Entry | undefined,
): string {
  const register = entry?.register
  const scopes = (type.default_scopes ?? []) as readonly string[]
  const rows = scopes.map((scope) => {
    const label = (type['x-scope-labels'] as Readonly<Record<string, string>> | undefined)?.[scope]
    return `| \`${scope}\` | ${toCell(label ?? getCatalogueScopeLabel(key, scope)?.en ?? '')} |`
  })
  return [
    `## Set up ${toProse(authType)}`,
    `1. Register an OAuth app at ${register === undefined ? toProse(name) : `[${new URL(register).host}](${register})`}.`,
    '2. As its redirect URI, enter `https://connect.example.com/api/v1/oauth/callback` with the host of your Linchpin.',
    scopes.length > 0
      ? `3. Allow these scopes, which the check of a connection needs, and those that your product needs:\n\n| scope | allows |\n|---|---|\n${rows.join('\n')}\n`
      : '3. Choose the permissions that your product needs: the check of a connection needs no scope.',
    `4. Enter its client ID and secret in the console or with the API: [Sign-in with OAuth](../oauth.md). Other scopes can be set there.`,
  ].join('\n')
}

function createForms(spec: Spec): string {
  const shared = spec.other_inputs?.input_specification
  const types = Object.entries(spec.auth_specification).map(
    ([authType, { input_specification: own, authorization_url }]) => {
      const rows = [...listFields(own), ...listFields(shared)]
      const signIn = authorization_url === undefined ? '' : 'They sign in at the provider. '
      return `### ${toProse(authType)}\n\n${
        rows.length === 0
          ? `${signIn}They enter nothing.`
          : `${signIn}They enter:\n\n| field | where it is | |\n|---|---|---|\n${rows.join('\n')}`
      }`
    },
  )
  return `## What customers enter\n\n${types.join('\n\n')}`
}

function listFields(form: InputSpecification | undefined): string[] {
  return Object.entries(form?.properties ?? {}).map(([name, field]) => {
    const isRequired = form?.required?.includes(name)
    const isSecret = field.format === 'password'
    const notes = [...(isSecret ? ['secret'] : []), ...(isRequired ? [] : ['optional'])]
    const help = field.description ?? ''
    return `| ${toCell(field.title ?? name)} | ${toCell(help)} | ${notes.join(', ')} |`
  })
}

function createAfter(spec: Spec, entry: Entry | undefined): string {
  const facts = Object.values(spec.auth_specification).flatMap((type) => type['x-facts'] ?? [])
  const unique = new Map(facts.map((fact) => [fact.name, fact]))
  const picks = [...unique.values()].map(({ name, title, pick }) => {
    const chosen = {
      ask: 'if there are several, the customer chooses one',
      all: 'all are stored',
      first: 'the first one is used',
    }
    return `- ${toProse(title)} (\`${name}\`) is read from the provider: ${chosen[pick ?? 'ask']}.`
  })
  const { get, post } = entry?.check ?? {}
  const check = get ?? post
  return [
    '## After connecting',
    check === undefined
      ? 'A request to the provider checks the credentials.'
      : `The credentials are checked with \`${get === undefined ? 'POST' : 'GET'} ${check}\`.`,
    ...(picks.length === 0 ? [] : [picks.join('\n')]),
    spec['x-hosts'] === undefined
      ? 'Requests go to the address that the customer enters.'
      : `Requests go to ${spec['x-hosts'].map((host) => `\`${host}\``).join(', ')} only.`,
  ].join('\n\n')
}

const STAGES = {
  corroborated:
    'What a sign-in or a key is sent to is proven by a document of the provider, or by three independent sources.',
  documented: 'Each fact is proven by a document of the provider, or by two independent sources.',
  unproven: 'Some facts are not proven.',
} as const

function createSources(entry: Entry | undefined, evidence: readonly EvidenceRow[]): string {
  const honesty =
    'It was not connected to a real account here: connect one before your customers do.'
  if (entry === undefined)
    return `## How far it is proven\n\nThis integration is code, written from the documentation of the provider. ${honesty}`
  const sources = new Map<string, EvidenceSource>()
  for (const source of evidence.flatMap((row) => row.sources))
    if ((sources.get(source.url)?.seen ?? '9') > source.seen) sources.set(source.url, source)
  const newest =
    [...sources.values()]
      .map(({ seen }) => seen)
      .sort()
      .at(-1) ?? ''
  const stage = computeStage(entry, evidence, Date.parse(newest))
  const order = Object.keys(KINDS)
  const sorted = [...sources.values()].sort(
    (one, other) => order.indexOf(one.kind) - order.indexOf(other.kind),
  )
  const rows = sorted.map(
    ({ url, kind, repo, seen }) =>
      `| [${toCell(repo ?? new URL(url).host + new URL(url).pathname)}](${toTarget(url)}) | ${KINDS[kind]} | ${seen} |`,
  )
  return `## How far it is proven\n\n**${stage}**. ${STAGES[stage]} ${honesty}\n\n| source | | read |\n|---|---|---|\n${rows.join('\n')}`
}

const KINDS: Readonly<Record<EvidenceSource['kind'], string>> = {
  provider: 'document of the provider',
  sdk: 'code of the provider',
  openapi: 'API description of the provider',
  discovery: 'metadata of the provider',
  library: 'public code',
}

/** A URL may contain parentheses, which would end the link. */
function toTarget(url: string): string {
  return url.replaceAll('(', '%28').replaceAll(')', '%29')
}

function toCell(text: string): string {
  return toProse(text).replaceAll('|', '\\|').replaceAll('\n', ' ')
}
