import { hash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { loadCatalogue } from '@linchpin/catalogue'
import type { Id } from '../packages/server/src/platform/storage/id.ts'
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
import { fillAccounts, fillWorkspaces, sampleAccountIds } from './fill-accounts.ts'

/** A running service with a definition, a link and many accounts, at the default log level. */
export interface BenchmarkedService extends SavedIds {
  readonly service: ServiceProcess
  readonly setup: ServiceSetup
  /** The provider. */
  readonly deskUrl: string
  /** How many accounts the database had at first; half of them may be in another workspace. */
  readonly accountCount: number
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
  stop(): Promise<void>
}

interface SavedIds {
  readonly definitionId: string
  readonly workspaceId: string
  readonly templateId: Id<'acc'>
  readonly otherWorkspaceId: Id<'wsp'>
  /** A link that one of twenty accounts has. */
  readonly fullLinkId: Id<'lnk'>
  /** A user with 10,000 workspaces, and its token. */
  readonly manyWorkspacesUserId: Id<'usr'>
  readonly manyWorkspacesToken: string
}

export interface SubjectOptions {
  /** The sources of the service. Default: these. */
  readonly tree?: SourceTree | undefined
  readonly databaseUrl?: string | undefined
  /** How many accounts the database has at least. Default: 100. */
  readonly accounts?: number | undefined
  readonly nodeArgs?: readonly string[] | undefined
  /** Whether all accounts are in one workspace. Default: half of them. */
  readonly inOneWorkspace?: boolean | undefined
}

/** A folder with the sources of the service, and the program that was built from them. */
export interface SourceTree {
  readonly root: string
  readonly program: string
}

const DEFAULT_ACCOUNTS = 100
/** Larger databases are measured in place, and keep what runs add: copies would take too much of the disk. */
const MAX_COPIED_ACCOUNTS = 2_000_000
const SAMPLE = 500
const MANY_WORKSPACES = 10_000
const LINKED_ACCOUNTS = 25
/** Those of `npm start`. */
const START_FLAGS = ['--max-semi-space-size=8']
const IMAGE_TIMEOUT_MS = 60_000

/** Starts the service on a filled database, and sends what the measured requests need. */
export async function startSubject(
  desk: { readonly url: string },
  options: SubjectOptions = {},
): Promise<BenchmarkedService> {
  const { databaseUrl, nodeArgs = START_FLAGS, tree } = options
  const cache = findCache(options)
  const setup = await createServiceSetup({
    databaseUrl,
    nodeArgs,
    program: tree?.program,
    ...(cache?.isInPlace ? { dataDir: cache.folder, remove: async () => {} } : {}),
  })
  const removeAtExit = () => {
    if (!cache?.isInPlace) rmSync(setup.dataDir, { recursive: true, force: true })
  }
  process.once('exit', removeAtExit)
  const ids = await fillDatabase(setup, desk, options, cache)
  const accountIds = await sampleAccountIds(toLocation(setup), SAMPLE)
  const credentials = createDeskCredentials(ids.definitionId, desk, 'desk_live_1')
  await storeImage(setup, credentials)
  const service = await startService(setup)
  const live = await create(service, 'integration_account', {
    ...credentials,
    integrationAccountName: 'Live',
  })
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
    deskUrl: desk.url,
    accountCount: options.accounts ?? DEFAULT_ACCOUNTS,
    token: setup.token,
    readToken,
    accountIds,
    linkId,
    file: databaseUrl === undefined ? toLocation(setup).file : undefined,
    liveAccountId: live.integrationAccountId,
    credentials,
    declared: await createDeclaredCredentials(service, desk),
    async stop() {
      await service.stop()
      await setup.remove()
      process.off('exit', removeAtExit)
    },
  }
}

/** Where a filled database of SQLite stays for later runs. */
interface FilledCache {
  readonly folder: string
  /** Whether it is measured there; otherwise, a copy. */
  readonly isInPlace: boolean
}

/** Undefined for PostgreSQL, and for few accounts. */
function findCache({
  databaseUrl,
  accounts = DEFAULT_ACCOUNTS,
  inOneWorkspace = false,
  tree,
}: SubjectOptions): FilledCache | undefined {
  if (databaseUrl !== undefined || accounts <= DEFAULT_ACCOUNTS) return undefined
  const name = `${accounts}-${inOneWorkspace ? 'one-' : ''}${hashSources(tree?.root ?? ROOT)}`
  return { folder: path.join(CACHE, name), isInPlace: accounts > MAX_COPIED_ACCOUNTS }
}

