import { hash } from 'node:crypto'
import { cpSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { loadCatalogue } from '@linchpin/catalogue'
import {
  createDeskCredentials,
  defineDesk,
} from '../packages/server/test/reliability/desk-provider.ts'
import {
  createServiceSetup,
  type ServiceProcess,
  type ServiceSetup,
  startService,
} from '../packages/server/test/reliability/service-process.ts'
import { fillAccounts, sampleAccountIds } from './fill-accounts.ts'

/** A running service with a definition, a link and many accounts, at the default log level. */
export interface BenchmarkedService extends SavedIds {
  readonly service: ServiceProcess
  readonly setup: ServiceSetup
  /** The file of SQLite; undefined on PostgreSQL. */
  readonly file: string | undefined
  /** Of the owner. */
  readonly token: string
  /** A token of one workspace with the scope `read`. */
  readonly readToken: string
  /** Accounts from all over the database. */
  readonly accountIds: readonly string[]
  /** An account whose provider runs. */
  readonly liveAccountId: string
  /** A link with 25 accounts. */
  readonly linkId: string
  /** The body of a check with valid credentials. */
  readonly credentials: object
  /** The same with an integration that is data: of the catalogue, and as a bundle, which runs in the sandbox. */
  readonly declared: { readonly entry: object; readonly bundle: object }
  /** Milliseconds until the first account was created, after the service was ready. */
  readonly firstCreateMs: number
  stop(): Promise<void>
}

interface SavedIds {
  readonly definitionId: string
  readonly workspaceId: string
  readonly templateId: string
  readonly otherWorkspaceId: string
}

export interface SubjectOptions {
  readonly databaseUrl?: string | undefined
  /** How many accounts the database has at least. Default: 100. */
  readonly accounts?: number | undefined
  readonly nodeArgs?: readonly string[] | undefined
  /** Whether all accounts are in one workspace. Default: half of them. */
  readonly inOneWorkspace?: boolean | undefined
}

const DEFAULT_ACCOUNTS = 100
const SAMPLE = 500
const LINKED_ACCOUNTS = 25
/** Those of `npm start`. */
const START_FLAGS = ['--max-semi-space-size=8']
const IMAGE_TIMEOUT_MS = 60_000

/** Starts the service on a filled database, and sends what the measured requests need. */
export async function startSubject(
  desk: { readonly url: string },
  options: SubjectOptions = {},
): Promise<BenchmarkedService> {
  const { databaseUrl, nodeArgs = START_FLAGS } = options
  const setup = await createServiceSetup({ databaseUrl, nodeArgs })
  const ids = await fillDatabase(setup, desk, options)
  const accountIds = await sampleAccountIds(toLocation(setup), SAMPLE)
  const credentials = createDeskCredentials(ids.definitionId, desk, 'desk_live_1')
  await storeImage(setup, credentials)
  const service = await startService(setup)
  const startedAt = performance.now()
  const live = await create(service, 'integration_account', {
    ...credentials,
    integrationAccountName: 'Live',
  })
  const firstCreateMs = performance.now() - startedAt
  const { linkId } = await create(service, 'link', { linkName: 'Onboarding' })
  for (let count = 0; count < LINKED_ACCOUNTS; count += 1)
    await create(service, `integration_account/link/${linkId}`, {
      ...credentials,
      integrationAccountName: `Linked ${count}`,
    })
  const { token: readToken } = await create(service, 'user/token', {
    name: 'bench',
    scopes: ['read'],
  })
  return {
    ...ids,
    service,
    setup,
    token: setup.token,
    readToken,
    accountIds,
    linkId,
    file: databaseUrl === undefined ? toLocation(setup).file : undefined,
    liveAccountId: live.integrationAccountId,
    credentials,
    declared: await createDeclaredCredentials(service, desk),
    firstCreateMs,
    async stop() {
      await service.stop()
      await setup.remove()
    },
  }
}

/** Fills the database; copies a SQLite file that an earlier run of the same code filled. */
async function fillDatabase(
  setup: ServiceSetup,
  desk: { readonly url: string },
  { accounts = DEFAULT_ACCOUNTS, inOneWorkspace = false }: SubjectOptions,
): Promise<SavedIds> {
  const cache = path.join(CACHE, `${accounts}-${inOneWorkspace ? 'one-' : ''}${hashSources()}`)
  const isCached = setup.databaseUrl === undefined && accounts > DEFAULT_ACCOUNTS
  if (isCached && existsSync(cache)) {
    cpSync(cache, setup.dataDir, { recursive: true })
    return JSON.parse(readFileSync(path.join(cache, 'ids.json'), 'utf8'))
  }
  const ids = await createTemplate(setup, desk)
  const { templateId, otherWorkspaceId } = ids
  await fillAccounts({
    ...toLocation(setup),
    accountId: templateId,
    otherWorkspaceId: inOneWorkspace ? undefined : otherWorkspaceId,
    count: accounts,
  })
  if (isCached) {
    writeFileSync(path.join(setup.dataDir, 'ids.json'), JSON.stringify(ids))
    await rm(CACHE, { recursive: true, force: true })
    await mkdir(CACHE, { recursive: true })
    cpSync(setup.dataDir, `${cache}.tmp`, { recursive: true })
    await rename(`${cache}.tmp`, cache)
  }
  return ids
}

async function createTemplate(setup: ServiceSetup, desk: { readonly url: string }) {
  const service = await startService(setup)
  try {
    const definitionId = await defineDesk(service, desk)
    const template = await create(service, 'integration_account', {
      ...createDeskCredentials(definitionId, desk, 'desk_live_1'),
      integrationAccountName: 'Template',
    })
    const other = await create(service, 'workspace', { slug: 'other' })
    return {
      definitionId,
      workspaceId: template.workspaceId,
      templateId: template.integrationAccountId,
      otherWorkspaceId: other.workspaceId,
    }
  } finally {
    await service.stop()
  }
}

async function createDeclaredCredentials(service: ServiceProcess, desk: { readonly url: string }) {
  const { entries, bundle } = await loadCatalogue()
  const version = entries.find(({ key }) => key === KEY)?.versions[0]?.version ?? ''
  const code = Buffer.from((await bundle(KEY, version)) ?? '').toString()
  // Other bytes have another digest, which the catalogue does not know.
  const custom = await create(service, 'integration_definition', {
    name: 'As a bundle',
    integrationType: 'OTHER',
    bundle: Buffer.from(`${code}\n`).toString('base64'),
  })
  const credentials = {
    authType: 'Api Key',
    config: { base_url: desk.url, consumer_key: 'ck_bench', consumer_secret: 'cs_bench' },
  }
  return {
    entry: { ...credentials, integrationDefinitionId: KEY },
    bundle: { ...credentials, integrationDefinitionId: custom.integrationDefinitionId },
  }
}

const KEY = 'woocommerce'

/** The first account after a start is created in a service whose bundles were used before. */
async function storeImage(setup: ServiceSetup, credentials: object): Promise<void> {
  const service = await startService(setup)
  await create(service, 'integration_account/check', credentials, 200)
  const images = path.join(setup.dataDir, 'bundle-images/*')
  for (const end = Date.now() + IMAGE_TIMEOUT_MS; globSync(images).length === 0; ) {
    if (Date.now() > end) throw new Error('no image of the bundle was stored')
    await sleep(100)
  }
  await service.stop()
}

async function create(service: ServiceProcess, path: string, body: object, status = 201) {
  const response = await service.call('POST', `/v1/${path}`, body)
  if (response.status !== status) throw new Error(`${path}: ${JSON.stringify(response.body)}`)
  return response.body
}

/** Where the database of a service is. */
export function toLocation({ dataDir, databaseUrl }: ServiceSetup) {
  return { file: path.join(dataDir, 'linchpin.db'), url: databaseUrl }
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CACHE = path.join(ROOT, 'node_modules/.cache/bench')

/** The hash of the sources that determine what a filled database contains. */
function hashSources(): string {
  const files = globSync(
    [
      'bench/{subject,fill-accounts}.ts',
      'packages/server/migrations/*.ts',
      'packages/server/src/accounts/accounts/*.ts',
    ],
    { cwd: ROOT },
  )
  const texts = files.sort().map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
  return hash('sha256', texts.join('\0')).slice(0, 16)
}