/** Fills the database, unless an earlier run of the same code has. */
async function fillDatabase(
  setup: ServiceSetup,
  desk: { readonly url: string },
  { accounts = DEFAULT_ACCOUNTS, inOneWorkspace = false }: SubjectOptions,
  cache: FilledCache | undefined,
): Promise<SavedIds> {
  // Written last.
  const saved = cache && path.join(cache.folder, 'ids.json')
  if (saved !== undefined && existsSync(saved)) {
    if (!cache?.isInPlace) cpSync(cache?.folder ?? '', setup.dataDir, { recursive: true })
    return JSON.parse(readFileSync(saved, 'utf8'))
  }
  if (cache !== undefined) await makeRoom(cache.folder)
  const ids = await createTemplate(setup, desk)
  await fillAccounts({
    ...toLocation(setup),
    accountId: ids.templateId,
    otherWorkspaceId: inOneWorkspace ? undefined : ids.otherWorkspaceId,
    linkId: ids.fullLinkId,
    count: accounts,
  })
  await fillWorkspaces(toLocation(setup), ids.manyWorkspacesUserId, MANY_WORKSPACES)
  if (cache?.isInPlace === false) cpSync(setup.dataDir, cache.folder, { recursive: true })
  if (saved !== undefined) writeFileSync(saved, JSON.stringify(ids))
  return ids
}

/** Creates an empty folder. Of the others, leaves the newest: the other side of a comparison. */
async function makeRoom(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const others = globSync('*', { cwd: CACHE }).map((name) => path.join(CACHE, name))
  others.sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs)
  for (const other of others.slice(0, -1)) await rm(other, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
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
    const { linkId: fullLinkId } = await create(service, 'link', { linkName: 'Everyone' })
    const { user, token: manyWorkspacesToken } = await createUser(service)
    return {
      definitionId,
      workspaceId: template.workspaceId,
      templateId: template.integrationAccountId,
      otherWorkspaceId: other.workspaceId,
      fullLinkId,
      manyWorkspacesUserId: user.userId,
      manyWorkspacesToken,
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
    // An earlier run may have left one in the database.
    name: `As a bundle ${Date.now()}`,
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
  await create(service, 'integration_account/check', credentials, { status: 200 })
  const images = path.join(setup.dataDir, 'bundle-images/*')
  for (const end = Date.now() + IMAGE_TIMEOUT_MS; globSync(images).length === 0; ) {
    if (Date.now() > end) throw new Error('no image of the bundle was stored')
    await sleep(100)
  }
  await service.stop()
}

/** Creates a user with an email address that no other has. */
export function createUser(service: ServiceProcess) {
  const email = `${Date.now()}@example.com`
  return create(service, 'user', { email, firstname: 'Ada', lastname: 'Bench' })
}

/** Sends a POST, and returns the body of the response. @throws if its status is another */
export async function create(
  service: ServiceProcess,
  path: string,
  body: object,
  { token, status = 201 }: { readonly token?: string; readonly status?: number } = {},
) {
  const response = await service.call('POST', `/v1/${path}`, body, token)
  if (response.status !== status) throw new Error(`${path}: ${JSON.stringify(response.body)}`)
  return response.body
}

/** Where the database of a service is. */
export function toLocation({ dataDir, databaseUrl }: ServiceSetup) {
  return { file: path.join(dataDir, 'linchpin.db'), url: databaseUrl }
}

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CACHE = path.join(ROOT, 'node_modules/.cache/bench')

/** The hash of the sources that determine what a filled database contains. */
function hashSources(root: string): string {
  const files = [
    ...['subject.ts', 'fill-accounts.ts'].map((name) => path.join(ROOT, 'bench', name)),
    ...globSync(['packages/server/migrations/*.ts', 'packages/server/src/accounts/accounts/*.ts'], {
      cwd: root,
    })
      .sort()
      .map((name) => path.join(root, name)),
  ]
  const texts = files.map((file) => readFileSync(file, 'utf8'))
  return hash('sha256', texts.join('\0')).slice(0, 16)
}
